// The policies of an organization by version: never edited, never deleted.

import type { PolicySet, PolicyText } from '@svc/contract/authority/policy'
import type { PolicyVersion } from '@svc/contract/authority/policy-timeline'
import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'

/** Calls are judged by their own time, which may be slightly in the past, so recent versions are included. */
const looks_back_ms = 3_600_000

export const policy_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-30-policies',
    sql: `
      CREATE TABLE policies (
        tenant_id text COLLATE "C" NOT NULL,
        policy_id text COLLATE "C" NOT NULL,
        version text COLLATE "C" NOT NULL,
        -- Its place among the versions of its policy, from 1.
        ordinal integer NOT NULL CHECK (ordinal > 0),
        body text NOT NULL,
        digest text NOT NULL,
        -- From the first moment of its version on the policy says this; an empty one says nothing any more.
        retires boolean NOT NULL,
        active_from timestamptz NOT NULL,
        authored_by text COLLATE "C" NOT NULL,
        authority text NOT NULL,
        rationale text,
        authored_at timestamptz NOT NULL,
        -- When its moment was told; the only thing that is ever written to a version.
        announced_at timestamptz,
        PRIMARY KEY (tenant_id, policy_id, version),
        UNIQUE (tenant_id, policy_id, ordinal)
      );
      CREATE INDEX policies_due ON policies (active_from) WHERE announced_at IS NULL;
      ${isolateByTenant('policies', ['SELECT', 'INSERT'], ['SELECT'])}
      GRANT UPDATE (announced_at) ON policies TO ${engine_role};
    `,
  },
  {
    name: '2026-11-16-31-policy-sets',
    sql: `
      -- Every set that was ever to be in force, by the digest that records name: what judged a call can be asked again.
      CREATE TABLE policy_sets (
        tenant_id text COLLATE "C" NOT NULL,
        set_digest text COLLATE "C" NOT NULL,
        members jsonb NOT NULL,
        PRIMARY KEY (tenant_id, set_digest)
      );
      ${isolateByTenant('policy_sets', ['SELECT', 'INSERT'], ['SELECT'])}
    `,
  },
  {
    name: '2026-11-20-21-policies-listed',
    sql: 'CREATE INDEX policies_of_tenant ON policies (tenant_id, authored_at);',
  },
]

/** Includes policies that are planned or no longer in force; the caller applies the time. */
export async function hasPolicies(db: Database, tenant_id: string): Promise<boolean> {
  return sql`SELECT FROM policies WHERE tenant_id = ${tenant_id} LIMIT 1`.exists(db)
}

/** Serializes authoring per organization: each policy is checked against the whole set. */
export async function lockPolicies(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`maxim|${tenant_id}`}, 0))`.execute(db)
}

interface VersionRow extends Omit<PolicyVersion, 'active_from_ms'> {
  readonly active_from: Date
}

const version_columns = sql.raw(
  'p.policy_id, p.version, p.ordinal, p.body, p.digest, p.retires, p.active_from',
)

function versionOf({ active_from, ...row }: VersionRow): PolicyVersion {
  return { ...row, active_from_ms: active_from.getTime() }
}

/** Versions in force from about this time on, without those replaced earlier. */
export async function readTimeline(db: Database, tenant_id: string, from: Date): Promise<PolicyVersion[]> {
  const since = new Date(from.getTime() - looks_back_ms)
  const rows = await sql<VersionRow>`
    SELECT ${version_columns} FROM policies p
    WHERE p.tenant_id = ${tenant_id} AND NOT EXISTS (
      SELECT FROM policies n WHERE n.tenant_id = p.tenant_id AND n.policy_id = p.policy_id
        AND n.ordinal > p.ordinal AND n.active_from <= ${since})
    ORDER BY p.policy_id, p.ordinal`.all(db)
  return rows.map(versionOf)
}

/** All versions of one policy, oldest first. */
export async function readVersions(
  db: Database,
  tenant_id: string,
  policy_id: string,
): Promise<PolicyVersion[]> {
  const rows = await sql<VersionRow>`
    SELECT ${version_columns} FROM policies p
    WHERE p.tenant_id = ${tenant_id} AND p.policy_id = ${policy_id} ORDER BY p.ordinal`.all(db)
  return rows.map(versionOf)
}

export interface ListedVersion extends Omit<PolicyVersion, 'active_from_ms'>, Authored {
  readonly active_from: Date
  readonly characters: number
  /** The first version to replace it, past or planned; null if there is none. */
  readonly next: (Pick<PolicyVersion, 'ordinal' | 'retires'> & { readonly active_from: string }) | null
}

export interface VersionQuestion extends Bounds {
  readonly policy_id?: string | undefined
  readonly version?: string | undefined
  /** Texts are long and omitted by default. */
  readonly with_body?: boolean
}

/** Newest first. */
export async function listVersions(
  db: Database,
  tenant_id: string,
  question: VersionQuestion,
): Promise<ListedVersion[]> {
  const { policy_id, version, with_body = false } = question
  const place = sql`(p.policy_id || '@' || lpad(p.ordinal::text, 9, '0'))`
  const page = pageOf(question, sql`p.authored_at`, place, [
    ...(policy_id === undefined ? [] : [sql`p.policy_id = ${policy_id}`]),
    ...(version === undefined ? [] : [sql`p.version = ${version}`]),
  ])
  return sql<ListedVersion>`
    SELECT p.policy_id, p.version, p.ordinal, CASE WHEN ${with_body} THEN p.body ELSE '' END AS body,
      length(p.body) AS characters, p.digest, p.retires, p.active_from, p.authored_by, p.authority, p.rationale,
      p.authored_at, p.announced_at, (
        SELECT jsonb_build_object('ordinal', n.ordinal, 'retires', n.retires, 'active_from', n.active_from)
        FROM policies n WHERE n.tenant_id = p.tenant_id AND n.policy_id = p.policy_id AND n.ordinal > p.ordinal
        ORDER BY n.active_from, n.ordinal DESC LIMIT 1) AS next
    FROM policies p WHERE p.tenant_id = ${tenant_id} AND ${page}`.all(db)
}

export async function newestVersion(
  db: Database,
  tenant_id: string,
  policy_id: string,
): Promise<Pick<PolicyVersion, 'version' | 'ordinal'> | undefined> {
  return sql<Pick<PolicyVersion, 'version' | 'ordinal'>>`
    SELECT version, ordinal FROM policies
    WHERE tenant_id = ${tenant_id} AND policy_id = ${policy_id}
    ORDER BY ordinal DESC LIMIT 1`.first(db)
}

export interface Authored {
  readonly authored_by: string
  readonly authority: string
  readonly rationale: string | null
  readonly authored_at: Date
  readonly announced_at: Date | null
}

export async function keepVersion(
  db: Database,
  tenant_id: string,
  version: PolicyVersion,
  authored: Authored,
): Promise<void> {
  const { policy_id, ordinal, body, digest, retires, active_from_ms } = version
  await sql`
    INSERT INTO policies (tenant_id, policy_id, version, ordinal, body, digest, retires, active_from, authored_by,
      authority, rationale, authored_at, announced_at)
    VALUES (${tenant_id}, ${policy_id}, ${version.version}, ${ordinal}, ${body}, ${digest}, ${retires},
      ${new Date(active_from_ms)}, ${authored.authored_by}, ${authored.authority}, ${authored.rationale},
      ${authored.authored_at}, ${authored.announced_at})`.execute(db)
}

export async function keepSets(db: Database, tenant_id: string, sets: readonly PolicySet[]): Promise<void> {
  for (const { set_digest, policies } of sets) {
    const members = policies.map(({ policy_id, version }) => ({ policy_id, version }))
    await sql`
      INSERT INTO policy_sets (tenant_id, set_digest, members)
      VALUES (${tenant_id}, ${set_digest}, ${JSON.stringify(members)}::jsonb)
      ON CONFLICT DO NOTHING`.execute(db)
  }
}

/** The exact texts of a digest; undefined if this tenant never had such a set. */
export async function findSet(
  db: Database,
  tenant_id: string,
  set_digest: string,
): Promise<PolicySet | undefined> {
  const row = await sql<{ policies: PolicyText[] }>`
    SELECT COALESCE((
      SELECT jsonb_agg(jsonb_build_object('policy_id', p.policy_id, 'version', p.version, 'body', p.body)
        ORDER BY p.policy_id)
      FROM jsonb_to_recordset(s.members) AS m (policy_id text, version text)
      JOIN policies p ON p.tenant_id = s.tenant_id AND p.policy_id = m.policy_id AND p.version = m.version
    ), '[]'::jsonb) AS policies
    FROM policy_sets s WHERE s.tenant_id = ${tenant_id} AND s.set_digest = ${set_digest}`.first(db)
  return row && { set_digest, policies: row.policies }
}

export interface DuePolicy {
  readonly tenant_id: string
  readonly policy_id: string
  readonly version: string
}

/** Versions that have started and are not announced yet. As the engine's role. */
export async function findDuePolicies(db: Database, now: Date, limit: number): Promise<DuePolicy[]> {
  return sql<DuePolicy>`
    SELECT tenant_id, policy_id, version FROM policies
    WHERE announced_at IS NULL AND active_from <= ${now}
    ORDER BY active_from LIMIT ${limit}`.all(db)
}

/** Its author, if this call announces it; undefined if another call already did. */
export async function announce(
  db: Database,
  { tenant_id, policy_id, version }: DuePolicy,
  now: Date,
): Promise<string | undefined> {
  const row = await sql<{ authored_by: string }>`
    UPDATE policies SET announced_at = ${now}
    WHERE tenant_id = ${tenant_id} AND policy_id = ${policy_id} AND version = ${version}
      AND announced_at IS NULL
    RETURNING authored_by`.first(db)
  return row?.authored_by
}
