// The doctor at the cache: the rate-limit backend as it is configured.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { broken, doubtful, type Finding, reasonOf, well } from './finding.ts'
import type { Target } from './target.ts'

const answer_ms_max = 3_000
const check = 'cache'

export async function lookAtCache({ data_dir, read }: Target): Promise<Finding[]> {
  const backend = read('SVC_RATE_LIMIT_BACKEND') ?? (data_dir === undefined ? 'redis' : 'memory')
  if (backend === 'memory')
    return [well(check, 'rate limits are kept in memory: each engine process counts for itself')]
  if (backend !== 'redis') return [broken(check, `there is no backend ${backend}`, 'choose redis or memory')]
  const url = read('SVC_REDIS_URL')
  if (!url) return [broken(check, 'the backend is redis and SVC_REDIS_URL is not set', 'set it')]
  return [await lookAtRedis(url)]
}

async function lookAtRedis(text: string): Promise<Finding> {
  const url = URL.parse(text)
  if (!url || !['redis:', 'rediss:'].includes(url.protocol))
    return broken(check, 'SVC_REDIS_URL is no address of a Redis', 'write redis://host:6379')
  try {
    const answer = await ping(url)
    if (answer.includes('+PONG')) return well(check, `Redis answers at ${url.host}`)
    const said = answer.split('\r\n').find((line) => line.startsWith('-')) ?? 'something that is no Redis'
    return doubtful(
      check,
      `${url.host} answers ${said.slice(0, 80)}`,
      'check user and password of SVC_REDIS_URL',
    )
  } catch (error) {
    return broken(
      check,
      `${url.host}: ${reasonOf(error)}`,
      'start Redis, or set SVC_RATE_LIMIT_BACKEND=memory',
    )
  }
}

/** What a Redis says to AUTH and PING. */
function ping(url: URL): Promise<string> {
  const [host, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 6379)]
  const socket: Socket =
    url.protocol === 'rediss:' ? connectTls({ host, port, servername: host }) : connectPlain({ host, port })
  const auth = [url.username, url.password].filter(Boolean).map(decodeURIComponent)
  const asks = [...(url.password ? [['AUTH', ...auth]] : []), ['PING']]
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let answer = ''
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${answer_ms_max / 1000} s`)),
    answer_ms_max,
  )
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('hung up without an answer')))
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
