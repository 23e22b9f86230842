// An envelope: what a department may spend and do. Its state follows from its rows, holds and spending.

import { covers, type HeldCapability, isOwn } from '@svc/contract/authority/capability'
import { parseDid } from '@svc/contract/identity/did'
import type { Hold } from '@svc/contract/money/books'
import { Usd, usdOf } from '@svc/contract/money/money'
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, OneOf, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

export const members_max = 256
export const envelope_states = ['ACTIVE', 'HELD', 'EXHAUSTED', 'CLOSED'] as const
export const EnvelopeState = described(
  OneOf(...envelope_states),
  'EXHAUSTED: a limit is reached until its day or month ends. HELD: frozen. CLOSED: for good.',
)
export type EnvelopeState = (typeof envelope_states)[number]

export const Department = Type.String({
  pattern: '^[a-z0-9-]{1,64}$',
  description: 'A part of the organization.',
})

export const EnvelopeInput = Closed({
  department: Department,
  max_per_month_usd: described(Usd, 'What its members may spend together in a calendar month, UTC.'),
  max_per_day_usd: described(Usd, "What its members may spend together in a UTC day; at most the month's."),
  members: Type.Optional(
    described(
      ListOf(Did, 0, members_max),
      'Identities whose calls are charged to it; default: as before, or none.',
    ),
  ),
  envelope_id: Type.Optional(
    described(Uuid, 'Envelope to change or close; absent: a new one, where the department has none.'),
  ),
  close: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Closes the envelope for good; it no longer limits its members.',
    }),
  ),
})
export type EnvelopeInput = Static<typeof EnvelopeInput>

export interface Limits {
  readonly day_limit_micro_usd: bigint
  readonly month_limit_micro_usd: bigint
}

export function limitsOf({ max_per_day_usd, max_per_month_usd }: EnvelopeInput): Limits {
  const day_limit_micro_usd = requireUsd(max_per_day_usd, 'max_per_day_usd')
  const month_limit_micro_usd = requireUsd(max_per_month_usd, 'max_per_month_usd')
  if (day_limit_micro_usd > month_limit_micro_usd) {
    throw refuse('invalid_payload', 'A day may not hold more than its month; lower max_per_day_usd.', {
      reason: 'day limit above month limit',
      faults: [{ pointer: '/envelope/max_per_day_usd', message: 'is more than max_per_month_usd' }],
    })
  }
  return { day_limit_micro_usd, month_limit_micro_usd }
}

function requireUsd(amount: string | number, field: string): bigint {
  const micro_usd = usdOf(amount)
  if (micro_usd !== undefined) return micro_usd
  throw refuse('invalid_payload', `${field} has more than six decimal places; name whole millionths.`, {
    reason: 'not an amount in USD',
    faults: [{ pointer: `/envelope/${field}`, message: 'has more than six decimal places' }],
  })
}

/** Departments belong to one organization: rights of others come from treaties. */
export function requireOwnMembers(members: readonly string[], tenant_id: string): readonly string[] {
  const foreign = members.findIndex((did) => parseDid(did)?.namespace !== tenant_id)
  if (foreign >= 0) {
    throw refuse(
      'policy_denied',
      `Member ${foreign + 1} of the list belongs to another organization; name only identities of ${tenant_id}.`,
      { reason: 'member of another tenant', member: members[foreign] },
    )
  }
  return [...new Set(members)].sort()
}

/** Grants are unconditional, so the tenant must hold them so; delegated capabilities do not count. */
export function requireHeld(
  requested: readonly string[],
  capabilities: readonly HeldCapability[],
): readonly string[] {
  const whole = capabilities.filter(
    (grant) =>
      isOwn(grant) &&
      grant.caveats.length === 0 &&
      Object.keys(grant.limits ?? {}).length === 0 &&
      grant.expires_at === undefined,
  )
  for (const capability of requested) {
    if (whole.some(({ name }) => covers(name, capability))) continue
    throw refuse(
      'policy_denied',
      `The tenant does not itself hold ${capability} without caveats, limits or end, so it cannot grant it; leave it out.`,
      { reason: 'capability amplification', requested_capability: capability },
    )
  }
  return [...new Set(requested)].sort()
}

export function isHeldAt(holds: readonly Hold[], envelope_id: string, now_ms: number): boolean {
  return holds.some(
    ({ scope, until_ms }) => until_ms > now_ms && (scope === 'tenant' || scope === `envelope:${envelope_id}`),
  )
}

/** What blocks its members now; EXHAUSTED ends with the day or the month. */
export function stateAt(
  state: 'ACTIVE' | 'CLOSED',
  limits: Limits,
  { is_held, day, month }: { is_held: boolean; day: BudgetCounterState; month: BudgetCounterState },
): EnvelopeState {
  if (state === 'CLOSED') return 'CLOSED'
  if (is_held) return 'HELD'
  const is_spent =
    day.spent_micro_usd >= limits.day_limit_micro_usd || month.spent_micro_usd >= limits.month_limit_micro_usd
  return is_spent ? 'EXHAUSTED' : 'ACTIVE'
}
