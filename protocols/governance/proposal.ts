// A rule proposed from precedent, and what became of it: never enacted by itself, only followed.
import { contentHash } from '@svc/contract/canonical-json'
import { Closed, ListOf, Period, Ref } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import type { MotionState } from './motion.ts'

export const proposal_states = ['PROPOSED', 'IN_COUNCIL', 'ENACTED', 'REJECTED'] as const
export type ProposalState = (typeof proposal_states)[number]

const Count = Type.Integer({ minimum: 0 })

export const BacktestView = Closed({
  window: Period,
  evaluated: Count,
  undecided: Type.Integer({
    minimum: 0,
    description: 'Requests whose record does not tell what the rules ask for.',
  }),
  would_flip_allow_to_deny: Count,
  would_flip_deny_to_allow: Count,
  agrees_with_pattern_bps: Type.Integer({ minimum: 0, maximum: 10_000 }),
  flips: ListOf(Ref, 0, 20),
  truncated: Type.Boolean({ description: 'The window holds older records than were tried.' }),
})

export interface Proposal {
  readonly proposal_id: string
  readonly pattern_id: string
  readonly policy_id: string
  readonly version: string
  readonly policy_body: string
  /** What the charter must decide on, and what MAXIM author asks a verdict for. */
  readonly digest: string
  readonly target: string
  readonly motion_id: string | null
  readonly backtest: Static<typeof BacktestView>
  readonly proposed_by: string
  readonly proposed_at: string
}

/** The same rule from the same precedent to the same place is one proposal. */
export function proposalId(
  tenant_id: string,
  { pattern_id, digest, target }: Pick<Proposal, 'pattern_id' | 'digest' | 'target'>,
): string {
  return contentHash({ tenant_id, pattern_id, digest, target })
}

/** What is known of it elsewhere. */
export interface Fate {
  readonly is_enacted: boolean
  readonly motion?: { readonly state: MotionState } | undefined
  /** Of that motion. */
  readonly verdict?: { readonly outcome: string; readonly valid_until: string } | undefined
}

export function proposalStateAt({ is_enacted, motion, verdict }: Fate, now: string): ProposalState {
  if (is_enacted) return 'ENACTED'
  // A motion on which no quorum has appeared is no council yet.
  if (!motion || motion.state === 'CONVENED') return 'PROPOSED'
  if (motion.state === 'OPEN') return 'IN_COUNCIL'
  const may_be_enacted = verdict?.outcome === 'PASSED' && Date.parse(verdict.valid_until) > Date.parse(now)
  return may_be_enacted ? 'IN_COUNCIL' : 'REJECTED'
}
