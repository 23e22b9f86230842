// Loads what a carrier needs before its first turn, and the signals sent since.
import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import { Refusal } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { openJson } from '../../cognition/content/api.ts'
import type { Plan } from '../recipes/api.ts'
import { hasEnded, type Manifest } from './manifest.ts'
import { findManifest } from './manifest-store.ts'
import { outcome_signal } from './run-beginning.ts'
import type { Executor } from './run-executor.ts'
import type { Claimed } from './run-lease.ts'
import type { Signal } from './run-progress.ts'
import {
  findRun,
  type JournalRow,
  type OpenRun,
  type RunChange,
  readJournal,
  writeRuns,
} from './run-store.ts'

const signals_max = 100
/** Of all signals that a turn reads, as they are stored; the first of each name is always read. */
const signals_bytes_max = 4 * 1024 * 1024
const line_wait_ms = 1_000

export interface LoadedRun {
  run: OpenRun
  readonly manifest: Manifest
  readonly plan: Plan
  readonly rows: Map<string, JournalRow>
  /** The names of the signals its gates wait for. */
  readonly awaited: ReadonlySet<string>
}

/** The run can no longer be executed and has failed. */
export interface FailedRun {
  readonly run: OpenRun
  readonly failed: string
}

interface Place {
  readonly db: Database
  readonly tenant_id: string
  readonly vault: Vault
}

/** Undefined if there is nothing to execute: the run has ended or is queued. */
export async function loadRun(
  place: Place,
  claimed: Claimed,
  executor: Executor,
): Promise<LoadedRun | FailedRun | undefined> {
  const run = await findRun(place, claimed.run_id)
  if (!run || hasEnded(run.state)) return undefined
  const stored = await findManifest(place, run.manifest_ref)
  const now = new Date(executor.clock.now_ms())
  if (!stored) throw new Error(`the manifest of run ${run.run_id} is gone`)
  const { manifest } = stored
  // A cancelled or overdue run ends even while queued.
  const is_called_off = run.cancel !== null || (run.deadline_at !== null && run.deadline_at <= now)
  if (run.state === 'pending' && !is_called_off && !(await mayStart(place, run, manifest))) {
    await release(place, run, { state: 'pending', wake_at: new Date(now.getTime() + line_wait_ms) })
    return undefined
  }
  try {
    const plan = await executor.planOf(manifest, place)
    const rows = new Map((await readJournal(place, run.run_id)).map((row) => [row.path, row]))
    const awaited = [...plan.steps.values()].flatMap((step) =>
      step.kind === 'Gate' && step.await?.signal !== undefined ? [step.await.signal] : [],
    )
    return { run, manifest, plan, rows, awaited: new Set(awaited) }
  } catch (thrown) {
    // A needed operation is no longer served: the run fails. Any other error is the carrier's, which tries again.
    if (!(thrown instanceof Refusal) || thrown.row.retry !== 'never') throw thrown
    const { code } = thrown
    await release(place, run, { state: 'failed', wake_at: null, ended_at: now, error_code: code })
    return { run, failed: code }
  }
}

async function release(
  place: Place,
  run: OpenRun,
  change: Pick<RunChange, 'state' | 'wake_at'> & {
    ended_at?: Date
    error_code?: string
  },
): Promise<void> {
  const { waiting_on, undoing, error_code, confidence, started_at, ended_at, journal_seq } = run
  const unchanged = { waiting_on, undoing, error_code, confidence, started_at, ended_at, journal_seq }
  await writeRuns(place, [{ ...run, change: { ...unchanged, ...change, released: true } }])
}

/** Limits how many runs of one queue are active; started runs go before those not started. */
async function mayStart({ db, tenant_id }: Place, run: OpenRun, { concurrency }: Manifest): Promise<boolean> {
  const { line, run_id, created_at } = run
  if (line === null) return true
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${tenant_id} ${line}`}, 0))`.execute(db)
  const row = await sql<{ ahead: number }>`
    SELECT count(*)::float8 AS ahead FROM moon_run
    WHERE tenant_id = ${tenant_id} AND line = ${line} AND ended_at IS NULL AND run_id <> ${run_id}
      AND (state <> 'pending' OR (created_at, run_id) < (${created_at}, ${run_id}))`.first(db)
  return row!.ahead < (concurrency?.max ?? 1)
}

/** The oldest signal of each awaited name: signals nobody waits for must not block the others. */
export async function readSignals(
  { db, tenant_id, vault }: Place,
  { run, awaited, rows: journal }: LoadedRun,
): Promise<Signal[]> {
  const { run_id } = run
  const asks = [...journal.values()].some(({ state }) => state === 'indeterminate')
  const names = asks ? [...awaited, outcome_signal] : [...awaited]
  if (names.length === 0) return []
  const rows = await sql<{ seq: number; name: string; payload: Buffer }>`
    SELECT seq, name, payload FROM (
      SELECT sent.seq::float8 AS seq, sent.name, sent.payload, sent.place,
        sum(octet_length(sent.payload)) OVER (ORDER BY sent.seq) AS bytes
      FROM unnest(${[...new Set(names)]}::text[]) AS wanted (name), LATERAL (
        SELECT seq, name, payload, row_number() OVER (ORDER BY seq) AS place FROM moon_signal
        WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND taken_by IS NULL AND name = wanted.name
        ORDER BY seq LIMIT ${signals_max}) AS sent) AS counted
    WHERE place = 1 OR bytes <= ${signals_bytes_max}
    ORDER BY seq`.all(db)
  return rows.map(({ seq, name, payload }) => ({
    seq,
    name,
    payload: openJson(vault, `signal ${run_id}`, payload),
  }))
}

export async function takeSignals(
  { db, tenant_id }: Place,
  run_id: string,
  taken: ReadonlyMap<number, string>,
): Promise<void> {
  if (taken.size === 0) return
  await sql`UPDATE moon_signal SET taken_by = given.path
    FROM unnest(${[...taken.keys()]}::bigint[], ${[...taken.values()]}::text[]) AS given (seq, path)
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} AND moon_signal.seq = given.seq`.execute(db)
}
