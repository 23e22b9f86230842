// Who may act for an organization as a whole. A membership ends but is never deleted: old verdicts are judged by the
// members of that time.

import type { Database } from '@svc/contract/database'
import type { CharterChange } from '@svc/contract/needs/charter'
import { refuse } from '@svc/contract/refusal'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const charter_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-30-charter',
    // A charter motion changes it inside an operation, so the application's role may write too, but never delete.
    sql: `
      CREATE TABLE charter_members (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        did text COLLATE "C" NOT NULL,
        since timestamptz NOT NULL,
        until timestamptz CHECK (until >= since),
        PRIMARY KEY (tenant_id, did, since)
      );
      CREATE UNIQUE INDEX charter_members_now ON charter_members (tenant_id, did) WHERE until IS NULL;
      ${isolateByTenant('charter_members', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'INSERT', 'UPDATE'])}
    `,
  },
]

export interface CharterMember {
  readonly did: string
  readonly since: Date
  readonly until: Date | null
}

const members_listed_max = 200

/** False if this DID is a member already. */
export async function addMember(db: Database, tenant_id: string, did: string, since: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO charter_members (tenant_id, did, since) VALUES (${tenant_id}, ${did}, ${since})
    ON CONFLICT DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

/** False if this DID is not a member. The last member stays: a charter without members could never act again. */
export async function endMembership(
  db: Database,
  tenant_id: string,
  did: string,
  until: Date,
): Promise<boolean> {
  // Locks every member's row, so that two members who leave at once cannot both assume that the other stays.
  const rows = await sql<{ did: string }>`
    SELECT did FROM charter_members WHERE tenant_id = ${tenant_id} AND until IS NULL
    ORDER BY did FOR UPDATE`.all(db)
  if (!rows.some((row) => row.did === did)) return false
  if (rows.length === 1) {
    throw refuse(
      'policy_denied',
      `${did} is the last charter member of ${tenant_id}, which could not act without one; add another first.`,
      { reason: 'last charter member' },
    )
  }
  await sql`
    UPDATE charter_members SET until = greatest(since, ${until}::timestamptz)
    WHERE tenant_id = ${tenant_id} AND did = ${did} AND until IS NULL`.execute(db)
  return true
}

/** Current members by DID, so that the last of a page says where the next begins. */
export async function listMembers(
  db: Database,
  tenant_id: string,
  after_did = '',
  limit = members_listed_max,
): Promise<CharterMember[]> {
  return sql<CharterMember>`
    SELECT did, since, until FROM charter_members
    WHERE tenant_id = ${tenant_id} AND until IS NULL AND did > ${after_did}
    ORDER BY did LIMIT ${Math.min(limit, members_listed_max)}`.all(db)
}

/** Whether this DID was a member at that time: an act is judged by the charter of its own time. */
export async function satAt(db: Database, tenant_id: string, did: string, at: Date): Promise<boolean> {
  return sql`
    SELECT FROM charter_members WHERE tenant_id = ${tenant_id} AND did = ${did}
      AND since <= ${at} AND (until IS NULL OR until > ${at}) LIMIT 1`.exists(db)
}

/** Applies a charter motion. Adding a member or removing a non-member changes nothing. */
export async function changeCharter(
  db: Database,
  tenant_id: string,
  { add, remove }: CharterChange,
  at: Date,
): Promise<void> {
  // Additions first: a charter may change all its members at once, but is never empty.
  for (const did of add) await addMember(db, tenant_id, did, at)
  for (const did of remove) await endMembership(db, tenant_id, did, at)
}

export async function countMembers(db: Database, tenant_id: string): Promise<number> {
  const row = await sql<{ members: string }>`
    SELECT count(*) AS members FROM charter_members
    WHERE tenant_id = ${tenant_id} AND until IS NULL`.first(db)
  return Number(row?.members ?? 0)
}
