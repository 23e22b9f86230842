// Requests to a run under way: signal, cancel.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { sealJson } from '../../cognition/content/api.ts'
import { hasEnded } from './manifest.ts'
import { outcome_signal } from './run-beginning.ts'
import { run_ref_start } from './run-effect.ts'
import { runTopic, work_topic } from './run-executor.ts'
import { refuseOddSignal, requirePlace, type SentSignal, type SignalContext } from './run-signal.ts'
import { findRun, type OpenRun, readJournal } from './run-store.ts'

const signals_max = 10_000
/** The answer that a report may bring, and what names its step. */
const signal_bytes_max = 1024 * 1024 + 1024

export async function requireRun(context: OperationContext<'vault'>, run_ref: string): Promise<OpenRun> {
  const run = await findRun(context, run_ref.slice(run_ref_start.length))
  if (!run) throw notFound('run', run_ref)
  return run
}

export async function sendSignal(context: SignalContext, run: OpenRun, signal: SentSignal): Promise<void> {
  const bytes = Buffer.byteLength(JSON.stringify(signal.payload ?? {}))
  if (bytes > signal_bytes_max)
    throw refuse(
      'invalid_payload',
      `The payload of a signal may have ${signal_bytes_max} bytes, and this has ${bytes}; send a reference to it.`,
      { reason: 'signal size', path: '/signal/payload' },
    )
  // Before the run is locked: reading a payload may take long, and the run must be able to go on meanwhile.
  const complete = { ...signal, payload: signal.payload ?? {} }
  const is_report = signal.name === outcome_signal
  const plan = is_report || hasEnded(run.state) ? undefined : await refuseOddSignal(context, run, complete)
  const open = await holdOpen(context, run, 'a signal')
  if (is_report) await refuseOddOutcome(context, run, signal.payload)
  else await requirePlace(context, { ...run, ...open }, plan, complete)
  const { db, tenant_id, vault } = context
  const row = await sql<{ sent: number }>`SELECT count(*)::float8 AS sent FROM moon_signal
    WHERE tenant_id = ${tenant_id} AND run_id = ${run.run_id}`.first(db)
  if (row!.sent >= signals_max)
    throw refuse(
      'policy_denied',
      `This run has received ${signals_max} signals, the most that a run may; start another run.`,
      {
        reason: 'signals',
      },
    )
  const payload = sealJson(vault, `signal ${run.run_id}`, signal.payload ?? {})
  await sql`INSERT INTO moon_signal (tenant_id, run_id, name, payload, sent_by, sent_at)
    VALUES (${tenant_id}, ${run.run_id}, ${signal.name}, ${payload}, ${context.caller.did}, ${context.now})`.execute(
    db,
  )
  await wake(context, run)
}

export async function cancelRun(context: Waking, run: OpenRun, compensate: boolean): Promise<void> {
  await holdOpen(context, run, 'a cancellation')
  const how = compensate ? 'compensate' : 'stop'
  await sql`UPDATE moon_run SET cancel = ${how}
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run.run_id}`.execute(context.db)
  await wake(context, run)
}

export type Waking = Pick<
  OperationContext<'change_notifications'>,
  'db' | 'tenant_id' | 'now' | 'change_notifications' | 'afterCommit'
>

/** Outcomes must be explicit: anything but `performed: true` would repeat the call. */
async function refuseOddOutcome(
  context: OperationContext<'vault'>,
  run: OpenRun,
  payload: unknown,
): Promise<void> {
  const { path, performed } = (payload ?? {}) as { path?: unknown; performed?: unknown }
  if (typeof path !== 'string' || typeof performed !== 'boolean')
    throw refuse(
      'invalid_payload',
      'An outcome says which step and whether it was done: {path, performed, data}.',
      {
        reason: 'outcome',
        path: '/signal/payload',
      },
    )
  const journal = await readJournal(context, run.run_id)
  if (journal.some((row) => row.path === path && row.state === 'indeterminate')) return
  throw refuse(
    'policy_denied',
    `The run does not wait for an outcome of ${path}; see what it waits for with action status.`,
    {
      reason: 'step not indeterminate',
    },
  )
}

/** Notifies the worker that has the run; without one, a worker claims it. */
export async function wake(context: Waking, { run_id }: OpenRun): Promise<void> {
  await sql`UPDATE moon_run SET wake_at = LEAST(wake_at, ${context.now}::timestamptz)
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run_id}`.execute(context.db)
  context.afterCommit(async () => {
    context.change_notifications.tell(runTopic(run_id))
    context.change_notifications.tell(work_topic)
  })
}

type Held = Pick<OpenRun, 'state' | 'cancel' | 'undoing'>

/** The run may end between read and request, so lock the row and refuse ended runs. */
async function holdOpen({ db, tenant_id }: Waking, run: OpenRun, what: string): Promise<Held> {
  const { run_id } = run
  const row = await sql<Held>`SELECT state, cancel, undoing FROM moon_run
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} FOR UPDATE`.first(db)
  const { state } = row!
  if (!hasEnded(state)) return row!
  throw refuse(
    'policy_denied',
    `Run ${run_ref_start}${run_id} has ended (${state}) and takes ${what} no more.`,
    {
      reason: `run ${state}`,
    },
  )
}
