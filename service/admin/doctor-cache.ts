// Doctor check of the configured rate-limit backend.
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
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
    return [await lookAtRedis(new URL(url))]
  } catch (error) {
    return [broken(check, reasonOf(error), 'set it where the engine is started')]
  }
}

async function lookAtRedis(url: URL): Promise<Finding> {
  try {
    const complaint = complaintOf(await talk(url, ['PING']), '+PONG')
    if (complaint)
      return doubtful(check, `${url.host} answers ${complaint}`, 'check user and password of SVC_REDIS_URL')
    // A replica, a full memory or a user without write permission answers but cannot count; in a cluster another node may own the key.
    const refused = complaintOf(await talk(url, ['SET', 'svc:{doctor}', '1', 'PX', '1000']), '+')
    if (!refused || refused.startsWith('-MOVED')) return well(check, `Redis answers at ${url.host}`)
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

/** The first error in the answer; undefined if the answer is as expected. */
function complaintOf(answer: string, expected: string): string | undefined {
  const lines = answer.split('\r\n')
  const error = lines.find((line) => line.startsWith('-'))
  if (!error && lines.some((line) => line.startsWith(expected))) return undefined
  return (error ?? 'something that is not Redis').slice(0, 80)
}

/** The answer of Redis to AUTH and one command. */
function talk(url: URL, words: readonly string[]): Promise<string> {
  const [host, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 6379)]
  const named = isIP(host) ? {} : { servername: host }
  const socket: Socket =
    url.protocol === 'rediss:' ? connectTls({ host, port, ...named }) : connectPlain({ host, port })
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
    if (answer.split('\r\n').length > asks.length) resolve(answer)
  })
  socket.write(asks.map(commandText).join(''))
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

function commandText(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${parts.join('')}`
}
