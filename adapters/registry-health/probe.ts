// One GET of a stranger's /health: to a public address that was checked as it is connected to, once, briefly, and hardly read.
import { lookup as systemLookup } from 'node:dns'
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Clock } from '@svc/engine/ports'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

const header_bytes_max = 8 * 1024
const addresses_max = 16

export interface ProbeOptions {
  readonly clock: Clock
  /** Development only: then loopback is let through, plain http included. */
  readonly loopback: boolean
  readonly timeout_ms: number
  /** Tests bring names of their own. */
  readonly lookup?: typeof systemLookup
  /** Tests bring an authority of their own. */
  readonly ca?: string
}

export interface Probed {
  readonly healthy: boolean
  readonly latency_ms: number
  readonly fault?: string
}

/** Never raises: whatever goes wrong is how well the endpoint is. */
export async function probeHealth(url: string, options: ProbeOptions): Promise<Probed> {
  const begun_ms = options.clock.monotonic_ms()
  const fault = await askHealth(url, options).catch((error: NodeJS.ErrnoException) => faultOf(error))
  const latency_ms = Math.max(0, options.clock.monotonic_ms() - begun_ms)
  return fault === undefined ? { healthy: true, latency_ms } : { healthy: false, latency_ms, fault }
}

function askHealth(url: string, options: ProbeOptions): Promise<string | undefined> {
  const address = URL.parse(url)
  const refused = address ? refusedBeforehand(address, options) : 'is no url'
  if (!address || refused !== undefined) return Promise.resolve(refused)
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  const asking = send(address, options)
  const timer = setTimeout(() => asking.destroy(new ProbeError('too slow')), options.timeout_ms)
  asking.on('response', (answer) => {
    const status = answer.statusCode ?? 0
    // Redirects are not followed, and the body is nobody's business.
    resolve(status >= 200 && status < 300 ? undefined : `status ${status}`)
    answer.on('error', () => {})
    asking.destroy()
  })
  asking.on('error', reject)
  asking.on('close', () => reject(new ProbeError('no answer')))
  asking.end()
  return promise.finally(() => {
    clearTimeout(timer)
    asking.destroy()
  })
}

/** A name is judged when it is looked up; an address that is written out never is looked up, so it is judged here. */
function refusedBeforehand({ protocol, hostname }: URL, { loopback }: ProbeOptions): string | undefined {
  const host = bare(hostname)
  if (isIP(host) !== 0 && !mayConnect(host, loopback)) return 'address not allowed'
  if (protocol === 'https:') return undefined
  const is_local = protocol === 'http:' && loopback && isLoopbackAddress(host)
  return is_local ? undefined : 'only https is asked'
}

function send(address: URL, options: ProbeOptions): ClientRequest {
  const wanted: RequestOptions & { ca?: string } = {
    host: bare(address.hostname),
    port: address.port === '' ? undefined : Number(address.port),
    path: healthPath(address),
    method: 'GET',
    headers: { 'user-agent': 'svc-engine', accept: 'application/json', connection: 'close' },
    // No pool: a kept connection would be one whose address nobody checked for this request.
    agent: false,
    maxHeaderSize: header_bytes_max,
    lookup: checkedLookup(options),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  }
  const asking = address.protocol === 'https:' ? httpsRequest(wanted) : httpRequest(wanted)
  asking.on('socket', (socket) => {
    socket.once('connect', () => {
      if (!mayConnect(socket.remoteAddress ?? '', options.loopback))
        asking.destroy(new ProbeError('address not allowed'))
    })
  })
  return asking
}

/** What is connected to is what was checked: the answer that was judged is the one handed on. */
function checkedLookup({ loopback, lookup = systemLookup }: ProbeOptions): LookupFunction {
  return (hostname, { all }, done) => {
    lookup(hostname, { all: true, order: 'verbatim' }, (error, found) => {
      const allowed = error
        ? []
        : found.filter(({ address }) => mayConnect(address, loopback)).slice(0, addresses_max)
      const [first] = allowed
      // Where one of several answers points inside, the name is not an honest one.
      if (error || !first || allowed.length < Math.min(found.length, addresses_max)) {
        done(error ?? new ProbeError('address not allowed'), '', 0)
      } else if (all) done(null, allowed)
      else done(null, first.address, first.family)
    })
  }
}

function mayConnect(address: string, loopback: boolean): boolean {
  return isPublicAddress(address) || (loopback && isLoopbackAddress(address))
}

function healthPath({ pathname }: URL): string {
  return `${pathname.replace(/\/$/, '')}/health`
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

class ProbeError extends Error {}

/** Our own words, or the code of the system; never what a stranger wrote. */
function faultOf(error: NodeJS.ErrnoException): string {
  return error instanceof ProbeError ? error.message : (error.code ?? 'failed')
}
