// The state of proposals, read from their source: councils, verdicts and policies.
import type { OperationContext } from '@svc/contract/operation-context'
import { advance, findMotion, findVerdictOf, type Motion, type Verdict } from '../motions/api.ts'
import { isLaterVersion, readVersions } from '../policies/api.ts'
import { type Proposal, type ProposalState, proposalStateAt } from './proposal.ts'
import { findProposalsFrom } from './proposal-store.ts'

export interface StatedProposal {
  readonly proposal: Proposal
  readonly state: ProposalState
  readonly motion?: Motion | undefined
  readonly verdict?: Verdict | undefined
}

/** Newest first, per pattern. */
export async function statesFrom(
  context: OperationContext,
  pattern_ids: readonly string[],
  per_pattern_max: number,
): Promise<StatedProposal[]> {
  const { db, tenant_id } = context
  const proposals = await findProposalsFrom(db, tenant_id, pattern_ids, per_pattern_max)
  const stated: StatedProposal[] = []
  for (const proposal of proposals) stated.push(await stateOf(context, proposal))
  return stated
}

export async function stateOf(
  { db, tenant_id, now }: OperationContext,
  proposal: Proposal,
): Promise<StatedProposal> {
  const { motion_id, policy_id, version, digest, active_from } = proposal
  const versions = await readVersions(db, tenant_id, policy_id)
  const is_enacted = versions.some((other) => other.digest === digest)
  const is_overtaken = versions.some((other) => !isLaterVersion(version, other.version))
  const stored_motion = motion_id === null ? undefined : await findMotion(db, tenant_id, motion_id)
  const motion = stored_motion && { ...stored_motion, state: advance(stored_motion, new Date(now)).state }
  const verdict =
    motion?.state === 'TALLIED' ? await findVerdictOf(db, tenant_id, motion.body.motion_id) : undefined
  const state = proposalStateAt({ is_enacted, is_overtaken, active_from, motion, verdict }, now)
  return { proposal, state, motion, verdict }
}
