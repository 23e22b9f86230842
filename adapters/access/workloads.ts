// Which workloads act as which agent: a token of a trusted issuer with this audience and these claims.
import type { Database } from '@svc/contract/database'
import { workloads_max } from '@svc/contract/needs/workloads'
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { JSONWebKeySet } from 'jose'

export const workload_migrations: readonly Migration[] = [
  {
    name: '2026-11-23-20-workloads',
    sql: `
      CREATE TABLE workloads (
        workload_id text PRIMARY KEY,
        tenant_id text NOT NULL REFERENCES tenants,
        did text NOT NULL,
        issuer text NOT NULL,
        audience text NOT NULL,
        -- A list of accepted texts for each claim; all claims must fit.
        claims jsonb NOT NULL,
        -- The issuer's public keys, where it cannot be asked for them.
        jwks jsonb,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX workloads_of_issuer ON workloads (issuer);
      CREATE INDEX workloads_of_tenant ON workloads (tenant_id, workload_id);
      ${isolateByTenant('workloads', ['SELECT'], ['SELECT', 'INSERT', 'DELETE'])}
    `,
  },
  {
    name: '2026-11-24-61-workloads-used',
    sql: `
      ALTER TABLE workloads ADD COLUMN last_used_at timestamptz;
      GRANT UPDATE (last_used_at) ON workloads TO ${engine_role};
      GRANT INSERT, DELETE ON workloads TO ${app_role};
      -- A handler maps to agents of its own organization only, and stores no keys of issuers.
      CREATE POLICY workloads_bounded ON workloads AS RESTRICTIVE FOR INSERT TO ${app_role}
        WITH CHECK (jwks IS NULL AND starts_with(did, 'did:oas:' || tenant_id || ':'));
    `,
  },
  {
    name: '2026-11-24-63-workloads-named',
    sql: `
      -- Counts only for exchanges that name its agent.
      ALTER TABLE workloads ADD COLUMN named_only boolean NOT NULL DEFAULT false;
      -- Else one organization's mapping would stand in the way of another's.
      CREATE POLICY workloads_named ON workloads AS RESTRICTIVE FOR INSERT TO ${app_role} WITH CHECK (named_only);
    `,
  },
]

export interface Workload {
  readonly workload_id: string
  readonly tenant_id: string
  readonly did: string
  readonly issuer: string
  readonly audience: string
  readonly claims: Readonly<Record<string, readonly string[]>>
  readonly jwks: JSONWebKeySet | null
}

interface NewWorkload extends Workload {
  /** Added by an operation: it counts only for exchanges that name its agent. */
  readonly named_only: boolean
}

/** Each exchange compares all of an issuer, unless it names its agent. */
const compared_max = 1_000

export async function addWorkload(db: Database, workload: NewWorkload): Promise<void> {
  const { workload_id, tenant_id, did, issuer, audience, claims, jwks, named_only } = workload
  await sql`
    INSERT INTO workloads (workload_id, tenant_id, did, issuer, audience, claims, jwks, named_only)
    VALUES (${workload_id}, ${tenant_id}, ${did}, ${issuer}, ${audience}, ${JSON.stringify(claims)},
      ${jwks ? JSON.stringify(jwks) : null}, ${named_only})`.execute(db)
}

/** Of one agent where it is named, else those of the operator. Undefined where there are too many to compare. */
export async function workloadsOf(
  db: Database,
  issuer: string,
  did: string | undefined,
): Promise<Workload[] | undefined> {
  const of_agent = did === undefined ? sql`AND NOT named_only` : sql`AND did = ${did}`
  const rows = await sql<Workload>`
    SELECT workload_id, tenant_id, did, issuer, audience, claims, jwks FROM workloads
    WHERE issuer = ${issuer} ${of_agent} ORDER BY workload_id LIMIT ${compared_max + 1}`.all(db)
  return rows.length > compared_max ? undefined : rows
}

export async function listWorkloads(db: Database, tenant_id: string): Promise<Workload[]> {
  return sql<Workload>`
    SELECT workload_id, tenant_id, did, issuer, audience, claims, jwks FROM workloads
    WHERE tenant_id = ${tenant_id} ORDER BY workload_id LIMIT ${workloads_max}`.all(db)
}

/** Nobody else adds one to this organization until the transaction ends. */
export async function countWorkloads(db: Database, tenant_id: string): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`workloads|${tenant_id}`}, 0))`.execute(db)
  const row = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM workloads WHERE tenant_id = ${tenant_id}`.first(db)
  return row!.count
}

/** False where it was removed meanwhile. Until the transaction ends nobody removes it, so that none of its sessions outlives it. */
export async function useWorkload(db: Database, workload_id: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE workloads SET last_used_at = ${at} WHERE workload_id = ${workload_id}`.execute(db)
  return numAffectedRows === 1n
}

export async function hasWorkload(db: Database, tenant_id: string, workload_id: string): Promise<boolean> {
  const row = await sql<{ workload_id: string }>`
    SELECT workload_id FROM workloads WHERE tenant_id = ${tenant_id} AND workload_id = ${workload_id}`.first(
    db,
  )
  return row !== undefined
}

/** Ends its sessions too, and with them what they began. False where there is none. */
export async function removeWorkload(db: Database, tenant_id: string, workload_id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    DELETE FROM workloads WHERE tenant_id = ${tenant_id} AND workload_id = ${workload_id}`.execute(db)
  await sql`
    UPDATE api_keys SET revoked_at = now()
    WHERE tenant_id = ${tenant_id} AND made_by = ${madeBy(workload_id)} AND revoked_at IS NULL`.execute(db)
  return numAffectedRows === 1n
}

const maker_start = 'workload:'

/** As the maker of a session's key. */
export function madeBy(workload_id: string): string {
  return `${maker_start}${workload_id}`
}

export function workloadOf(made_by: string | null): string | undefined {
  return made_by?.startsWith(maker_start) ? made_by.slice(maker_start.length) : undefined
}
