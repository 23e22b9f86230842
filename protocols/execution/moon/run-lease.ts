// One engine executes a run, by a lease on the database's clock. The epoch shuts out stale holders.
import type { Database } from '@svc/contract/database'
import { refuse } from '@svc/contract/refusal'
import { type Fragment, sql } from '@svc/database/sql'
import type { RunRow } from './run-store.ts'

/** PostgreSQL's code. */
const division_by_zero = '22012'

export interface Claimed {
  readonly tenant_id: string
  readonly run_id: string
  readonly epoch: number
}

export interface Claim {
  readonly owner: string
  readonly lease_ms: number
  readonly now: Date
  readonly limit: number
}

/** Claims due runs that no engine holds, the longest due first. */
export async function claimOldest(db: Database, wish: Claim): Promise<Claimed[]> {
  const { now, limit } = wish
  return claim(
    db,
    wish,
    sql`SELECT tenant_id, run_id FROM moon_run WHERE ${isDue(now)} ORDER BY wake_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
  )
}

/** Claims the run that is longest due of each of the next organizations: however many runs one has, the others come to their turn. */
export async function claimOfEach(
  db: Database,
  wish: Claim,
  after: string,
  but: readonly string[],
): Promise<Claimed[]> {
  const { now, limit } = wish
  return claim(
    db,
    wish,
    sql`WITH RECURSIVE ring AS (
        (SELECT tenant_id, 1 AS place FROM moon_run WHERE tenant_id COLLATE "C" > ${after} AND ${isDue(now)}
          ORDER BY tenant_id COLLATE "C" LIMIT 1)
        UNION ALL
        SELECT next.tenant_id, ring.place + 1 FROM ring CROSS JOIN LATERAL (
          SELECT tenant_id FROM moon_run WHERE tenant_id COLLATE "C" > ring.tenant_id AND ${isDue(now)}
          ORDER BY tenant_id COLLATE "C" LIMIT 1) AS next
        WHERE ring.place < ${limit}),
      oldest AS (
        SELECT one.tenant_id, one.run_id FROM ring CROSS JOIN LATERAL (
          SELECT tenant_id, run_id FROM moon_run WHERE tenant_id COLLATE "C" = ring.tenant_id AND ${isDue(now)}
          ORDER BY wake_at LIMIT 1) AS one
        WHERE ring.tenant_id <> ALL(${but}::text[]))
      SELECT tenant_id, run_id FROM moon_run WHERE (tenant_id, run_id) IN (SELECT tenant_id, run_id FROM oldest)
        AND ${isDue(now)} FOR UPDATE SKIP LOCKED`,
  )
}

function isDue(now: Date): Fragment {
  return sql`wake_at <= ${now} AND ended_at IS NULL AND (lease_until IS NULL OR lease_until < clock_timestamp())`
}

function claim(db: Database, { owner, lease_ms }: Claim, runs: Fragment): Promise<Claimed[]> {
  return sql<Claimed>`
    UPDATE moon_run SET lease_owner = ${owner}, epoch = epoch + 1,
      lease_until = clock_timestamp() + ${lease_ms} * interval '1 millisecond'
    WHERE (tenant_id, run_id) IN (${runs})
    RETURNING tenant_id, run_id, epoch::float8 AS epoch`.all(db)
}

/**
 * Renews the leases of an owner at once and returns those it still has. A run whose row is locked now is left for the next time: waiting for
 * it would let all the others expire.
 */
export async function renewLeases(
  db: Database,
  owner: string,
  lease_ms: number,
  leases: readonly Claimed[],
): Promise<ReadonlySet<string>> {
  if (leases.length === 0) return new Set()
  const rows = await sql<{ run_id: string }>`
    WITH mine AS (
      SELECT moon_run.tenant_id, moon_run.run_id FROM moon_run
      JOIN unnest(${leases.map(({ tenant_id }) => tenant_id)}::text[], ${leases.map(({ run_id }) => run_id)}::text[],
        ${leases.map(({ epoch }) => epoch)}::bigint[]) AS claimed (tenant_id, run_id, epoch)
        USING (tenant_id, run_id, epoch)
      WHERE lease_owner = ${owner}),
    unlocked AS (
      SELECT tenant_id, run_id FROM moon_run WHERE (tenant_id, run_id) IN (SELECT tenant_id, run_id FROM mine)
      ORDER BY tenant_id, run_id FOR UPDATE SKIP LOCKED),
    renewed AS (
      UPDATE moon_run SET lease_until = clock_timestamp() + ${lease_ms} * interval '1 millisecond'
      FROM unlocked WHERE moon_run.tenant_id = unlocked.tenant_id AND moon_run.run_id = unlocked.run_id
        AND lease_owner = ${owner})
    SELECT run_id FROM mine`.all(db)
  return new Set(rows.map(({ run_id }) => run_id))
}

/** Pending requests of a run whose row is locked. */
export type HeldRun = Pick<RunRow, 'cancel' | 'state'>

/**
 * Locks those of the runs whose lease still stands and that nobody else has locked: it never waits, so it never meets another in a circle.
 * By claim, not by run: an engine that has lost a run and claimed it again may ask for both.
 */
export async function holdRuns(
  db: Database,
  tenant_id: string,
  claimed: readonly Claimed[],
): Promise<Map<Claimed, HeldRun>> {
  const rows = await sql<HeldRun & { place: number }>`
    SELECT claimed.place::float8 AS place, moon_run.cancel, moon_run.state
    FROM unnest(${claimed.map(({ run_id }) => run_id)}::text[], ${claimed.map(({ epoch }) => epoch)}::bigint[])
      WITH ORDINALITY AS claimed (run_id, epoch, place)
    JOIN moon_run ON moon_run.tenant_id = ${tenant_id} AND moon_run.run_id = claimed.run_id
      AND moon_run.epoch = claimed.epoch
    FOR UPDATE OF moon_run SKIP LOCKED`.all(db)
  return new Map(rows.map(({ place, ...run }) => [claimed[place - 1]!, run]))
}

/** Locks the run for this transaction and returns pending requests; undefined if the lease is lost. */
export async function holdRun(
  db: Database,
  { tenant_id, run_id, epoch }: Claimed,
): Promise<HeldRun | undefined> {
  return sql<HeldRun>`
    SELECT cancel, state FROM moon_run
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND epoch = ${epoch} FOR UPDATE`.first(db)
}

/**
 * For the transaction of a step that has claimed its key. Whoever claims the run afterwards asks for the step with that key, and waits for
 * this transaction; whoever has claimed it before may have given the step up, so that it must not happen any more.
 */
export async function refuseLost(db: Database, { tenant_id, run_id, epoch }: Claimed): Promise<void> {
  try {
    // The statement itself fails, so that a COMMIT that is on its way behind it does nothing.
    await sql`SELECT 1 / count(*)::integer AS holds FROM moon_run
      WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND epoch = ${epoch}`.execute(db)
    return
  } catch (error) {
    if ((error as { code?: unknown }).code !== division_by_zero) throw error
  }
  throw refuse(
    'invalid_request',
    'Another engine has taken over the run of this step, so nothing was done here; ask for the status of the run.',
    { reason: 'caller left' },
  )
}

/** Releases the lease after a failure, with a delay so that the run is not retried in a tight loop. */
export async function releaseRun(
  db: Database,
  { tenant_id, run_id, epoch }: Claimed,
  wake_at: Date,
): Promise<void> {
  await sql`UPDATE moon_run SET lease_owner = NULL, lease_until = NULL, wake_at = ${wake_at}
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND epoch = ${epoch} AND ended_at IS NULL`.execute(
    db,
  )
}
