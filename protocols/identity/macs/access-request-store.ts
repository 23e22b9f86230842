// Rows of access requests: what people ask of the administrators of their organization.
import type { Database } from '@svc/contract/database'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const access_request_migrations: readonly Migration[] = [
  {
    name: '2026-11-27-11-people-access-requests',
    sql: `
      CREATE TABLE access_requests (
        tenant_id text COLLATE "C" NOT NULL,
        request_id uuid NOT NULL,
        did text COLLATE "C" NOT NULL,
        kind text NOT NULL CHECK (kind IN ('capability', 'role')),
        name text COLLATE "C" NOT NULL,
        state text NOT NULL CHECK (state IN ('OPEN', 'GRANTED', 'REFUSED', 'EXPIRED')),
        requested_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        decided_at timestamptz,
        decided_by text COLLATE "C",
        role_given text COLLATE "C",
        PRIMARY KEY (tenant_id, request_id)
      );
      CREATE UNIQUE INDEX access_requests_open ON access_requests (tenant_id, did, kind, name) WHERE state = 'OPEN';
      CREATE INDEX access_requests_by_time ON access_requests (tenant_id, requested_at);
      ${isolateByTenant('access_requests', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], [])}
    `,
  },
]

export const request_states = ['OPEN', 'GRANTED', 'REFUSED', 'EXPIRED'] as const
export type RequestState = (typeof request_states)[number]

export interface AccessRequest {
  readonly request_id: string
  readonly did: string
  readonly kind: 'capability' | 'role'
  readonly name: string
  readonly state: RequestState
  readonly requested_at: Date
  readonly expires_at: Date
  readonly decided_at: Date | null
  readonly decided_by: string | null
  readonly role_given: string | null
}

const kept_days = 90

/** One at a time in an organization, so that limits hold. Ends what nobody decided in time, and deletes what is old. */
export async function tidyRequests(db: Database, tenant_id: string, now: Date): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`access_requests|${tenant_id}`}, 0))`.execute(db)
  await sql`
    UPDATE access_requests SET state = 'EXPIRED'
    WHERE tenant_id = ${tenant_id} AND state = 'OPEN' AND expires_at <= ${now}`.execute(db)
  await sql`
    DELETE FROM access_requests WHERE tenant_id = ${tenant_id}
      AND requested_at < ${now}::timestamptz - ${kept_days} * interval '1 day'`.execute(db)
}

export async function countOpen(
  db: Database,
  tenant_id: string,
  did: string,
): Promise<{ readonly own: number; readonly all: number }> {
  const row = await sql<{ own: string; all: string }>`
    SELECT count(*) FILTER (WHERE did = ${did}) AS own, count(*) AS all FROM access_requests
    WHERE tenant_id = ${tenant_id} AND state = 'OPEN'`.first(db)
  return { own: Number(row!.own), all: Number(row!.all) }
}

export async function addRequest(
  db: Database,
  tenant_id: string,
  { request_id, did, kind, name, requested_at, expires_at }: AccessRequest,
): Promise<void> {
  await sql`
    INSERT INTO access_requests (tenant_id, request_id, did, kind, name, state, requested_at, expires_at)
    VALUES (${tenant_id}, ${request_id}, ${did}, ${kind}, ${name}, 'OPEN', ${requested_at}, ${expires_at})`.execute(
    db,
  )
}

interface RequestFilter {
  readonly did?: string | undefined
  readonly state?: RequestState | undefined
  readonly request_id?: string | undefined
  readonly limit: number
}

/** Newest first. An open one past its time counts as expired. */
export function findRequests(
  db: Database,
  tenant_id: string,
  now: Date,
  { did, state, request_id, limit }: RequestFilter,
): Promise<AccessRequest[]> {
  return sql<AccessRequest>`
    SELECT * FROM (
      SELECT request_id, did, kind, name,
        CASE WHEN state = 'OPEN' AND expires_at <= ${now} THEN 'EXPIRED' ELSE state END AS state,
        requested_at, expires_at, decided_at, decided_by, role_given
      FROM access_requests WHERE tenant_id = ${tenant_id}
    ) r
    WHERE (${did ?? null}::text IS NULL OR did = ${did ?? null})
      AND (${state ?? null}::text IS NULL OR state = ${state ?? null})
      AND (${request_id ?? null}::uuid IS NULL OR request_id = ${request_id ?? null})
    ORDER BY requested_at DESC, request_id LIMIT ${limit}`.all(db)
}

/** After `tidyRequests`, whose lock keeps others from deciding meanwhile. */
export async function endRequest(
  db: Database,
  tenant_id: string,
  { request_id, state, decided_by, role_given }: Decision,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE access_requests SET state = ${state}, decided_at = ${now}, decided_by = ${decided_by}, role_given = ${role_given}
    WHERE tenant_id = ${tenant_id} AND request_id = ${request_id}`.execute(db)
}

type Decision = Pick<AccessRequest, 'request_id' | 'state' | 'decided_by' | 'role_given'>
