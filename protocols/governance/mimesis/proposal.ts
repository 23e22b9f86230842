// A rule proposed from precedent, and what became of it: never enacted by itself, only followed.

import { Closed, ListOf, Period, Ref } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import type { MotionState } from '../motions/api.ts'

export const proposal_states = ['PROPOSED', 'IN_COUNCIL', 'ENACTED', 'REJECTED'] as const
export type ProposalState = (typeof proposal_states)[number]

const Count = Type.Integer({ minimum: 0 })

export const BacktestView = Closed({
  window: Period,
  evaluated: Count,
  undecided: Type.Integer({
    minimum: 0,
    description: 'Requests whose record lacks facts that the policies need.',
  }),
  would_flip_allow_to_deny: Count,
  would_flip_deny_to_allow: Count,
  agrees_with_pattern_bps: Type.Integer({ minimum: 0, maximum: 10_000 }),
  flips: ListOf(Ref, 0, 20),
  truncated: Type.Boolean({ description: 'The window contains older records that were not tested.' }),
})

export interface Proposal {
  readonly proposal_id: string
  readonly pattern_id: string
  readonly policy_id: string
  readonly version: string
  readonly policy_body: string
  /** Part of what is decided on, so it must lie behind the end of the council. */
  readonly active_from: string
  /** What the charter must decide on, and what MAXIM author asks a verdict for. */
  readonly digest: string
  readonly target: string
  readonly motion_id: string | null
  readonly backtest: Static<typeof BacktestView>
  readonly proposed_by: string
  readonly proposed_at: string
}

export function proposalId(
  tenant_id: string,
  { pattern_id, digest, target }: Pick<Proposal, 'pattern_id' | 'digest' | 'target'>,
): string {
  return contentHash({ tenant_id, pattern_id, digest, target })
}

/** The same rule from the same precedent to the same place, unless another moment is asked for. */
export function isSameProposal(
  proposal: Proposal,
  terms: Pick<Proposal, 'policy_id' | 'policy_body' | 'target'> & {
    readonly active_from?: string | undefined
  },
): boolean {
  return (
    proposal.policy_id === terms.policy_id &&
    proposal.policy_body === terms.policy_body &&
    proposal.target === terms.target &&
    (terms.active_from === undefined || Date.parse(terms.active_from) === Date.parse(proposal.active_from))
  )
}

/** MAXIM author takes no rule that should have been in force for longer. */
const authored_late_ms_max = 5 * 60_000

/** What is known of it elsewhere. */
export interface Fate {
  readonly active_from: string
  readonly is_enacted: boolean
  /** Its policy has another version by now that is as late. */
  readonly is_overtaken: boolean
  readonly motion?: { readonly state: MotionState } | undefined
  /** Of that motion. */
  readonly verdict?: { readonly outcome: string; readonly valid_until: string } | undefined
}

export function proposalStateAt(
  { is_enacted, is_overtaken, active_from, motion, verdict }: Fate,
  now: string,
): ProposalState {
  if (is_enacted) return 'ENACTED'
  const now_ms = Date.parse(now)
  if (is_overtaken || now_ms > Date.parse(active_from) + authored_late_ms_max) return 'REJECTED'
  // A motion on which no quorum has appeared is no council yet.
  if (!motion || motion.state === 'CONVENED') return 'PROPOSED'
  if (motion.state === 'OPEN') return 'IN_COUNCIL'
  const may_be_enacted = verdict?.outcome === 'PASSED' && Date.parse(verdict.valid_until) > now_ms
  return may_be_enacted ? 'IN_COUNCIL' : 'REJECTED'
}
