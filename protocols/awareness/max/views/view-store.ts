// Saved views as rows. A scheduled one is run by one engine at a time.
import type { Database } from '@svc/contract/database'
import type { SealedBox } from '@svc/contract/needs/vault'
import type { Tick } from '@svc/contract/tick'
import { type NotNull, sql } from '@svc/database/sql'
import type { Schedule } from './schedule.ts'

/** Names a view: `owner_did` is empty for one of the organization. */
export interface ViewName {
  readonly tenant_id: string
  readonly owner_did: string
  readonly name: string
}

export interface View {
  readonly owner_did: string
  readonly name: string
  readonly page: string | null
  readonly protocol: string
  readonly operation: string
  readonly filters: Readonly<Record<string, unknown>>
  readonly set_by: string
  readonly set_at: Date
  readonly schedule: Schedule | null
  readonly next_at: Date | null
  readonly last_run_at: Date | null
  readonly last_failure: string | null
  readonly has_file: boolean
}

const columns = sql`owner_did, name, page, protocol, operation, filters, set_by, set_at, schedule, next_at, last_run_at,
  last_failure, sealed_file IS NOT NULL AS has_file`

/** How many of this owner there are. Nobody else adds one until this transaction ends. */
export async function lockAndCountViews(db: Database, { tenant_id, owner_did }: ViewName): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`views|${tenant_id}|${owner_did}`}, 0))`.execute(
    db,
  )
  const row = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM saved_views WHERE tenant_id = ${tenant_id} AND owner_did = ${owner_did}`.first(
    db,
  )
  return row!.count
}

export async function findView(
  db: Database,
  { tenant_id, owner_did, name }: ViewName,
): Promise<View | undefined> {
  return sql<View>`
    SELECT ${columns} FROM saved_views
    WHERE tenant_id = ${tenant_id} AND owner_did = ${owner_did} AND name = ${name}`.first(db)
}

/** Of the organization, and of one identity. */
export async function listViews(db: Database, tenant_id: string, own_did: string): Promise<View[]> {
  return sql<View>`
    SELECT ${columns} FROM saved_views WHERE tenant_id = ${tenant_id} AND owner_did IN ('', ${own_did})
    ORDER BY name, owner_did`.all(db)
}

type NewView = Pick<
  View,
  'page' | 'protocol' | 'operation' | 'filters' | 'set_by' | 'set_at' | 'schedule' | 'next_at'
>

/** What it had made before is gone: the next file is that of the new query. */
export async function putView(
  db: Database,
  { tenant_id, owner_did, name }: ViewName,
  view: NewView,
  acting: SealedBox | undefined,
): Promise<void> {
  const { page, protocol, operation, filters, set_by, set_at, schedule, next_at } = view
  const schedule_text = schedule && JSON.stringify(schedule)
  await sql`DELETE FROM saved_views WHERE tenant_id = ${tenant_id} AND owner_did = ${owner_did} AND name = ${name}`.execute(
    db,
  )
  await sql`
    INSERT INTO saved_views (tenant_id, owner_did, name, page, protocol, operation, filters, set_by, set_at, schedule,
      sealed_acting, acting_key, next_at)
    VALUES (${tenant_id}, ${owner_did}, ${name}, ${page}, ${protocol}, ${operation}, ${JSON.stringify(filters)}::jsonb, ${set_by},
      ${set_at}, ${schedule_text}::jsonb, ${acting?.sealed ?? null}, ${acting?.wrapped_key ?? null}, ${next_at})`.execute(
    db,
  )
}

/** False where there is none. */
export async function removeView(db: Database, { tenant_id, owner_did, name }: ViewName): Promise<boolean> {
  return sql`
    DELETE FROM saved_views WHERE tenant_id = ${tenant_id} AND owner_did = ${owner_did} AND name = ${name}
    RETURNING name`.exists(db)
}

export async function fileOfView(
  db: Database,
  { tenant_id, owner_did, name }: ViewName,
): Promise<SealedBox | undefined> {
  const row = await sql<{ sealed_file: NotNull<Buffer>; file_key: NotNull<Buffer> }>`
    SELECT sealed_file, file_key FROM saved_views
    WHERE tenant_id = ${tenant_id} AND owner_did = ${owner_did} AND name = ${name} AND sealed_file IS NOT NULL`.first(
    db,
  )
  return row && { sealed: row.sealed_file, wrapped_key: row.file_key }
}

/** Longer than a run can take; then another engine takes over. */
const turn_s_max = 180
const of_tenant_max = 2

export interface DueView extends ViewName {
  readonly set_by: string
  readonly schedule: NotNull<Schedule>
  readonly sealed_acting: NotNull<Buffer>
  readonly acting_key: NotNull<Buffer>
  readonly next_at: NotNull<Date>
  readonly last_run_at: Date | null
  readonly taken_by: NotNull<string>
}

/** As the engine's role: of each organization only a few, so that none holds up the others. */
export async function takeDueViews(
  db: Database,
  { now, newId }: Tick,
  views_max: number,
): Promise<DueView[]> {
  return sql<DueView>`
    WITH ranked AS (
      SELECT tenant_id, owner_did, name, row_number() OVER (PARTITION BY tenant_id ORDER BY next_at) AS place FROM saved_views
      WHERE next_at <= ${now} AND taken_until < clock_timestamp()
    ), due AS (
      SELECT v.tenant_id, v.owner_did, v.name FROM saved_views v JOIN ranked USING (tenant_id, owner_did, name)
      WHERE ranked.place <= ${of_tenant_max} AND v.taken_until < clock_timestamp()
      ORDER BY v.next_at LIMIT ${views_max} FOR UPDATE OF v SKIP LOCKED
    )
    UPDATE saved_views v SET taken_by = ${newId()}, taken_until = clock_timestamp() + ${turn_s_max} * interval '1 s'
    FROM due WHERE v.tenant_id = due.tenant_id AND v.owner_did = due.owner_did AND v.name = due.name
    RETURNING v.tenant_id, v.owner_did, v.name, v.set_by, v.schedule, v.sealed_acting, v.acting_key, v.next_at, v.last_run_at,
      v.taken_by`.all(db)
}

export interface RunEnd {
  readonly file: SealedBox | undefined
  readonly failure: string | null
  readonly ran_at: Date | null
  readonly next_at: Date
}

/** False where the turn is over: it was changed, removed, or taken by another engine. */
export async function endRun(
  db: Database,
  { tenant_id, owner_did, name, taken_by }: DueView,
  { file, failure, ran_at, next_at }: RunEnd,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE saved_views SET sealed_file = ${file?.sealed ?? null}, file_key = ${file?.wrapped_key ?? null},
      last_failure = ${failure}, last_run_at = coalesce(${ran_at}::timestamptz, last_run_at), next_at = ${next_at},
      taken_by = NULL, taken_until = '-infinity'
    WHERE tenant_id = ${tenant_id} AND owner_did = ${owner_did} AND name = ${name} AND taken_by = ${taken_by}`.execute(
    db,
  )
  return numAffectedRows === 1n
}
