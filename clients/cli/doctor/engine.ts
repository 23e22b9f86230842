// svc doctor's checks of the connection to the engine, and of the engine without credentials.
import { lookup } from 'node:dns/promises'
import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Settings } from '@svc/sdk/settings'
import type { Terminal } from '../command.ts'
import { exitCodeOf } from '../exit.ts'
import { askJson } from '../login/ask-json.ts'
import { wallClockMs } from '../wall-clock.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const connect_ms_max = 5_000
const clock_ms_max = 30_000
const certificate_ms_min = 14 * 86_400_000
const day_ms = 86_400_000
const upstream = 6

/** Each step needs the previous one, so the first failure ends them. */
export async function* checkWay({ api_url }: Settings): AsyncGenerator<Finding> {
  const { hostname, port, protocol } = new URL(api_url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const is_secure = protocol === 'https:'
  const at = { host, port: Number(port) || (is_secure ? 443 : 80) }
  const steps = [() => checkName(host), () => checkTcp(at), ...(is_secure ? [() => checkTls(at)] : [])]
  for (const step of steps) {
    const finding = await step()
    yield finding
    if (finding.status === 'fail') return
  }
}

async function checkName(host: string): Promise<Finding> {
  if (isIP(host)) return ok('dns', `${host} is an address`)
  try {
    const { address } = await lookup(host)
    return ok('dns', `${host} is ${address}`)
  } catch (error) {
    return fail(
      'dns',
      `${host} cannot be resolved (${codeOf(error)})`,
      'check the name in api_url, and your network.',
      upstream,
    )
  }
}

interface At {
  readonly host: string
  readonly port: number
}

async function checkTcp(at: At): Promise<Finding> {
  const place = `${at.host} port ${at.port}`
  try {
    await new Promise<void>((resolve, reject) => {
      const socket = connectTcp({ ...at, timeout: connect_ms_max })
      socket.once('connect', () => resolve(void socket.destroy()))
      socket.once('timeout', () => socket.destroy(new Error('no answer')))
      socket.once('error', reject)
    })
    return ok('tcp', `${place} takes connections`)
  } catch (error) {
    const todo = 'check that the engine runs there, and that no firewall blocks it.'
    return fail('tcp', `${place} refuses connections (${codeOf(error)})`, todo, upstream)
  }
}

async function checkTls(at: At): Promise<Finding> {
  try {
    const ends_ms = await certificateEnd(at)
    const days = Math.floor((ends_ms - wallClockMs()) / day_ms)
    if (ends_ms - wallClockMs() > certificate_ms_min)
      return ok('tls', `the certificate is valid for ${days} days`)
    return warn(
      'tls',
      `the certificate expires in ${days} days`,
      'ask the operator of the engine to renew it.',
    )
  } catch (error) {
    const todo = 'if you use your own authority, set SVC_TLS_CA (or NODE_EXTRA_CA_CERTS) to its PEM file.'
    return fail('tls', `the certificate is not trusted (${codeOf(error)})`, todo, upstream)
  }
}

function certificateEnd(at: At): Promise<number> {
  return new Promise((resolve, reject) => {
    const named = isIP(at.host) ? {} : { servername: at.host }
    const socket: TLSSocket = connectTls({ ...at, ...named, timeout: connect_ms_max }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to))
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy(new Error('no answer')))
    socket.once('error', reject)
  })
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}

/** Health, clock and versions come from one answer. */
export async function* checkEngine(
  { api_url }: Settings,
  { fetch, signal }: Terminal,
  client_version: string,
): AsyncGenerator<Finding> {
  const begun_ms = wallClockMs()
  const health = await askJson(`${api_url}/health`, { fetch, signal })
  const middle_ms = (begun_ms + wallClockMs()) / 2
  const { status, version } = (health.body ?? {}) as { status?: unknown; version?: unknown }
  if (typeof status !== 'string' || typeof version !== 'string') {
    const message = `${api_url}/health answered ${health.status}, but not like an engine`
    yield fail('health', message, 'check api_url; a proxy may have answered.', upstream)
    return
  }
  yield health.status === 200
    ? ok('health', status)
    : fail('health', `the engine is ${status}`, 'wait until it is back, or use another replica.', upstream)
  yield checkClock(health.headers.get('date'), middle_ms)
  yield checkVersions(client_version, version)
  yield* checkReady(api_url, fetch, signal)
}

export function checkClock(date: string | null, now_ms: number): Finding {
  const there_ms = Date.parse(date ?? '')
  if (Number.isNaN(there_ms)) return ok('clock', 'the answer carries no date to compare with')
  const apart_ms = now_ms - there_ms
  const seconds = Math.round(Math.abs(apart_ms) / 1000)
  if (Math.abs(apart_ms) <= clock_ms_max) return ok('clock', `${seconds} s apart from the engine`)
  const way = apart_ms > 0 ? 'ahead of' : 'behind'
  const todo = 'set the clock of this machine, or tell the operator of the engine.'
  return warn('clock', `this machine is ${seconds} s ${way} the engine`, todo)
}

export function checkVersions(client: string, engine: string): Finding {
  const versions = `svc ${client}, engine ${engine}`
  const lineOf = (version: string) => version.split('.').slice(0, 2).join('.')
  return lineOf(client) === lineOf(engine)
    ? ok('versions', versions)
    : warn('versions', versions, 'upgrade the older of the two.')
}

async function* checkReady(
  api_url: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { status, body } = await askJson(`${api_url}/ready`, { fetch, signal })
  const { checks, audit } = (body ?? {}) as { checks?: unknown; audit?: { state?: unknown } }
  if (typeof checks !== 'object' || checks === null) {
    yield fail('ready', `/ready answered ${status} and names no checks`, 'check api_url.', upstream)
    return
  }
  for (const [name, is_well] of Object.entries(checks))
    yield is_well === true
      ? ok(`ready ${name}`, 'yes')
      : fail(
          `ready ${name}`,
          'no',
          `tell the operator of the engine that its ${name} is unhealthy.`,
          upstream,
        )
  // A gateway has no audit log.
  if (audit?.state === undefined) return
  yield audit.state === 'normal'
    ? ok('audit log', 'normal')
    : warn(
        'audit log',
        String(audit.state),
        'tell the operator of the engine; in overflow, writes are refused.',
      )
}

/** An error as a finding. */
export function faultOf(check: string, error: unknown, todo: string): Finding {
  const message = error instanceof Error ? error.message : String(error)
  return fail(check, message, todo, exitCodeOf(error))
}
