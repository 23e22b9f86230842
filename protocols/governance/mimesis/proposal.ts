// A policy proposed from a precedent, and its state. Never enacted automatically.

import { Closed, described, ListOf, Period, Ref } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import type { MotionState } from '../motions/api.ts'

export const proposal_states = ['PROPOSED', 'IN_COUNCIL', 'ENACTED', 'REJECTED'] as const
export type ProposalState = (typeof proposal_states)[number]

const Count = Type.Integer({ minimum: 0 })

export const BacktestView = Closed({
  window: Period,
  evaluated: described(Count, 'Recorded requests that were judged again with the rule.'),
  undecided: Type.Integer({
    minimum: 0,
    description: 'Requests whose record lacks facts that the policies need.',
  }),
  would_flip_allow_to_deny: described(Count, 'Allowed requests that the rule would refuse.'),
  would_flip_deny_to_allow: described(Count, 'Refused requests that the rule would allow.'),
  agrees_with_pattern_bps: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Cases of the pattern that end the same under the rule, in hundredths of a percent.',
  }),
  flips: described(ListOf(Ref, 0, 20), 'Audit records of requests that would be decided otherwise.'),
  truncated: Type.Boolean({ description: 'The window contains older records that were not tested.' }),
})

export interface Proposal {
  readonly proposal_id: string
  readonly pattern_id: string
  readonly policy_id: string
  readonly version: string
  readonly policy_body: string
  /** Part of the decision, so it must be after the council's deadline. */
  readonly active_from: string
  /** What the charter decides on, and what MAXIM author needs a verdict for. */
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

/** Same policy, precedent and target, unless another start is requested. */
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

/** How late after its start MAXIM author accepts a policy. */
const authored_late_ms_max = 5 * 60_000

/** Facts about it from other tables. */
export interface Fate {
  readonly active_from: string
  readonly is_enacted: boolean
  /** Its policy now has a version that is as late or later. */
  readonly is_overtaken: boolean
  readonly motion?: { readonly state: MotionState } | undefined
  /** The motion's verdict. */
  readonly verdict?: { readonly outcome: string; readonly valid_until: string } | undefined
}

export function proposalStateAt(
  { is_enacted, is_overtaken, active_from, motion, verdict }: Fate,
  now: string,
): ProposalState {
  if (is_enacted) return 'ENACTED'
  const now_ms = Date.parse(now)
  if (is_overtaken || now_ms > Date.parse(active_from) + authored_late_ms_max) return 'REJECTED'
  // Without a quorum the council has not opened yet.
  if (!motion || motion.state === 'CONVENED') return 'PROPOSED'
  if (motion.state === 'OPEN') return 'IN_COUNCIL'
  const may_be_enacted = verdict?.outcome === 'PASSED' && Date.parse(verdict.valid_until) > now_ms
  return may_be_enacted ? 'IN_COUNCIL' : 'REJECTED'
}
