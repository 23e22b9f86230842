// The tables of the Aegis node. A token is never deleted; only its state changes, and only toward its end.

import { type DelegationLink, tokens_held_max } from '@svc/contract/authority/delegation-chain'
import type { DelegationToken } from '@svc/contract/authority/delegation-token'
import type { Database } from '@svc/contract/database'
import type { KeyEvent } from '@svc/contract/identity/key-events'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { type NotNull, sql } from '@svc/database/sql'

export const aegis_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-60-delegations',
    sql: `
      CREATE TABLE delegations (
        token_id text PRIMARY KEY,
        tenant_id text NOT NULL,
        root_id text NOT NULL,
        parent_token text REFERENCES delegations,
        links_above smallint NOT NULL,
        from_did text NOT NULL,
        to_did text NOT NULL,
        token jsonb NOT NULL,
        public_key text NOT NULL,
        challenged boolean NOT NULL,
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        state text NOT NULL DEFAULT 'ACTIVE' CHECK (state IN ('ACTIVE', 'REVOKED', 'PARENT_REVOKED')),
        revoked_at timestamptz,
        revoked_by text,
        revoked_with text,
        reason text,
        CHECK ((state = 'ACTIVE') = (revoked_at IS NULL))
      );
      CREATE INDEX delegations_to ON delegations (tenant_id, to_did, issued_at, token_id);
      CREATE INDEX delegations_from ON delegations (tenant_id, from_did, issued_at, token_id);
      CREATE INDEX delegations_of_root ON delegations (root_id);
      CREATE INDEX delegations_of_parent ON delegations (parent_token);
      CREATE TABLE delegation_policies (
        tenant_id text NOT NULL,
        did text NOT NULL,
        version integer NOT NULL,
        rules jsonb NOT NULL,
        in_force_from timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, did, version)
      );
      CREATE TABLE aegis_challenges (
        challenge_id uuid PRIMARY KEY,
        tenant_id text NOT NULL,
        subject_did text NOT NULL,
        challenge jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz
      );
      CREATE INDEX aegis_challenges_of_subject ON aegis_challenges (tenant_id, subject_did, expires_at);
      ${isolateByTenant('delegations', [], ['SELECT', 'INSERT', 'UPDATE'])}
      ${isolateByTenant('delegation_policies', [], ['SELECT', 'INSERT'])}
      ${isolateByTenant('aegis_challenges', [], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
    `,
  },
  {
    // How a delegator came to a key that is not its first.
    name: '2026-11-25-06-delegators-keys',
    sql: 'ALTER TABLE delegations ADD COLUMN key_events jsonb;',
  },
]

interface DelegationRow {
  readonly token_id: string
  readonly root_id: string
  readonly parent_token: string | null
  readonly token: DelegationToken
  readonly public_key: string
  readonly key_events: KeyEvent[] | null
  readonly challenged: boolean
  readonly issued_at: Date
  readonly expires_at: Date
  readonly state: 'ACTIVE' | 'REVOKED' | 'PARENT_REVOKED'
}

const columns = sql.raw(
  'd.token_id, d.root_id, d.parent_token, d.token, d.public_key, d.key_events, d.challenged, d.issued_at, d.expires_at, d.state',
)

/** Expiry depends on the clock, so it is computed on reading and never stored. */
function linkOf(row: DelegationRow, now: string): DelegationLink {
  const { token_id, token, public_key, key_events, challenged, parent_token } = row
  const is_over = row.state === 'ACTIVE' && row.expires_at.getTime() <= Date.parse(now)
  return {
    token_id,
    token,
    public_key,
    ...(key_events && { key_events }),
    ...(parent_token === null ? {} : { parent_token }),
    state: is_over ? 'EXPIRED' : row.state,
    issued_at: row.issued_at.toISOString(),
    challenged,
  }
}

/** These tokens and every link above them, first delegators first. */
export async function findLinks(
  db: Database,
  tenant_id: string,
  token_ids: readonly string[],
  now: string,
): Promise<DelegationLink[]> {
  if (token_ids.length === 0) return []
  const rows = await sql<DelegationRow>`
    WITH RECURSIVE up (token_id, parent_token) AS (
      SELECT token_id, parent_token FROM delegations
      WHERE tenant_id = ${tenant_id} AND token_id = ANY (${token_ids}::text[])
      UNION
      SELECT d.token_id, d.parent_token FROM up JOIN delegations d ON d.token_id = up.parent_token
    )
    SELECT ${columns} FROM up JOIN delegations d USING (token_id) ORDER BY d.links_above, d.token_id`.all(db)
  return rows.map((row) => linkOf(row, now))
}

/** Locks the root of a tree of delegations: nobody delegates below a link that is being revoked. */
export async function lockTree(
  db: Database,
  tenant_id: string,
  token_id: string,
): Promise<string | undefined> {
  const row = await sql<{ root_id: string }>`
    SELECT r.root_id FROM delegations r
    WHERE r.token_id = (
      SELECT root_id FROM delegations WHERE tenant_id = ${tenant_id} AND token_id = ${token_id}
    ) FOR UPDATE`.first(db)
  return row?.root_id
}

/** One at a time per subject, until the transaction ends. */
export async function lockSubject(db: Database, subject: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`aegis ${subject}`}, 0))`.execute(db)
}

export interface Counts {
  readonly held: number
  readonly between: number
  readonly in_tree: number
}

/** Live delegations: to this identity, between these two, and in this tree. */
export async function countLive(
  db: Database,
  tenant_id: string,
  { from_did, to_did }: DelegationToken,
  root_id: string,
  now: string,
): Promise<Counts> {
  const live = sql`state = 'ACTIVE' AND expires_at > ${new Date(now)}`
  const row = await sql<Record<keyof Counts, string>>`
    SELECT
      (SELECT count(*) FROM delegations WHERE tenant_id = ${tenant_id} AND to_did = ${to_did} AND ${live}) AS held,
      (SELECT count(*) FROM delegations
        WHERE tenant_id = ${tenant_id} AND to_did = ${to_did} AND from_did = ${from_did} AND ${live}) AS between,
      (SELECT count(*) FROM delegations WHERE root_id = ${root_id} AND ${live}) AS in_tree`.first(db)
  const { held, between, in_tree } = row!
  return { held: Number(held), between: Number(between), in_tree: Number(in_tree) }
}

export async function insertLink(
  db: Database,
  tenant_id: string,
  link: DelegationLink,
  above: readonly DelegationLink[],
): Promise<void> {
  const { token, token_id } = link
  await sql`
    INSERT INTO delegations (token_id, tenant_id, root_id, parent_token, links_above, from_did, to_did, token,
      public_key, key_events, challenged, issued_at, expires_at)
    VALUES (${token_id}, ${tenant_id}, ${above[0]?.token_id ?? token_id}, ${link.parent_token ?? null},
      ${above.length}, ${token.from_did}, ${token.to_did}, ${JSON.stringify(token)}, ${link.public_key},
      ${link.key_events ? JSON.stringify(link.key_events) : null}::jsonb,
      ${link.challenged}, ${new Date(link.issued_at)}, ${new Date(token.expires_at)})`.execute(db)
}

export async function markChallenged(db: Database, token_id: string): Promise<void> {
  await sql`UPDATE delegations SET challenged = true WHERE token_id = ${token_id}`.execute(db)
}

export interface Revocation {
  readonly token_id: string
  readonly reason: string
  readonly by: string
  /** RFC 3339 UTC. */
  readonly at: string
}

/** Ends a token and everything delegated below it that has not ended by itself. */
export async function revokeTree(db: Database, { token_id, reason, by, at }: Revocation): Promise<void> {
  const now = new Date(at)
  await sql`
    WITH RECURSIVE down (token_id) AS (
      SELECT ${token_id}::text
      UNION ALL
      SELECT d.token_id FROM down JOIN delegations d ON d.parent_token = down.token_id
    )
    UPDATE delegations d
    SET state = CASE WHEN d.token_id = ${token_id} THEN 'REVOKED' ELSE 'PARENT_REVOKED' END,
      revoked_at = ${now}, revoked_by = ${by}, revoked_with = ${token_id}, reason = ${reason}
    FROM down WHERE d.token_id = down.token_id AND d.state = 'ACTIVE' AND d.expires_at > ${now}`.execute(db)
}

/** What one revocation ended, nearest first. */
export async function revokedWith(
  db: Database,
  token_id: string,
): Promise<{ revoked: string[]; at: string }> {
  const rows = await sql<{ token_id: string; revoked_at: NotNull<Date> }>`
    SELECT d.token_id, d.revoked_at FROM delegations t JOIN delegations d ON d.root_id = t.root_id
    WHERE t.token_id = ${token_id} AND d.revoked_with = ${token_id}
    ORDER BY d.links_above, d.token_id`.all(db)
  return { revoked: rows.map((row) => row.token_id), at: rows[0]!.revoked_at.toISOString() }
}

const ended_tokens_max = 32

/** Oldest first, so that new delegations cannot push out existing ones; then a few that ended lately. */
export async function findHeld(db: Database, tenant_id: string, did: string, now: string): Promise<string[]> {
  const at = new Date(now)
  const rows = await sql<{ token_id: string }>`
    (SELECT token_id FROM delegations
      WHERE tenant_id = ${tenant_id} AND to_did = ${did} AND state = 'ACTIVE' AND expires_at > ${at}
      ORDER BY issued_at, token_id LIMIT ${tokens_held_max})
    UNION ALL
    (SELECT token_id FROM delegations
      WHERE tenant_id = ${tenant_id} AND to_did = ${did} AND (state <> 'ACTIVE' OR expires_at <= ${at})
      ORDER BY issued_at DESC, token_id LIMIT ${ended_tokens_max})`.all(db)
  return rows.map((row) => row.token_id)
}

export interface Page {
  readonly limit: number
  readonly before?: { readonly issued_at: string; readonly token_id: string }
}

/** Delegations by and to one identity, newest first. */
export async function listLinks(
  db: Database,
  tenant_id: string,
  did: string,
  { limit, before }: Page,
  now: string,
): Promise<DelegationLink[]> {
  const older = before
    ? sql`AND (d.issued_at, d.token_id) < (${new Date(before.issued_at)}, ${before.token_id})`
    : sql``
  const side = (column: 'from_did' | 'to_did') => sql`
    (SELECT ${columns} FROM delegations d
      WHERE d.tenant_id = ${tenant_id} AND ${sql.raw(`d.${column}`)} = ${did} ${older}
      ORDER BY d.issued_at DESC, d.token_id DESC LIMIT ${limit})`
  const rows = await sql<DelegationRow>`
    SELECT * FROM (${side('from_did')} UNION ALL ${side('to_did')}) AS d
    ORDER BY d.issued_at DESC, d.token_id DESC LIMIT ${limit}`.all(db)
  return rows.map((row) => linkOf(row, now))
}
