// Throttles a department without stopping it: a list of rules, replaced as a whole.
import { factor_bps_whole, factorFor, match_all } from '@svc/contract/authority/throttle'
import type { Throttle } from '@svc/contract/money/books'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { CapabilityName, Closed, described, ListOf, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { tellBooks } from '../ledger/api.ts'
import { findEnvelope, lockEnvelopes, replaceThrottles } from './envelope-store.ts'

const rules_max = 64
const max_wildcard = 'svc.max.*'

export const ThrottleInput = Closed({
  envelope_id: described(Uuid, 'Envelope whose members are slowed down.'),
  rules: described(
    ListOf(
      Closed({
        match: Type.Union([CapabilityName, Type.Literal(match_all)], {
          description: 'A capability, the wildcard of a protocol, or * for all.',
        }),
        factor: Type.Number({ minimum: 0, maximum: 1, description: '0 stops it, 1 leaves it as it is.' }),
      }),
      0,
      rules_max,
    ),
    'Replaces all rules before; empty lifts the throttle.',
  ),
})
type ThrottleInput = Static<typeof ThrottleInput>

/** Throttling must not stop: only 0 itself becomes 0. */
export function bpsOf(factor: number): number {
  return factor === 0 ? 0 : Math.max(1, Math.round(factor * factor_bps_whole))
}

export async function setThrottle(
  { envelope_id, rules: wished }: ThrottleInput,
  context: OperationContext<'charter' | 'served'>,
) {
  const { db, tenant_id, caller, now } = context
  await lockEnvelopes(db, tenant_id)
  const envelope = await findEnvelope(db, tenant_id, envelope_id)
  if (!envelope) throw notFound('envelope', envelope_id)
  if (envelope.allocated_by !== caller.did && !(await context.charter.has(caller.did))) {
    throw refuse(
      'policy_denied',
      `Only who allocated ${envelope.department} its envelope or a charter member may throttle it; ask one of them.`,
      { reason: 'not the envelope authority or a charter member' },
    )
  }
  if (envelope.state === 'CLOSED') {
    throw refuse('policy_denied', `Envelope ${envelope_id} is closed, so nothing runs under it any more.`, {
      reason: 'envelope is CLOSED; throttle needs ACTIVE',
    })
  }
  const rules = wished.map(({ match, factor }): Throttle => ({ match, factor_bps: bpsOf(factor) }))
  const throttle_id = context.newId()
  await replaceThrottles(db, tenant_id, {
    throttle_id,
    envelope_id,
    rules,
    set_by: caller.did,
    in_force_from: new Date(now),
  })
  await tellBooks(db, tenant_id)
  context.audit('ThrottleSet', { throttle_id, envelope_id, department: envelope.department, rules })
  return {
    throttle_id,
    rules,
    in_force_from: now,
    effective: effectiveOf(rules, context),
    ignored_for: factorFor(rules, max_wildcard) < factor_bps_whole ? ['MAX reads'] : [],
  }
}

/** For each matched name, its remaining rate; with figures if it is one protocol. */
function effectiveOf(rules: readonly Throttle[], context: OperationContext<'served'>) {
  const names = [...new Set(rules.map(({ match }) => match))].sort()
  return names.map((match) => {
    const factor_bps = factorFor(rules, match)
    const protocol = match.split('.')[1]?.toUpperCase()
    const bucket = protocol === undefined ? undefined : context.served.bucketOf(protocol)
    if (!protocol || !bucket) return { match, factor_bps }
    const left = (whole: number) => (whole * factor_bps) / factor_bps_whole
    return { match, factor_bps, protocol, capacity: left(bucket.capacity), refill: left(bucket.refill_per_s) }
  })
}
