// The start of every call, whatever its surface: its ids, its time, and whether it is still admitted.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Asked, Call } from './call.ts'
import type { Ports } from './ports.ts'
import { untimed } from './tracing.ts'

let last_stamp = { ms: Number.NaN, text: '' }

/** Many calls share a millisecond; its text is made once. */
function timestampOf(now_ms: number): string {
  if (now_ms !== last_stamp.ms) last_stamp = { ms: now_ms, text: new Date(now_ms).toISOString() }
  return last_stamp.text
}

export function beginCall(incoming: Asked, ports: Ports): Call {
  const now_ms = ports.clock.now_ms()
  const call: Call = {
    asked: incoming,
    record_id: ports.clock.uuid(),
    correlation_id: incoming.within?.correlation_id ?? incoming.correlation_id ?? ports.clock.uuid(),
    timestamp: timestampOf(now_ms),
    now_ms,
    started_ms: ports.clock.monotonic_ms(),
    stage: 0,
    ended_ms: untimed(),
    trace: undefined,
    caller: undefined,
    registered: undefined,
    operation: undefined,
    allowance: undefined,
    grant: undefined,
    takes: undefined,
    envelope_id: undefined,
    endpoint: undefined,
  }
  call.trace = ports.tracer?.begin(call)
  return call
}

/** Its organization, and the one it calls. */
export function tenantsOf({ credential, request }: Pick<Asked, 'credential' | 'request'>): readonly string[] {
  const { tenant_id } = credential
  return request.tenant_id === tenant_id ? [tenant_id] : [tenant_id, request.tenant_id]
}

/** A promise only where the cache is not trusted: this runs before every call. */
export function requireHome(tenant_ids: readonly string[], { homes }: Ports): void | Promise<void> {
  if (!homes) return
  const refusals = tenant_ids.map((tenant_id) => homes.refusal(tenant_id))
  if (refusals.some((refusal) => refusal instanceof Promise))
    return Promise.all(refusals).then((all) => throwFirst(all))
  throwFirst(refusals as (Refusal | undefined)[])
}

function throwFirst(refusals: readonly (Refusal | undefined)[]): void {
  for (const refusal of refusals) if (refusal) throw refusal
}

export function refuseWhileDraining(): Refusal {
  return refuse(
    'draining',
    'This engine is shutting down and takes no new calls; send it to another replica.',
    { reason: 'draining', retry_after_ms: 1000 },
  )
}
