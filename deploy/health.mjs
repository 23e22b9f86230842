// Run by the container's HEALTHCHECK: exits with 0 if the program of this container is healthy. The address may be given.
import { readdirSync, readFileSync } from 'node:fs'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'

const answer_ms_max = 4_000
const own_files = [process.env.SVC_TLS_CERT, process.env.SVC_TLS_KEY]
/** Where each program listens by default, and the path that tells of itself: the console passes /health on to its engine. */
const programs = {
  up: { place: '127.0.0.1:8080', path: '/health' },
  serve: { place: '127.0.0.1:8080', path: '/health' },
  gateway: { place: '127.0.0.1:443', path: '/health' },
  console: { place: '127.0.0.1:3000', path: '/' },
  node: { place: '127.0.0.1:8090', path: '/health' },
}

function end(code, sentence) {
  if (sentence) console.error(sentence)
  process.exit(code)
}

/** The arguments of the oldest svc-engine here; process 1 may be an init. */
function argumentsOfEngine() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  for (const pid of pids.sort((a, b) => a - b)) {
    const args = commandLine(pid)
    const place = args.findIndex((arg) => /(^|\/)(svc-engine|service\/main\.[jt]s)$/.test(arg))
    if (place >= 0 && args[place + 1] in programs) return args.slice(place + 1)
  }
  return end(1, 'No svc-engine runs in this container.')
}

/** Empty for a process that ended meanwhile, or of another user. */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** It listens where its arguments say, or its environment, which is also that of this check. */
function ownUrl() {
  const [name, ...args] = argumentsOfEngine()
  const { place, path } = programs[name]
  // A program with a certificate listens with TLS, except the development one.
  const is_tls = name !== 'up' && own_files.every(Boolean) && !process.env.SVC_GATEWAY_PLAIN
  const url = new URL(
    path,
    `${is_tls ? 'https' : 'http'}://${(name !== 'up' && process.env.APP_BIND_ADDR) || place}`,
  )
  const optionValue = (option) => (args.includes(option) ? args[args.indexOf(option) + 1] : undefined)
  url.hostname = optionValue('--host') ?? url.hostname
  url.port = optionValue('--port') ?? url.port
  // Whoever listens on all addresses also listens on this one.
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return url
}

const url = new URL(process.argv[2] ?? ownUrl())
const get = url.protocol === 'https:' ? getHttps : getHttp
// It asks on its own machine, so there is no certificate to verify; the own one is shown where it is demanded.
const [cert, key] =
  url.protocol === 'https:' && own_files.every(Boolean) ? own_files.map((file) => readFileSync(file)) : []
const request = get(url, { cert, key, rejectUnauthorized: false, timeout: answer_ms_max }, ({ statusCode }) =>
  end(statusCode === 200 ? 0 : 1, statusCode === 200 ? '' : `${url} answered ${statusCode}`),
)
request.on('timeout', () => end(1, `${url} did not answer within ${answer_ms_max} ms`))
request.on('error', (error) => end(1, `${url}: ${error.message}`))
