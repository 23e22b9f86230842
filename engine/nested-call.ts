// One operation calling another: the same caller, the same correlation id, one level deeper, through all eight stages.
import { canonicalJson } from '@svc/contract/canonical-json'
import { refuse } from '@svc/contract/refusal'
import type { Asked, Placed } from './call.ts'

const call_depth_max = 8

interface Wanted {
  readonly protocol: string
  readonly operation: string
  readonly input: unknown
  /** Whoever asks has no more than these, whatever the caller has. */
  readonly only?: readonly string[] | undefined
}

export function nestedCall(outer: Placed, wanted: Wanted, signal: AbortSignal): Asked {
  const { asked, correlation_id, context } = outer
  const depth = (asked.within?.depth ?? 0) + 1
  if (depth > call_depth_max) {
    throw refuse(
      'policy_denied',
      `Operations may call each other ${call_depth_max} levels deep; this goes deeper.`,
      { reason: 'call depth exceeded' },
    )
  }
  const { protocol, operation, input, only } = wanted
  const ceilings = [...(asked.within?.ceilings ?? []), ...(only ? [only] : [])]
  const { tenant_id } = context
  return {
    request: { protocol, version: 'v1', operation, input: asJson(input), tenant_id },
    credential: asked.credential,
    identity: asked.identity,
    origin: asked.origin,
    trace_context: asked.trace_context,
    signal,
    within: { correlation_id, depth, ...(ceilings.length ? { ceilings } : {}) },
  }
}

/** What passes from one operation to another is JSON, as it would be over the wire, and nobody's but the receiver's. */
function asJson(input: unknown): unknown {
  return JSON.parse(canonicalJson(input))
}
