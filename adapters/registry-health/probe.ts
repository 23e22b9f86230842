// One GET of a foreign /health: to a checked public address, once, briefly, and without reading the body.
import type { Clock } from '@svc/engine/ports'
import { addressGuard, loopback_networks, type Names } from '../outbound/address-guard.ts'
import { type OutboundError, openOutbound } from '../outbound/outbound.ts'

const public_only = addressGuard([])
const with_loopback = addressGuard(loopback_networks)

export interface ProbeOptions {
  readonly clock: Clock
  /** Development only: allows loopback, including plain http. */
  readonly loopback: boolean
  readonly timeout_ms: number
  /** Tests bring their own names. */
  readonly lookup?: Names
  /** Tests bring their own authority. */
  readonly ca?: string
}

export interface Probed {
  readonly healthy: boolean
  readonly latency_ms: number
  readonly fault?: string
}

/** Never throws: every failure means unhealthy. */
export async function probeHealth(url: string, options: ProbeOptions): Promise<Probed> {
  const begun_ms = options.clock.monotonic_ms()
  const fault = await askHealth(url, options)
  const latency_ms = Math.max(0, options.clock.monotonic_ms() - begun_ms)
  return fault === undefined ? { healthy: true, latency_ms } : { healthy: false, latency_ms, fault }
}

async function askHealth(url: string, options: ProbeOptions): Promise<string | undefined> {
  const { loopback, timeout_ms, lookup, ca } = options
  const guard = loopback ? with_loopback : public_only
  const outbound = openOutbound(url, { guard, lookup, ca, once: true })
  try {
    const headers = { connection: 'close' }
    const request = { method: 'GET', path: '/health', headers, timeout_ms, answer_bytes_max: 0 } as const
    const { status } = await outbound.send(request)
    return status >= 200 && status < 300 ? undefined : `status ${status}`
  } catch (error) {
    return (error as OutboundError).fault
  } finally {
    outbound.close()
  }
}
