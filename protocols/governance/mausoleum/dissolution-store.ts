// Dissolutions and their steps as rows. A step locks the row first.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import type { Blocked, Dissolution, DissolutionState, Step } from './dissolution.ts'

const columns = sql.raw(`d.dissolution_id, d.tenant_id, d.state, d.blocked, d.reason, d.schedule, d.authority,
  d.initiated_by, d.initiated_at, d.notice_until, d.successor_tenant`)

/** Serializes initiating and cancelling per tenant. */
export async function lockTenant(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`dissolution|${tenant_id}`}, 0))`.execute(db)
}

/** The one that was not cancelled. */
export async function findOpen(db: Database, tenant_id: string): Promise<Dissolution | undefined> {
  return sql<Dissolution>`
    SELECT ${columns} FROM dissolutions d WHERE d.tenant_id = ${tenant_id} AND d.state <> 'CANCELLED'`.first(
    db,
  )
}

export async function findDissolution(db: Database, id: string): Promise<Dissolution | undefined> {
  return sql<Dissolution>`
    SELECT ${columns} FROM dissolutions d WHERE d.dissolution_id = ${id}`.first(db)
}

export interface ListedDissolution extends Dissolution {
  readonly cancelled_by: string | null
  readonly cancelled_at: Date | null
}

/** Of the organization itself and of those it succeeds, newest first. */
export async function listDissolutions(
  db: Database,
  tenant_id: string,
  question: Bounds & { readonly dissolution_id?: string | undefined },
): Promise<ListedDissolution[]> {
  const { dissolution_id, limit } = question
  const filters = dissolution_id === undefined ? [] : [sql`d.dissolution_id = ${dissolution_id}`]
  const page = pageOf(question, sql`d.initiated_at`, sql`d.dissolution_id`, filters)
  return sql<ListedDissolution>`
    SELECT ${columns}, d.cancelled_by, d.cancelled_at FROM (
      (SELECT d.* FROM dissolutions d WHERE d.tenant_id = ${tenant_id} AND ${page})
      UNION ALL
      (SELECT d.* FROM dissolutions d
        WHERE d.successor_tenant = ${tenant_id} AND d.tenant_id <> ${tenant_id} AND ${page})
    ) d ORDER BY d.initiated_at DESC, d.dissolution_id DESC LIMIT ${limit}`.all(db)
}

/** Undefined if another transaction holds it. */
export async function tryLockDissolution(db: Database, id: string): Promise<Dissolution | undefined> {
  return sql<Dissolution>`
    SELECT ${columns} FROM dissolutions d WHERE d.dissolution_id = ${id} FOR UPDATE SKIP LOCKED`.first(db)
}

export async function keepDissolution(db: Database, dissolution: Dissolution): Promise<void> {
  const { dissolution_id, tenant_id, state, reason, schedule, authority } = dissolution
  await sql`
    INSERT INTO dissolutions (dissolution_id, tenant_id, state, reason, schedule, authority, initiated_by, initiated_at,
      notice_until, successor_tenant)
    VALUES (${dissolution_id}, ${tenant_id}, ${state}, ${reason}, ${JSON.stringify(schedule)}, ${authority},
      ${dissolution.initiated_by}, ${dissolution.initiated_at}, ${dissolution.notice_until},
      ${dissolution.successor_tenant})`.execute(db)
}

/** False if it can no longer be cancelled. */
export async function keepCancelled(db: Database, id: string, by: string, at: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE dissolutions SET state = 'CANCELLED', cancelled_by = ${by}, cancelled_at = ${at}
    WHERE dissolution_id = ${id} AND state = 'INITIATED'`.execute(db)
  return numAffectedRows === 1n
}

/** A dissolving organization takes on no new obligations; every engine is notified on commit. */
export async function windUp(db: Database, begin: boolean): Promise<void> {
  await sql`SELECT svc_wind_up(${begin})`.execute(db)
}

export async function noticeSeconds(db: Database): Promise<number> {
  const row = await sql<{ seconds: string }>`
    SELECT svc_dissolution_notice() AS seconds`.first(db)
  return Number(row!.seconds)
}

/** As the engine's role, at each start: stores the configured notice period. */
export async function keepNotice(db: Database, seconds: number): Promise<void> {
  await sql`UPDATE dissolution_notice SET seconds = ${seconds} WHERE seconds <> ${seconds}`.execute(db)
}

/** Those with a due step, or ready to seal and to be watched. */
export async function findDueDissolutions(db: Database, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ dissolution_id: string }>`
    SELECT dissolution_id FROM dissolutions
    WHERE state NOT IN ('CANCELLED', 'ARCHIVED') AND notice_until <= ${now}
    ORDER BY notice_until LIMIT ${limit}`.all(db)
  return rows.map(({ dissolution_id }) => dissolution_id)
}

export async function doneSteps(db: Database, id: string): Promise<Set<string>> {
  const rows = await sql<{ step: Step }>`
    SELECT step FROM dissolution_steps WHERE dissolution_id = ${id}`.all(db)
  return new Set(rows.map(({ step }) => step))
}

/** When each step was done; a successor sees none. */
export async function stepTimes(db: Database, id: string): Promise<ReadonlyMap<string, Date>> {
  const rows = await sql<{ step: Step; done_at: Date }>`
    SELECT step, done_at FROM dissolution_steps WHERE dissolution_id = ${id}`.all(db)
  return new Map(rows.map(({ step, done_at }) => [step, done_at]))
}

export interface DoneStep {
  readonly step: Step
  readonly detail: Record<string, unknown>
  readonly state: DissolutionState
  readonly at: Date
}

/** The primary key also ensures that no step is done twice. */
export async function keepStep(
  db: Database,
  { dissolution_id, tenant_id }: Dissolution,
  { step, detail, state, at }: DoneStep,
): Promise<void> {
  await sql`
    INSERT INTO dissolution_steps (dissolution_id, step, tenant_id, done_at, detail)
    VALUES (${dissolution_id}, ${step}, ${tenant_id}, ${at}, ${JSON.stringify(detail)})`.execute(db)
  await sql`
    UPDATE dissolutions SET state = ${state}, blocked = NULL
    WHERE dissolution_id = ${dissolution_id}`.execute(db)
}

/** Writes only a change. */
export async function keepBlocked(db: Database, id: string, blocked: Blocked | null): Promise<void> {
  const blocked_json = blocked === null ? null : JSON.stringify(blocked)
  await sql`
    UPDATE dissolutions SET blocked = ${blocked_json}::jsonb
    WHERE dissolution_id = ${id} AND blocked IS DISTINCT FROM ${blocked_json}::jsonb
      AND state NOT IN ('ARCHIVED', 'CANCELLED')`.execute(db)
}

export interface SealRow {
  readonly final_seq: string
  readonly final_hash: string
  readonly sealed_at: Date
}

export async function findSeal(db: Database, tenant_id: string): Promise<SealRow | undefined> {
  return sql<SealRow>`
    SELECT final_seq, final_hash, sealed_at FROM chain_seals WHERE tenant_id = ${tenant_id}`.first(db)
}
