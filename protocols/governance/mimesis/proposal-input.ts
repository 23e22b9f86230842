// Input and output of proposals from precedents.
import { AnyObject, Closed, described, Hash, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { PolicyId } from '../maxim/api.ts'
import { BacktestView, type Proposal, proposal_states } from './proposal.ts'
import type { StatedProposal } from './proposal-fate.ts'

export const FormalizeInput = Closed({
  pattern_id: described(Hash, 'Pattern that the rule is made from, as surface returns it.'),
  proposed_maxim: Text(65_536, { description: 'Cedar text, as MAXIM author accepts it.' }),
  proposal_target: Type.Union([OneOf('MAXIM', 'MACE'), Uuid], {
    description:
      'MAXIM: a draft only. MACE: a charter motion is convened on it. A motion id: the motion that already binds this policy.',
  }),
  policy_id: Type.Optional(PolicyId),
  active_from: Type.Optional({
    ...Timestamp,
    description: 'When the policy takes effect; part of what the council decides. Default: 14 days from now.',
  }),
})
export type FormalizeInput = Static<typeof FormalizeInput>

export const FormalizeOutput = Closed({
  proposal_id: described(Hash, 'Names the proposal.'),
  policy_id: PolicyId,
  version: Type.String({ description: 'Version that the policy will have.' }),
  active_from: described(Timestamp, 'When the policy takes effect, if it is adopted.'),
  digest: described(Hash, 'Hash of the policy: what the council decides on.'),
  backtest: described(BacktestView, 'What the rule would have changed, had it been in force.'),
  state: described(
    OneOf(...proposal_states),
    "It follows the council's verdict and MAXIM author; nothing is enacted by itself.",
  ),
  motion_id: Type.Optional(described(Uuid, 'Motion of the council on it; absent for a draft only.')),
  next: Type.Optional(
    Closed(
      {
        protocol: Type.String({ description: 'Protocol to call.' }),
        operation: Type.String({ description: 'Operation to call.' }),
        input: described(AnyObject, 'Input of that call.'),
      },
      { description: 'The next step; absent if there is none.' },
    ),
  ),
})
type FormalizeOutput = Static<typeof FormalizeOutput>

export function viewOf(stated: StatedProposal, now: string): FormalizeOutput {
  const { proposal, state } = stated
  const { proposal_id, policy_id, version, active_from, digest, backtest, motion_id } = proposal
  return {
    proposal_id,
    policy_id,
    version,
    active_from,
    digest,
    backtest,
    state,
    ...(motion_id !== null && { motion_id }),
    next: nextOf(stated, now),
  }
}

function nextOf({ proposal, state, motion, verdict }: StatedProposal, now: string): FormalizeOutput['next'] {
  if (state === 'ENACTED' || state === 'REJECTED') return undefined
  if (!motion) return authoring(proposal)
  const { motion_id, deadline_at } = motion.body
  if (verdict) return authoring(proposal, verdict.ref)
  if (Date.parse(deadline_at) <= Date.parse(now))
    return { protocol: 'MACE', operation: 'tally', input: { motion_id } }
  const reasoning = `I take my seat on ${proposal.proposal_id}.`
  return { protocol: 'MACE', operation: 'deliberate', input: { motion_id, position: 'present', reasoning } }
}

function authoring({ policy_id, policy_body, version, active_from }: Proposal, authority?: string) {
  return {
    protocol: 'MAXIM',
    operation: 'author',
    input: { policy_id, policy_body, version, active_from, ...(authority && { authority }) },
  }
}
