// Proposed policies as rows. A proposal never changes; its state is read from councils and policies.

import type { Database } from '@svc/contract/database'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import type { Proposal } from './proposal.ts'

interface ProposalRow extends Omit<Proposal, 'backtest' | 'active_from' | 'proposed_at'> {
  readonly backtest: string
  readonly active_from: Date
  readonly proposed_at: Date
}

const columns = sql`proposal_id, pattern_id, policy_id, version, policy_body, active_from, digest, target,
  motion_id, backtest, proposed_by, proposed_at`

export async function keepProposal(db: Database, tenant_id: string, proposal: Proposal): Promise<void> {
  const { proposal_id, pattern_id, policy_id, version, policy_body, digest, target } = proposal
  await sql`
    INSERT INTO proposals (tenant_id, ${columns})
    VALUES (${tenant_id}, ${proposal_id}, ${pattern_id}, ${policy_id}, ${version}, ${policy_body}, ${proposal.active_from},
      ${digest}, ${target}, ${proposal.motion_id}, ${canonicalJson(proposal.backtest)}, ${proposal.proposed_by},
      ${proposal.proposed_at})`.execute(db)
}

export async function findProposal(
  db: Database,
  tenant_id: string,
  proposal_id: string,
): Promise<Proposal | undefined> {
  const row = await sql<ProposalRow>`
    SELECT ${columns} FROM proposals
    WHERE tenant_id = ${tenant_id} AND proposal_id = ${proposal_id}`.first(db)
  return row && proposalOf(row)
}

/** Newest first, per pattern. */
export async function findProposalsFrom(
  db: Database,
  tenant_id: string,
  pattern_ids: readonly string[],
  per_pattern_max: number,
): Promise<Proposal[]> {
  const rows = await sql<ProposalRow>`
    SELECT found.* FROM unnest(${pattern_ids}::text[]) AS wanted(id)
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM proposals
      WHERE tenant_id = ${tenant_id} AND pattern_id = wanted.id
      ORDER BY proposed_at DESC LIMIT ${per_pattern_max}
    ) AS found`.all(db)
  return rows.map(proposalOf)
}

function proposalOf({ backtest, active_from, proposed_at, ...row }: ProposalRow): Proposal {
  return {
    ...row,
    active_from: active_from.toISOString(),
    backtest: JSON.parse(backtest) as Proposal['backtest'],
    proposed_at: proposed_at.toISOString(),
  }
}
