// Motions as rows: the body never changes, only the state.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import type { Advanced, Motion, MotionBody, MotionState } from './motion.ts'

interface MotionRow {
  readonly council_id: string
  readonly motion_hash: string
  readonly state: MotionState
  readonly body: string
}

const columns = sql`council_id, motion_hash, state, body`

export async function keepMotion(db: Database, motion: Motion, next_at: Date | null): Promise<void> {
  const { body, council_id, motion_hash, state } = motion
  await sql`
    INSERT INTO motions (tenant_id, motion_id, council_id, motion_hash, body, state, next_at)
    VALUES (${body.tenant_id}, ${body.motion_id}, ${council_id}, ${motion_hash}, ${canonicalJson(body)}, ${state},
      ${next_at})`.execute(db)
}

/** Locked until the transaction ends. */
export async function lockMotion(
  db: Database,
  tenant_id: string,
  motion_id: string,
): Promise<Motion | undefined> {
  const row = await sql<MotionRow>`
    SELECT ${columns} FROM motions WHERE tenant_id = ${tenant_id} AND motion_id = ${motion_id}
    FOR UPDATE`.first(db)
  return row && motionOf(row)
}

export async function findMotion(
  db: Database,
  tenant_id: string,
  motion_id: string,
): Promise<Motion | undefined> {
  const row = await sql<MotionRow>`
    SELECT ${columns} FROM motions WHERE tenant_id = ${tenant_id} AND motion_id = ${motion_id}`.first(db)
  return row && motionOf(row)
}

export interface MotionQuestion extends Bounds {
  readonly now: string
  readonly motion_id?: string | undefined
  readonly state?: MotionState | undefined
  readonly charter_level?: boolean | undefined
}

/** Newest first; a state filter also returns those that may be due to enter it. */
export async function listMotions(
  db: Database,
  tenant_id: string,
  question: MotionQuestion,
): Promise<Motion[]> {
  const { motion_id, state, charter_level, now } = question
  const page = pageOf(question, sql`convened_at`, sql`motion_id`, [
    ...(motion_id === undefined ? [] : [sql`motion_id = ${motion_id}`]),
    ...(state === undefined ? [] : [sql`(state = ${state} OR next_at <= ${now})`]),
    ...(charter_level === undefined
      ? []
      : [sql`(body::jsonb -> 'charter_level')::boolean = ${charter_level}`]),
  ])
  const rows = await sql<MotionRow>`
    SELECT ${columns} FROM motions WHERE tenant_id = ${tenant_id} AND ${page}`.all(db)
  return rows.map(motionOf)
}

export async function keepState(db: Database, { body }: Motion, { state, next_at }: Advanced): Promise<void> {
  await sql`
    UPDATE motions SET state = ${state}, next_at = ${next_at}
    WHERE tenant_id = ${body.tenant_id} AND motion_id = ${body.motion_id}`.execute(db)
}

export interface DueMotion {
  readonly tenant_id: string
  readonly motion_id: string
}

/** As the engine's role: all tenants, the longest due first. */
export async function findDueMotions(db: Database, now: Date, limit: number): Promise<DueMotion[]> {
  return sql<DueMotion>`
    SELECT tenant_id, motion_id FROM motions WHERE next_at <= ${now} ORDER BY next_at LIMIT ${limit}`.all(db)
}

function motionOf({ body, ...row }: MotionRow): Motion {
  return { ...row, body: JSON.parse(body) as MotionBody }
}
