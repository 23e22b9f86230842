// Votes on a case: each arbiter once, with reasons, and never more than was requested.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf, PublicKey, Signature, Text, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type Case, decide, type Finding, findings, type Remedy } from '../cases/api.ts'
import { misfit, RemedyInput, RulingView, remedyOf, State } from './case-input.ts'
import { keepVote, pleadingsOf, type StoredVote, votesOf } from './case-papers.ts'
import { openCase, requireArbiter, requireCaseState } from './case-progress.ts'
import { claimOf } from './pleading.ts'
import { rulingView } from './pleading-docket.ts'
import { favoured, isLost, ruleByVotes } from './ruling-making.ts'
import { requireSignedVote } from './ruling-signature.ts'

export const RuleInput = Closed({
  case_id: described(Uuid, 'Case to decide.'),
  finding: described(OneOf(...findings), 'Who is right; no_jurisdiction: this court may not decide it.'),
  reasoning: Text(20_000, { description: 'Why; published with the ruling, also if outvoted.' }),
  remedy: Type.Optional(
    described(
      RemedyInput,
      'What to order, at most what was requested; needed if the claimant is right, even in part.',
    ),
  ),
  frivolous: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether it should not have been filed; if most of the panel say so, who filed it owes the fee. Only if it is lost.',
    }),
  ),
  signature: Type.Optional(
    described(Signature, 'Of the vote; absent: the engine signs if it keeps your key.'),
  ),
  public_key: Type.Optional(
    described(PublicKey, 'Key that made the signature; needed unless the engine keeps it.'),
  ),
})
export type RuleInput = Static<typeof RuleInput>

const Count = Type.Integer({ minimum: 0, maximum: 5 })

export const RuleOutput = Closed({
  case_id: described(Uuid, 'The case.'),
  state: State,
  votes_in: described(Count, 'Arbiters who have voted.'),
  votes_needed: described(Count, 'Arbiters on the panel.'),
  ruling: Type.Optional(described(RulingView, 'The decision; absent until the votes suffice.')),
})

export async function rule(
  input: RuleInput,
  context: OperationContext<'custody' | 'register'>,
): Promise<Static<typeof RuleOutput>> {
  const dispute = await openCase(context, input.case_id)
  requireArbiter(context, dispute)
  const before = await votesOf(context.db, dispute.case_id)
  requireFirst(before, context.caller.did)
  requireHeard(dispute)
  const remedy = await orderOf(input, dispute, context)
  const { finding, reasoning } = input
  requireLost(input, dispute)
  const frivolous = input.frivolous && { frivolous: true }
  const vote = { arbiter_did: context.caller.did, finding, remedy, ...frivolous }
  const word = await requireSignedVote(context, dispute.case_id, vote, reasoning, input)
  const voted: StoredVote = { ...vote, reasoning, word, voted_at: new Date(context.now) }
  await keepVote(context.db, dispute, voted)
  const votes = [...before, voted].sort((a, b) => (a.arbiter_did < b.arbiter_did ? -1 : 1))
  const counted = { case_id: dispute.case_id, votes_in: votes.length, votes_needed: dispute.panel.length }
  const decision = decide(dispute.panel.length, votes, false)
  if (!decision) return { ...counted, state: dispute.state }
  const { ruling, after } = await ruleByVotes(context, dispute, decision, votes)
  return { ...counted, state: after.state, ruling: rulingView(after, ruling, votes) }
}

function requireLost({ frivolous, finding }: RuleInput, { filed_by }: Case): void {
  if (!frivolous || isLost(filed_by, finding)) return
  throw misfit('/frivolous', `needs a finding against the ${filed_by}, who filed the case`)
}

function requireFirst(before: readonly StoredVote[], did: string): void {
  if (before.every(({ arbiter_did }) => arbiter_did !== did)) return
  throw refuse('policy_denied', `${did} has already ruled in this case; each arbiter rules once.`, {
    reason: 'already ruled by this arbiter',
    denying_policy: 'MOOT panel',
  })
}

function requireHeard(dispute: Case): void {
  if (['FILED', 'PLEADED', 'DEFAULTED'].includes(dispute.state))
    throw refuse(
      'policy_denied',
      `The case is ${dispute.state} and was not heard yet; replay the records with hear first.`,
      { reason: 'case not heard', denying_policy: 'MOOT hearing', state: dispute.state },
    )
  requireCaseState(dispute, 'rule', ['HEARD'])
}

/** The requested remedy or less: same kind and target, up to its amount; or a declaration. */
async function orderOf(input: RuleInput, dispute: Case, { db }: OperationContext): Promise<Remedy | null> {
  if (!input.remedy) return requireOrder(input.finding)
  const claimed = claimOf(dispute, await pleadingsOf(db, dispute.case_id), favoured(input.finding))
  const { kind } = input.remedy
  if (input.finding === 'no_jurisdiction') throw misfit('/remedy', 'cannot be ordered without jurisdiction')
  if (kind === 'declaratory') return { kind, micro_usd: null, target: null }
  if (!claimed) throw misfit('/remedy/kind', 'must be declaratory, because the respondent claimed nothing')
  if (kind !== claimed.kind)
    throw misfit('/remedy/kind', `must be ${claimed.kind}, as requested, or declaratory`)
  const target = input.remedy.target ?? claimed.target
  if (target !== claimed.target) throw misfit('/remedy/target', 'must be the target of the requested remedy')
  const ordered = remedyOf({ ...input.remedy, ...(target !== null && { target }) }, '/remedy')
  if (ordered.micro_usd !== null && ordered.micro_usd > (claimed.micro_usd ?? 0n))
    throw misfit('/remedy/amount_usd', 'is more than was requested')
  return { ...ordered, target }
}

function requireOrder(finding: Finding): null {
  if (finding !== 'for_claimant' && finding !== 'split') return null
  throw misfit('/remedy', `is required with ${finding}; use declaratory if nothing is to be done`)
}
