// Envelopes: a change is a new version, and the newest counts.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import type { Throttle } from '@svc/contract/money/books'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'

/** Bounds what every engine keeps in memory per tenant. */
export const envelopes_active_max = 256

export interface EnvelopeVersion {
  readonly envelope_id: string
  readonly version: number
  readonly department: string
  readonly state: 'ACTIVE' | 'CLOSED'
  readonly day_limit_micro_usd: bigint
  readonly month_limit_micro_usd: bigint
  readonly granted: readonly string[]
  readonly members: readonly string[]
  readonly authority: string
  readonly allocated_by: string
  readonly created_at: Date
  readonly effective_at: Date
}

type EnvelopeRow = Omit<EnvelopeVersion, 'day_limit_micro_usd' | 'month_limit_micro_usd'> & {
  readonly day_limit_micro_usd: string
  readonly month_limit_micro_usd: string
  readonly tenant_id: string
  readonly ended_at: Date | null
}

/** Serializes a tenant's allocations: a department without an envelope has no row to lock. */
export async function lockEnvelopes(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`envelopes|${tenant_id}`}, 0))`.execute(db)
}

const current = sql`
  SELECT tenant_id, envelope_id, version, department, state, day_limit_micro_usd, month_limit_micro_usd, granted,
    authority, allocated_by, created_at, effective_at, ended_at,
    ARRAY(SELECT m.did FROM envelope_members m WHERE m.tenant_id = e.tenant_id
      AND m.envelope_id = e.envelope_id AND m.version = e.version ORDER BY m.did) AS members
  FROM envelopes e`

export async function findEnvelope(
  db: Database,
  tenant_id: string,
  envelope_id: string,
): Promise<EnvelopeVersion | undefined> {
  const row = await sql<EnvelopeRow>`${current}
    WHERE tenant_id = ${tenant_id} AND envelope_id = ${envelope_id} AND ended_at IS NULL`.first(db)
  return row && envelopeFrom(row)
}

export async function findActiveOf(
  db: Database,
  tenant_id: string,
  department: string,
): Promise<EnvelopeVersion | undefined> {
  const row = await sql<EnvelopeRow>`${current}
    WHERE tenant_id = ${tenant_id} AND department = ${department} AND ended_at IS NULL
      AND state = 'ACTIVE'`.first(db)
  return row && envelopeFrom(row)
}

/** Ids of all envelopes that a department has or had, the newest first. */
export async function envelopesOf(db: Database, tenant_id: string, department: string): Promise<string[]> {
  const rows = await sql<{ envelope_id: string }>`
    SELECT envelope_id FROM envelopes WHERE tenant_id = ${tenant_id} AND department = ${department} AND ended_at IS NULL
    ORDER BY created_at DESC LIMIT ${envelopes_read_max}`.all(db)
  return rows.map(({ envelope_id }) => envelope_id)
}

const envelopes_read_max = 1_000

/** The department of each envelope, by its id. */
export async function departmentNames(
  db: Database,
  tenant_id: string,
  envelope_ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ envelope_id: string; department: string }>`
    SELECT envelope_id, department FROM envelopes
    WHERE tenant_id = ${tenant_id} AND envelope_id::text = ANY(${envelope_ids}::text[]) AND ended_at IS NULL`.all(
    db,
  )
  return new Map(rows.map(({ envelope_id, department }) => [envelope_id, department]))
}

function envelopeFrom(row: EnvelopeRow): EnvelopeVersion {
  return {
    ...row,
    day_limit_micro_usd: BigInt(row.day_limit_micro_usd),
    month_limit_micro_usd: BigInt(row.month_limit_micro_usd),
  }
}

/** The number of active ones, and their total monthly limit. */
export async function sumActive(
  db: Database,
  tenant_id: string,
): Promise<{ active: number; month_limits_micro_usd: bigint }> {
  const row = await sql<{ active: number; limits: string }>`
    SELECT count(*)::integer AS active, coalesce(sum(month_limit_micro_usd), 0) AS limits FROM envelopes
    WHERE tenant_id = ${tenant_id} AND ended_at IS NULL AND state = 'ACTIVE'`.first(db)
  return { active: row!.active, month_limits_micro_usd: BigInt(row!.limits) }
}

/** Under the tenant's lock. The previous version ends when this one starts. */
export async function addVersion(db: Database, tenant_id: string, added: EnvelopeVersion): Promise<void> {
  await sql`
    UPDATE envelopes SET ended_at = ${added.effective_at}
    WHERE tenant_id = ${tenant_id} AND envelope_id = ${added.envelope_id} AND ended_at IS NULL`.execute(db)
  await sql`
    INSERT INTO envelopes (tenant_id, envelope_id, version, department, state, day_limit_micro_usd,
      month_limit_micro_usd, granted, authority, allocated_by, created_at, effective_at)
    VALUES (${tenant_id}, ${added.envelope_id}, ${added.version}, ${added.department}, ${added.state},
      ${added.day_limit_micro_usd}, ${added.month_limit_micro_usd}, ${added.granted}, ${added.authority},
      ${added.allocated_by}, ${added.created_at}, ${added.effective_at})`.execute(db)
  await sql`
    INSERT INTO envelope_members (tenant_id, envelope_id, version, did)
    SELECT ${tenant_id}, ${added.envelope_id}, ${added.version}, did
    FROM unnest(${added.members}::text[]) AS member(did)`.execute(db)
}

export interface NewThrottle {
  readonly throttle_id: string
  readonly envelope_id: string
  readonly rules: readonly Throttle[]
  readonly set_by: string
  readonly in_force_from: Date
}

/** Under the tenant's lock. One list of rules is in force at a time; an empty one removes all. */
export async function replaceThrottles(db: Database, tenant_id: string, added: NewThrottle): Promise<void> {
  await sql`
    UPDATE throttles SET ended_at = ${added.in_force_from}
    WHERE tenant_id = ${tenant_id} AND envelope_id = ${added.envelope_id} AND ended_at IS NULL`.execute(db)
  await sql`
    INSERT INTO throttles (tenant_id, throttle_id, envelope_id, rules, set_by, in_force_from)
    VALUES (${tenant_id}, ${added.throttle_id}, ${added.envelope_id}, ${JSON.stringify(added.rules)},
      ${added.set_by}, ${added.in_force_from})`.execute(db)
}

export interface ListedEnvelope extends EnvelopeVersion {
  readonly throttle: {
    readonly throttle_id: string
    readonly rules: readonly Throttle[]
    readonly set_by: string
    readonly in_force_from: string
  } | null
}

type ListedRow = EnvelopeRow & Pick<ListedEnvelope, 'throttle'>

export interface EnvelopeQuestion extends Bounds {
  readonly envelope_id?: string | undefined
  readonly department?: string | undefined
  readonly state?: EnvelopeVersion['state'] | undefined
}

/** The current version of each, newest first. */
export async function listEnvelopes(
  db: Database,
  tenant_id: string,
  question: EnvelopeQuestion,
): Promise<ListedEnvelope[]> {
  const { envelope_id, department, state } = question
  const page = pageOf(question, sql`created_at`, sql`envelope_id`, [
    ...(envelope_id === undefined ? [] : [sql`envelope_id = ${envelope_id}`]),
    ...(department === undefined ? [] : [sql`department = ${department}`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
  ])
  const rows = await sql<ListedRow>`
    SELECT e.*, (SELECT jsonb_build_object('throttle_id', t.throttle_id, 'rules', t.rules, 'set_by', t.set_by,
        'in_force_from', t.in_force_from) FROM throttles t WHERE t.tenant_id = e.tenant_id
        AND t.envelope_id = e.envelope_id AND t.ended_at IS NULL AND t.rules <> '[]') AS throttle
    FROM (${current} WHERE tenant_id = ${tenant_id} AND ended_at IS NULL AND ${page}) e`.all(db)
  return rows.map((row) => ({ ...row, ...envelopeFrom(row) }))
}

const versions_max = 256

/** All versions of an envelope, newest first. */
export async function versionsOf(
  db: Database,
  tenant_id: string,
  envelope_id: string,
): Promise<(EnvelopeVersion & { readonly ended_at: Date | null })[]> {
  const rows = await sql<EnvelopeRow>`${current}
    WHERE tenant_id = ${tenant_id} AND envelope_id = ${envelope_id}
    ORDER BY version DESC LIMIT ${versions_max}`.all(db)
  return rows.map((row) => ({ ...envelopeFrom(row), ended_at: row.ended_at }))
}
