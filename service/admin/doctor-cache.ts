// Doctor check of the configured rate-limit backend.
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isSentinelUrl, sentinelsOf } from '@svc/adapters/redis/sentinel'
import type { ClientTls } from '@svc/contract/client-tls'
import { OwnTls } from '../settings/own-tls.ts'
import { broken, doubtful, type Finding, reasonOf, well } from './finding.ts'
import type { Target } from './target.ts'

const answer_ms_max = 3_000
const check = 'cache'

export async function lookAtCache({ data_dir, read }: Target): Promise<Finding[]> {
  try {
    const backend = read.given('SVC_RATE_LIMIT_BACKEND') ?? (data_dir === undefined ? 'redis' : 'memory')
    if (backend === 'memory')
      return [well(check, 'rate limits are counted in memory, by each engine process separately')]
    const url = read('SVC_REDIS_URL')
    if (!url) return [broken(check, 'the backend is redis and SVC_REDIS_URL is not set', 'set it')]
    return [await lookAtRedis(url, OwnTls.of(read).client)]
  } catch (error) {
    return [broken(check, reasonOf(error), 'set it where the engine is started')]
  }
}

async function lookAtRedis(address: string, tls: ClientTls): Promise<Finding> {
  const ask = (at: URL, words: readonly string[]) => talk(at, words, tls)
  let url = new URL(isSentinelUrl(address) ? sentinelsOf(address).sentinels[0]! : address)
  try {
    if (isSentinelUrl(address)) url = await masterOf(address, ask)
    const complaint = complaintOf(await ask(url, ['PING']), '+PONG')
    if (complaint)
      return doubtful(check, `${url.host} answers ${complaint}`, 'check user and password of SVC_REDIS_URL')
    // A replica, a full memory or a user without write permission answers but cannot count; in a cluster another node may own the key.
    const refused = complaintOf(await ask(url, ['SET', 'svc:{doctor}', '1', 'PX', '1000']), '+')
    if (!refused || refused.startsWith('-MOVED')) return evictionOf(url, await ask(url, which_eviction))
    return doubtful(
      check,
      `${url.host} refuses writes: ${refused}`,
      'use a server that accepts writes and a user that may write keys svc:*; until then each engine counts its share',
    )
  } catch (error) {
    return broken(
      check,
      `${url.host}: ${reasonOf(error)}`,
      'start Redis, or set SVC_RATE_LIMIT_BACKEND=memory',
    )
  }
}

const which_eviction = ['CONFIG', 'GET', 'maxmemory*']

/** Where Redis may not be asked, it is taken for well. */
function evictionOf({ host }: URL, answer: string): Finding {
  const words = answer.split('\r\n')
  const settingOf = (name: string) => words[words.indexOf(name) + 2]
  const [limit, policy] = [settingOf('maxmemory'), settingOf('maxmemory-policy')]
  const evicts = words.includes('maxmemory-policy') && limit !== '0' && policy !== 'noeviction'
  return evicts
    ? doubtful(
        check,
        `Redis at ${host} may delete counts of limits and budgets: maxmemory-policy is ${policy}`,
        'set maxmemory-policy to noeviction',
      )
    : well(check, `Redis answers at ${host}`)
}

/** By the first sentinel that answers. */
async function masterOf(
  address: string,
  ask: (at: URL, words: readonly string[]) => Promise<string>,
): Promise<URL> {
  const { name, sentinels, urlAt } = sentinelsOf(address)
  const answers = sentinels.map(async (at) => {
    const answer = await ask(new URL(at), ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])
    const [, host, , port] = answer.split('\r\n').slice(1)
    if (!host || !port || !answer.startsWith('*2'))
      throw new Error(`the sentinel ${new URL(at).host} knows no master ${name}`)
    return new URL(urlAt(host, port))
  })
  return await Promise.any(answers).catch((error: AggregateError) => {
    throw error.errors[0]
  })
}

/** The first error in the answer; undefined if the answer is as expected. */
function complaintOf(answer: string, expected: string): string | undefined {
  const lines = answer.split('\r\n')
  const error = lines.find((line) => line.startsWith('-'))
  if (!error && lines.some((line) => line.startsWith(expected))) return undefined
  return (error ?? 'something that is not Redis').slice(0, 80)
}

/** The answer of Redis to AUTH and one command. */
function talk(url: URL, words: readonly string[], tls: ClientTls): Promise<string> {
  const [host, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 6379)]
  const named = isIP(host) ? {} : { servername: host }
  const socket: Socket =
    url.protocol === 'rediss:' ? connectTls({ host, port, ...named, ...tls() }) : connectPlain({ host, port })
  const auth = [url.username, url.password].filter(Boolean).map(decodeURIComponent)
  const asks = [...(url.password ? [['AUTH', ...auth]] : []), words]
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let answer = ''
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${answer_ms_max / 1000} s`)),
    answer_ms_max,
  )
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the connection was closed without an answer')))
  socket.on('data', (chunk) => {
    answer = (answer + chunk.toString('latin1')).slice(0, 4_096)
    if (repliesIn(answer) >= asks.length) resolve(answer)
  })
  socket.write(asks.map(commandText).join(''))
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

/** How many replies have arrived whole. */
function repliesIn(answer: string): number {
  let at = 0
  const passOne = (): boolean => {
    const end = answer.indexOf('\r\n', at)
    if (end === -1) return false
    const [kind, length] = [answer[at], Number(answer.slice(at + 1, end))]
    at = end + 2
    if (kind === '$' && length >= 0) at += length + 2
    if (kind === '*') for (let i = 0; i < length; i++) if (!passOne()) return false
    return at <= answer.length
  }
  let replies = 0
  while (at < answer.length && passOne()) replies++
  return replies
}

function commandText(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${parts.join('')}`
}
