// Runs and their journals. A writer must hold the lease and pass its epoch: a stale writer writes nothing.

import type { Database } from '@svc/contract/database'
import type { StandIn } from '@svc/contract/needs/stand-in'
import type { Vault } from '@svc/contract/needs/vault'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { openJson, sealJson } from '../../cognition/content/api.ts'
import type { SkipReason, StepRecord, StepState } from '../recipes/api.ts'
import type { RunState } from './manifest.ts'

/** A journal row of a step: input for the recipe engine, and shown to users. */
export interface JournalRow extends StepRecord {
  readonly path: string
  readonly seq: number
  readonly started_at: Date
  /** When it is checked again: a timer, a retry, a runway. */
  readonly due_at: Date | null
  readonly ended_at: Date | null
  readonly elapsed_ms: number
  readonly error_code: string | null
  readonly record_id: string | null
}

export interface RunRow {
  readonly tenant_id: string
  readonly run_id: string
  readonly manifest_ref: string
  readonly owner_did: string
  readonly state: RunState
  readonly waiting_on: string | null
  readonly cancel: 'stop' | 'compensate' | null
  readonly undoing: 'failed' | 'cancelled' | null
  readonly error_code: string | null
  readonly confidence: number | null
  readonly correlation_id: string
  readonly depth: number
  readonly line: string | null
  readonly created_at: Date
  readonly started_at: Date | null
  readonly ended_at: Date | null
  readonly deadline_at: Date | null
  readonly journal_seq: number
  readonly epoch: number
}

/** A run with its sealed fields decrypted. */
export interface OpenRun extends RunRow {
  readonly acting: StandIn
  readonly input: unknown
  readonly output: unknown
}

interface SealedRun extends RunRow {
  readonly acting: Buffer
  readonly input: Buffer
  readonly output: Buffer | null
}

interface StoredStep extends Omit<JournalRow, 'data' | 'metadata' | 'error'> {
  readonly result: Buffer | null
}

const run_columns = sql`tenant_id, run_id, manifest_ref, owner_did, state, waiting_on, cancel, undoing, error_code,
  confidence, correlation_id, depth, line, created_at, started_at, ended_at, deadline_at,
  journal_seq::float8 AS journal_seq, epoch::float8 AS epoch, acting, input, output`

export interface NewRun {
  readonly run_id: string
  readonly manifest_ref: string
  readonly run_key: string | null
  readonly acting: StandIn
  readonly input: unknown
  /** Keyed hash: runs with the same value share a queue, and the value does not reveal its source. */
  readonly line: string | null
  readonly retry_of: string | null
  readonly now: string
  readonly deadline_at: Date | null
  /** By which it is found. */
  readonly attributes?: Attributes | undefined
}

export type Attributes = Readonly<Record<string, string>>

/** Keyed hashes: a list finds them, and they do not reveal their values. */
export function attributeTokens(vault: Vault, attributes: Attributes): string[] {
  return Object.entries(attributes).map(([name, value]) =>
    vault.blind(`attribute ${canonicalJson([name, value])}`),
  )
}

export interface Place {
  readonly db: Database
  readonly tenant_id: string
  readonly vault: Vault
}

/** The run with this key: the new one, or the one that existed before. */
export async function createRun({ db, tenant_id, vault }: Place, run: NewRun): Promise<string> {
  const { run_id, manifest_ref, run_key, acting, input, line, retry_of, now, deadline_at, attributes } = run
  const tokens = attributes ? attributeTokens(vault, attributes) : null
  const row = await sql<{ run_id: string }>`
    INSERT INTO moon_run AS kept (tenant_id, run_id, manifest_ref, run_key, owner_did, state, acting, input,
      correlation_id, depth, line, retry_of, created_at, deadline_at, wake_at, attributes,
      attribute_tokens)
    VALUES (${tenant_id}, ${run_id}, ${manifest_ref}, ${run_key && vault.blind(`run ${run_key}`)}, ${acting.did},
      'pending', ${sealJson(vault, `acting ${run_id}`, acting)}, ${sealJson(vault, `input ${run_id}`, input)},
      ${acting.correlation_id}, ${acting.depth}, ${line},
      ${retry_of}, ${now}, ${deadline_at}, ${now},
      ${attributes ? sealJson(vault, `attributes ${run_id}`, attributes) : null}, ${tokens}::text[])
    ON CONFLICT (tenant_id, run_key) WHERE run_key IS NOT NULL
      DO UPDATE SET run_key = excluded.run_key
    RETURNING run_id`.first(db)
  return row!.run_id
}

export async function findRun(place: Place, run_id: string): Promise<OpenRun | undefined> {
  const row = await sql<SealedRun>`SELECT ${run_columns} FROM moon_run
    WHERE tenant_id = ${place.tenant_id} AND run_id = ${run_id}`.first(place.db)
  return row && openRun(place.vault, row)
}

export async function runOfKey(place: Place, run_key: string): Promise<OpenRun | undefined> {
  const row = await sql<SealedRun>`SELECT ${run_columns} FROM moon_run
    WHERE tenant_id = ${place.tenant_id} AND run_key = ${place.vault.blind(`run ${run_key}`)}`.first(place.db)
  return row && openRun(place.vault, row)
}

function openRun(vault: Vault, row: SealedRun): OpenRun {
  const { run_id, acting, input, output } = row
  return {
    ...row,
    acting: openJson(vault, `acting ${run_id}`, acting),
    input: openJson(vault, `input ${run_id}`, input),
    output: output === null ? undefined : openJson(vault, `output ${run_id}`, output),
  }
}

/** The journal, or the rows written after a sequence number. */
export async function readJournal(place: Place, run_id: string, after_seq = 0): Promise<JournalRow[]> {
  const rows = await sql<StoredStep>`
    SELECT path, seq::float8 AS seq, state, attempt, started_at, due_at, ended_at, elapsed_ms, base_score, decision,
      skip_reason, error_code, result, record_id FROM moon_step
    WHERE tenant_id = ${place.tenant_id} AND run_id = ${run_id} AND seq > ${after_seq}
    ORDER BY seq`.all(place.db)
  return rows.map((row) => openStep(place.vault, run_id, row))
}

function openStep(vault: Vault, run_id: string, { result, ...row }: StoredStep): JournalRow {
  const { base_score, decision, skip_reason, ...rest } = row
  return {
    ...rest,
    state: row.state as StepState,
    ...(result && openJson<object>(vault, `step ${run_id} ${row.path}`, result)),
    ...(base_score !== null && { base_score: base_score as number }),
    ...(decision !== null && { decision: decision as boolean }),
    ...(skip_reason !== null && { skip_reason: skip_reason as SkipReason }),
  }
}

export async function forgetRows(
  { db, tenant_id }: Place,
  run_id: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return
  await sql`DELETE FROM moon_step
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND path = ANY(${[...paths]})`.execute(db)
}

/** A row of a run's journal as it is stored. */
export interface SealedStep extends JournalRow {
  readonly run_id: string
  readonly result: Buffer | null
  readonly input: Buffer | null
}

/** With the inputs of the calls that begin with these rows. */
export function sealJournal(
  vault: Vault,
  run_id: string,
  rows: readonly JournalRow[],
  begun: ReadonlyMap<string, object> = new Map(),
): SealedStep[] {
  return rows.map((row) => {
    const { path, data, metadata, error } = row
    const is_empty = data === undefined && metadata === undefined && error === undefined
    const call = begun.get(path)
    return {
      ...row,
      run_id,
      result: is_empty ? null : sealJson(vault, `step ${run_id} ${path}`, { data, metadata, error }),
      input: call && 'input' in call ? sealJson(vault, `input ${run_id} ${path}`, call.input) : null,
    }
  })
}

/** As columns, so that the text of the statement is the same for any number of rows, and stays prepared. */
export async function writeJournal(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  steps: readonly SealedStep[],
): Promise<void> {
  if (steps.length === 0) return
  await sql`
    INSERT INTO moon_step (tenant_id, run_id, path, seq, state, attempt, started_at, due_at, ended_at, elapsed_ms,
      base_score, decision, skip_reason, error_code, result, record_id, input)
    SELECT ${tenant_id}, * FROM unnest(${steps.map((step) => step.run_id)}::text[],
      ${steps.map((step) => step.path)}::text[], ${steps.map((step) => step.seq)}::bigint[],
      ${steps.map((step) => step.state)}::text[], ${steps.map((step) => step.attempt)}::integer[],
      ${steps.map((step) => step.started_at)}::timestamptz[], ${steps.map((step) => step.due_at)}::timestamptz[],
      ${steps.map((step) => step.ended_at)}::timestamptz[], ${steps.map((step) => step.elapsed_ms)}::float8[],
      ${steps.map((step) => step.base_score ?? null)}::float8[],
      ${steps.map((step) => step.decision ?? null)}::boolean[],
      ${steps.map((step) => step.skip_reason ?? null)}::text[], ${steps.map((step) => step.error_code)}::text[],
      ${steps.map((step) => step.result)}::bytea[], ${steps.map((step) => step.record_id)}::text[],
      ${steps.map((step) => step.input)}::bytea[])
    ON CONFLICT (tenant_id, run_id, path) DO UPDATE SET seq = excluded.seq, state = excluded.state,
      attempt = excluded.attempt, started_at = excluded.started_at, due_at = excluded.due_at,
      ended_at = excluded.ended_at, elapsed_ms = excluded.elapsed_ms, base_score = excluded.base_score,
      decision = excluded.decision, skip_reason = excluded.skip_reason, error_code = excluded.error_code,
      result = excluded.result, record_id = excluded.record_id,
      input = coalesce(excluded.input, moon_step.input)`.execute(db)
}

/** Of attempts that were followed by another; the last one is the row of the step. */
export async function writeAttempts(
  { db, tenant_id, vault }: Place,
  run_id: string,
  rows: readonly JournalRow[],
): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map(({ path, data, error, ...row }) => {
    const result = sealJson(vault, `attempt ${run_id} ${path} ${row.seq}`, { data, error })
    return sql`(${tenant_id}, ${run_id}, ${path}, ${row.seq}, ${row.attempt}, ${row.started_at}, ${row.ended_at},
      ${row.elapsed_ms}, ${row.error_code}, ${result}, ${row.record_id})`
  })
  await sql`
    INSERT INTO moon_attempt (tenant_id, run_id, path, seq, attempt, started_at, ended_at, elapsed_ms, error_code,
      result, record_id)
    VALUES ${sql.join(values)}`.execute(db)
}

/** Changes to the run itself after a turn. */
export interface RunChange {
  readonly state: RunState
  readonly waiting_on: string | null
  readonly undoing: RunRow['undoing']
  readonly error_code: string | null
  readonly confidence: number | null
  readonly output?: unknown
  readonly started_at: Date | null
  readonly ended_at: Date | null
  readonly journal_seq: number
  /** Null: only a signal wakes it. */
  readonly wake_at: Date | null
  /** Whether this change releases the lease. */
  readonly released: boolean
}

/** A run as it was loaded, with the epoch of its lease, and what becomes of it. */
export type RunWrite = Pick<RunRow, 'run_id' | 'epoch'> & { readonly change: RunChange }

/** A run that goes on keeps the time at which it became due: a changed one would be written into every index. */
export async function writeRuns({ db, tenant_id, vault }: Place, writes: readonly RunWrite[]): Promise<void> {
  const changes = writes.map(({ run_id, epoch, change }) => {
    const { output, ...rest } = change
    return {
      ...rest,
      run_id,
      epoch,
      output: output === undefined ? null : sealJson(vault, `output ${run_id}`, output),
    }
  })
  await sql`UPDATE moon_run SET state = change.state, waiting_on = change.waiting_on,
      undoing = change.undoing, error_code = change.error_code, confidence = change.confidence,
      output = coalesce(change.output, moon_run.output), started_at = change.started_at,
      ended_at = change.ended_at, journal_seq = change.journal_seq,
      wake_at = CASE WHEN change.released THEN change.wake_at ELSE LEAST(moon_run.wake_at, change.wake_at) END,
      lease_owner = CASE WHEN change.released THEN NULL ELSE moon_run.lease_owner END,
      lease_until = CASE WHEN change.released THEN NULL ELSE moon_run.lease_until END
    FROM unnest(${changes.map(({ run_id }) => run_id)}::text[], ${changes.map(({ epoch }) => epoch)}::bigint[],
      ${changes.map(({ state }) => state)}::text[], ${changes.map(({ waiting_on }) => waiting_on)}::text[],
      ${changes.map(({ undoing }) => undoing)}::text[], ${changes.map(({ error_code }) => error_code)}::text[],
      ${changes.map(({ confidence }) => confidence)}::float8[], ${changes.map(({ output }) => output)}::bytea[],
      ${changes.map(({ started_at }) => started_at)}::timestamptz[],
      ${changes.map(({ ended_at }) => ended_at)}::timestamptz[],
      ${changes.map(({ journal_seq }) => journal_seq)}::bigint[],
      ${changes.map(({ wake_at }) => wake_at)}::timestamptz[],
      ${changes.map(({ released }) => released)}::boolean[])
      AS change (run_id, epoch, state, waiting_on, undoing, error_code, confidence, output, started_at, ended_at,
        journal_seq, wake_at, released)
    WHERE moon_run.tenant_id = ${tenant_id} AND moon_run.run_id = change.run_id
      AND moon_run.epoch = change.epoch`.execute(db)
}
