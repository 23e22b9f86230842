// What an engine did for another, in its operator's audit log. The tenant's own record is written by the calling engine.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { HeldCapability } from '@svc/contract/authority/capability'
import type { Tier } from '@svc/contract/authority/tier'
import type { InvokeContext, TraceContext } from '@svc/contract/invoke-context'
import type { Refusal } from '@svc/contract/refusal'
import type { Call, Done } from '../call.ts'
import type { Ports } from '../ports.ts'
import type { Registry } from './routing.ts'

/** What the route passes in: signed by a trusted engine, and well formed. */
export interface Invocation {
  readonly engine_did: string
  readonly protocol: string
  /** Undefined for the best stable one. */
  readonly version: string | undefined
  readonly operation: string
  readonly payload: unknown
  readonly context: InvokeContext
  /** What the caller may do, as the calling engine knows it. */
  readonly held: readonly HeldCapability[]
  /** Its depth in nested calls, over all engines. */
  readonly depth: number
  /** Limits of plugins on the way here, over all engines. */
  readonly ceilings?: readonly (readonly string[])[] | undefined
  readonly idempotency_key: string | undefined
  readonly trace_context: TraceContext | undefined
  readonly payload_bytes: number
  readonly signal: AbortSignal
}

/** What an engine needs to serve others, besides its ports. */
export interface Serving {
  /** What runs in this process, whatever is registered to run elsewhere. */
  readonly registry: Registry
  /** The tenant whose audit log says which engine was served what. */
  readonly operator_tenant_id: string
  /** Undefined where there is no such tenant. A value rather than a promise where it is known. */
  tierOf(tenant_id: string): Tier | undefined | Promise<Tier | undefined>
}

const cause_length_max = 200

export function recordServed(
  invocation: Invocation,
  { operator_tenant_id }: Serving,
  ports: Ports,
  begun_ms: number,
  call: Call | Done | undefined,
  refusal?: Refusal,
): void {
  const { engine_did, context, protocol, operation } = invocation
  const { correlation_id, tenant_id: tenant } = context
  const latency_ms = Math.round((ports.clock.monotonic_ms() - begun_ms) * 1000) / 1000
  if (refusal?.code === 'internal')
    ports.log.error({ err: refusal.cause, correlation_id }, 'serving another engine failed')
  const protocol_id = call?.registered?.facts.id ?? protocol
  const outcome = refusal?.row.outcome ?? 'success'
  ports.audit_log.record({
    id: call?.record_id ?? ports.clock.uuid(),
    event_type: refusal?.row.event ?? 'AuthorizationCheck',
    correlation_id,
    timestamp: call?.timestamp ?? new Date(ports.clock.now_ms()).toISOString(),
    tenant_id: operator_tenant_id,
    caller_did: engine_did,
    protocol: protocol_id,
    operation,
    outcome,
    latency_ms,
    meta: {
      origin: 'invoke',
      engine: engine_did,
      tenant,
      protocol: protocol_id,
      operation,
      correlation_id,
      version: call?.registered?.version,
      endpoint: call?.endpoint?.id,
      replayed: (call && 'replayed' in call && call.replayed) || undefined,
      ...(refusal && refusalMeta(refusal, call)),
    },
  } satisfies AuditEntry)
  const labels = call?.operation ? [protocol_id, operation] : ['unknown', 'unknown']
  const code = refusal?.code ?? 'ok'
  ports.meters.dispatched(labels[0]!, labels[1]!, outcome, code, latency_ms, operator_tenant_id)
}

function refusalMeta({ code, details, cause, is_foreign }: Refusal, call: Call | undefined) {
  const words =
    cause instanceof Error ? `${cause.name}: ${cause.message}`.slice(0, cause_length_max) : undefined
  return {
    code,
    reason: is_foreign ? code : (details.reason ?? code),
    retry_after_ms: details.retry_after_ms,
    stage: call?.stage,
    supplied: words === undefined ? undefined : { cause: words },
  }
}
