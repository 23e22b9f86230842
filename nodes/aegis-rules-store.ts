// What the Aegis node stores beside the tokens: each delegator's rules by version, and open challenges.

import type { DelegationPolicy } from '@svc/contract/authority/delegation-chain'
import type { StoredChallenge } from '@svc/contract/authority/delegation-challenge'
import type { DelegationRules } from '@svc/contract/authority/delegation-policy'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

interface PolicyRow {
  readonly did: string
  readonly version: number
  readonly rules: DelegationRules
  readonly in_force_from: Date
}

/** The rules in force of those who set any. */
export async function findPolicies(
  db: Database,
  tenant_id: string,
  dids: readonly string[],
): Promise<DelegationPolicy[]> {
  if (dids.length === 0) return []
  const rows = await sql<PolicyRow>`
    SELECT p.* FROM unnest(${dids}::text[]) AS asked (did), LATERAL (
      SELECT did, version, rules, in_force_from FROM delegation_policies
      WHERE tenant_id = ${tenant_id} AND did = asked.did ORDER BY version DESC LIMIT 1
    ) AS p`.all(db)
  return rows.map((row) => ({ ...row, in_force_from: row.in_force_from.toISOString() }))
}

export async function insertPolicy(db: Database, tenant_id: string, policy: DelegationPolicy): Promise<void> {
  const { did, version, rules, in_force_from } = policy
  await sql`
    INSERT INTO delegation_policies (tenant_id, did, version, rules, in_force_from)
    VALUES (${tenant_id}, ${did}, ${version}, ${JSON.stringify(rules)}, ${in_force_from})`.execute(db)
}

/** Also deletes expired challenges of this subject. */
export async function countOpenChallenges(
  db: Database,
  tenant_id: string,
  subject_did: string,
  now: string,
): Promise<number> {
  const at = new Date(now)
  await sql`
    DELETE FROM aegis_challenges
    WHERE tenant_id = ${tenant_id} AND subject_did = ${subject_did} AND expires_at <= ${at}`.execute(db)
  const row = await sql<{ open: string }>`
    SELECT count(*) AS open FROM aegis_challenges
    WHERE tenant_id = ${tenant_id} AND subject_did = ${subject_did} AND used_at IS NULL`.first(db)
  return Number(row!.open)
}

export async function insertChallenge(
  db: Database,
  tenant_id: string,
  challenge: StoredChallenge['challenge'],
): Promise<void> {
  await sql`
    INSERT INTO aegis_challenges (challenge_id, tenant_id, subject_did, challenge, expires_at)
    VALUES (${challenge.challenge_id}, ${tenant_id}, ${challenge.subject_did}, ${JSON.stringify(challenge)},
      ${new Date(challenge.expires_at)})`.execute(db)
}

/** Locked until the transaction ends, so that two uses cannot both be the first. */
export async function findChallenge(
  db: Database,
  tenant_id: string,
  challenge_id: string,
): Promise<StoredChallenge | undefined> {
  const rows = await sql<{ challenge: StoredChallenge['challenge']; used_at: Date | null }>`
    SELECT challenge, used_at FROM aegis_challenges
    WHERE tenant_id = ${tenant_id} AND challenge_id = ${challenge_id} FOR UPDATE`.all(db)
  const [row] = rows
  return row && { challenge: row.challenge, used: row.used_at !== null }
}

export async function useChallenge(db: Database, challenge_id: string, now: string): Promise<void> {
  await sql`UPDATE aegis_challenges SET used_at = ${new Date(now)} WHERE challenge_id = ${challenge_id}`.execute(
    db,
  )
}
