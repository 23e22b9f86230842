// Converts a treaty between form fields and the terms in a call.
import type { InputOf } from '@svc/sdk'
import { linesOf } from '../lines-of.ts'
import { momentOf } from '../moment-of.ts'
import type { TreatyBody } from './term-lines.ts'

type Proposal = InputOf<'MOAT', 'propose'>
export type Changes = InputOf<'MOAT', 'propose_amendment'>['changes']
type Scheduled = Proposal['capability_schedule'][number]

export const granted_to = ['counterparty', 'proposer', 'both'] as const
export const limit_fields = ['max_per_hour', 'max_tokens', 'max_per_call_bps', 'weekly_budget_usd'] as const

/** The text of each field; '' if empty. */
export interface GrantDraft extends Readonly<Record<(typeof limit_fields)[number], string>> {
  readonly capability: string
  readonly granted_to: (typeof granted_to)[number]
  /** One per line. */
  readonly caveats: string
}

export interface TermsDraft {
  readonly grants: readonly GrantDraft[]
  readonly per_hour: string
  readonly per_day: string
  readonly rail: string
  readonly currency: string
  readonly clearing_fee_bps: string
  readonly venue: string
  /** UTC, as in a date-time field. */
  readonly expires_at: string
}

export const empty_grant: GrantDraft = {
  capability: '',
  granted_to: 'counterparty',
  caveats: '',
  max_per_hour: '',
  max_tokens: '',
  max_per_call_bps: '',
  weekly_budget_usd: '',
}

export const empty_terms: TermsDraft = {
  grants: [empty_grant],
  per_hour: '',
  per_day: '',
  rail: '',
  currency: '',
  clearing_fee_bps: '',
  venue: '',
  expires_at: '',
}

export function proposalOf(
  counterparty_did: string,
  terms: TermsDraft,
  effective_from: string,
): InputOf<'MOAT', 'propose'> {
  return {
    counterparty_did: counterparty_did.trim(),
    capability_schedule: terms.grants.map(scheduledOf),
    ...(terms.per_hour || terms.per_day ? { rate_limits: rateOf(terms) } : {}),
    ...(terms.rail || terms.currency || terms.clearing_fee_bps
      ? { settlement_terms: settlementOf(terms) }
      : {}),
    ...(terms.venue ? { dispute_clause: { via: 'MOOT', venue: terms.venue.trim() } } : {}),
    ...(effective_from ? { effective_from: momentOf(effective_from) } : {}),
    expires_at: momentOf(terms.expires_at),
  }
}

/** Only changed terms are proposed. */
export function changesOf(before: TermsDraft, after: TermsDraft): Changes {
  const differs = (...fields: (keyof TermsDraft)[]) =>
    fields.some((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
  return {
    ...(differs('grants') ? { capability_schedule: after.grants.map(scheduledOf) } : {}),
    ...(differs('per_hour', 'per_day') ? { rate_limits: rateOf(after) } : {}),
    ...(differs('rail', 'currency', 'clearing_fee_bps') ? { settlement_terms: settlementOf(after) } : {}),
    ...(differs('venue') ? { dispute_clause: { via: 'MOOT', venue: after.venue.trim() } } : {}),
    ...(differs('expires_at') ? { expires_at: momentOf(after.expires_at) } : {}),
  }
}

/** The current terms as form fields, to edit for an amendment. */
export function termsOf(body: TreatyBody, own_tenant: string): TermsDraft {
  const { grants, rate_limits, settlement, dispute_resolution, expires_at } = body
  return {
    grants: grants.map(({ to, capability, caveats = [], limits = {} }) => ({
      capability,
      granted_to: to === own_tenant ? 'proposer' : 'counterparty',
      caveats: caveats.join('\n'),
      max_per_hour: textOf(limits.max_per_hour),
      max_tokens: textOf(limits.max_tokens),
      max_per_call_bps: textOf(limits.max_per_call_bps),
      weekly_budget_usd: textOf(limits.weekly_budget_usd),
    })),
    per_hour: textOf(rate_limits.per_hour),
    per_day: textOf(rate_limits.per_day),
    rail: settlement.rail,
    currency: settlement.currency,
    clearing_fee_bps: textOf(settlement.clearing_fee_bps),
    venue: dispute_resolution.venue,
    expires_at: expires_at.slice(0, 19),
  }
}

function scheduledOf(grant: GrantDraft): Scheduled {
  const { capability, granted_to: side, weekly_budget_usd } = grant
  const caveats = linesOf(grant.caveats)
  const limits = {
    ...numberOf('max_per_hour', grant.max_per_hour),
    ...numberOf('max_tokens', grant.max_tokens),
    ...numberOf('max_per_call_bps', grant.max_per_call_bps),
    ...(weekly_budget_usd ? { weekly_budget_usd } : {}),
  }
  return {
    capability: capability.trim(),
    granted_to: side,
    ...(caveats.length > 0 ? { caveats } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  }
}

function rateOf({ per_hour, per_day }: TermsDraft) {
  return { ...numberOf('per_hour', per_hour), ...numberOf('per_day', per_day) }
}

function settlementOf({ rail, currency, clearing_fee_bps }: TermsDraft) {
  return {
    ...(rail ? { rail } : {}),
    ...(currency ? { currency } : {}),
    ...numberOf('clearing_fee_bps', clearing_fee_bps),
  }
}

function numberOf<Name extends string>(name: Name, text: string): Partial<Record<Name, number>> {
  return text === '' ? {} : ({ [name]: Number(text) } as Record<Name, number>)
}

function textOf(value: number | string | undefined): string {
  return value === undefined ? '' : String(value)
}
