// A dispute and its states. No I/O: handlers and the sweeper use the same code.

export const case_states = [
  'FILED',
  'PLEADED',
  'DEFAULTED',
  'HEARD',
  'RULED',
  'APPEALED',
  'REMEDIED',
  'CLOSED',
  'SETTLED',
  'WITHDRAWN',
  'DISMISSED',
] as const
export type CaseState = (typeof case_states)[number]

export const case_sides = ['claimant', 'respondent'] as const
export type CaseSide = (typeof case_sides)[number]

/** From the least to the most binding. */
export const remedy_kinds = [
  'declaratory',
  'restore_capability',
  'specific_performance',
  'reverse_settlement',
  'terminate_treaty',
  'pay',
] as const
export type RemedyKind = (typeof remedy_kinds)[number]

export interface Remedy {
  readonly kind: RemedyKind
  readonly micro_usd: bigint | null
  /** What it applies to. */
  readonly target: string | null
}

export interface CaseParty {
  readonly tenant_id: string
  readonly did: string
}

export interface EvidenceCheck {
  readonly ref: string
  readonly found: boolean
  readonly hash_ok: boolean
  readonly signature_ok: boolean
}

export interface Case {
  readonly case_id: string
  readonly claimant: CaseParty
  readonly respondent: CaseParty
  readonly venue: string
  /** The side that filed; for an appeal either side. The other side answers. */
  readonly filed_by: CaseSide
  readonly claim: string
  readonly evidence: readonly EvidenceCheck[]
  /** Requests whose records are replayed. */
  readonly correlations: readonly string[]
  /** Disputed contracts between the two, paused while the case is open. */
  readonly contracts: readonly string[]
  readonly requested: Remedy
  /** What the filing side owes the other if its lost case is found frivolous. */
  readonly fee_micro_usd: bigint
  readonly treaty_id: string | null
  readonly appeal_of: string | null
  /** Empty until it is drawn. */
  readonly panel: readonly string[]
  readonly state: CaseState
  readonly filed_at: Date
  /** When the other side was served: the case is in one of its mailboxes, or it has read it. Without it there is no default. */
  readonly served_at: Date | null
  /** Deadline to answer; counted again from the day of service. */
  readonly plead_by: Date
  readonly answered_at: Date | null
  /** Deadline for votes; null before the first hearing. */
  readonly rule_by: Date | null
  readonly appeal_until: Date | null
  /** When the last step was done. */
  readonly closed_at: Date | null
}

export const plead_ms = 7 * 86_400_000
export const rule_ms = 14 * 86_400_000
export const appeal_ms = 14 * 86_400_000
export const pleadings_per_side_max = 5

export function otherCaseSide(side: CaseSide): CaseSide {
  return side === 'claimant' ? 'respondent' : 'claimant'
}

/** Tenants concerned by the ruling, its notice and its remedy, without duplicates. */
export function tenantsOf({ claimant, respondent, venue }: Case): string[] {
  return [...new Set([claimant.tenant_id, respondent.tenant_id, venue])]
}

/** What is due: counting votes, or executing the decision and resuming paused contracts. */
type Due = 'decision' | 'finish'

export interface AdvancedCase {
  readonly state: CaseState
  readonly due: Due | null
  /** When the next transition is due; null if there is none. */
  readonly next_at: Date | null
}

const over: ReadonlySet<CaseState> = new Set(['SETTLED', 'WITHDRAWN', 'DISMISSED', 'CLOSED', 'REMEDIED'])

/** The result does not depend on how late or often this is called. */
export function advanceCase(dispute: Case, now: Date): AdvancedCase {
  const { state, served_at, plead_by, rule_by, appeal_until, closed_at, filed_at } = dispute
  if (closed_at !== null) return { state, due: null, next_at: null }
  if (state === 'FILED' && served_at === null) return { state, due: null, next_at: null }
  if (state === 'FILED')
    return plead_by <= now
      ? { state: 'DEFAULTED', due: null, next_at: null }
      : { state, due: null, next_at: plead_by }
  if (state === 'HEARD') return awaiting(state, 'decision', rule_by, now)
  if (state === 'RULED') return awaiting(state, 'finish', appeal_until, now)
  // Ended but not closed: the engine still has steps to do.
  if (over.has(state)) return awaiting(state, 'finish', filed_at, now)
  return { state, due: null, next_at: null }
}

function awaiting(state: CaseState, due: Due, at: Date | null, now: Date): AdvancedCase {
  return { state, due: at !== null && at <= now ? due : null, next_at: at }
}
