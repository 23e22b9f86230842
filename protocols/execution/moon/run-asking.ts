// Requests to an existing run: signal, cancel, retry.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { sealJson } from '../../cognition/content/api.ts'
import { isBefore, type Plan } from '../recipes/api.ts'
import { hasEnded } from './manifest.ts'
import { compileManifest } from './manifest-compile.ts'
import { findManifest, refuseInactive } from './manifest-store.ts'
import { outcome_signal } from './run-beginning.ts'
import { run_ref_start } from './run-effect.ts'
import { runTopic, work_topic } from './run-executor.ts'
import { undoneBy } from './run-path.ts'
import { createRun, findRun, type JournalRow, type OpenRun, readJournal, writeJournal } from './run-store.ts'

const signals_max = 10_000

export async function requireRun(context: OperationContext<'vault'>, run_ref: string): Promise<OpenRun> {
  const run = await findRun(context, run_ref.slice(run_ref_start.length))
  if (!run) throw notFound('run', run_ref)
  return run
}

export async function sendSignal(
  context: OperationContext<'change_notifications' | 'vault'>,
  run: OpenRun,
  signal: { readonly name: string; readonly payload?: unknown },
): Promise<void> {
  await holdOpen(context, run, 'a signal')
  if (signal.name === outcome_signal) await refuseOddOutcome(context, run, signal.payload)
  const { db, tenant_id, vault } = context
  const row = await sql<{ sent: number }>`SELECT count(*)::float8 AS sent FROM moon_signal
    WHERE tenant_id = ${tenant_id} AND run_id = ${run.run_id}`.first(db)
  if (row!.sent >= signals_max)
    throw refuse('policy_denied', `A run takes ${signals_max} signals; this one has had them.`, {
      reason: 'signals',
    })
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

type Waking = Pick<
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
  throw refuse('policy_denied', `No outcome of ${path} is waited for; ask for the status of the run.`, {
    reason: 'step not indeterminate',
  })
}

/** Notifies the worker that has the run; without one, a worker claims it. */
async function wake(context: Waking, { run_id }: OpenRun): Promise<void> {
  await sql`UPDATE moon_run SET wake_at = LEAST(wake_at, ${context.now}::timestamptz)
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run_id}`.execute(context.db)
  context.afterCommit(async () => {
    context.change_notifications.tell(runTopic(run_id))
    context.change_notifications.tell(work_topic)
  })
}

/** A new run that continues the old one: steps that succeeded before the retried step are copied. */
export async function retryRun(
  context: OperationContext<'change_notifications' | 'served' | 'standIn' | 'vault'>,
  old: OpenRun,
  from_step?: string,
): Promise<OpenRun> {
  if (!hasEnded(old.state) || old.state === 'succeeded')
    throw refuse(
      'policy_denied',
      `Only a run that ended without success is tried again; this one is ${old.state}.`,
      {
        reason: `run ${old.state}`,
      },
    )
  const manifest = await findManifest(context, old.manifest_ref)
  refuseInactive(manifest!)
  const { plan } = await compileManifest(context, manifest!.manifest, (protocol, operation_name) =>
    context.served.find(protocol, operation_name),
  )
  if (from_step !== undefined && !plan.steps.has(from_step)) throw notFound('step', from_step)
  const run_id = await createRun(context, {
    run_id: context.record_id,
    manifest_ref: old.manifest_ref,
    run_key: null,
    acting: context.standIn(),
    input: old.input,
    line: old.line,
    retry_of: old.run_id,
    now: context.now,
    deadline_at: null,
  })
  const journal = await readJournal(context, old.run_id)
  const undone = new Set(journal.map(({ path }) => undoneBy(path)))
  const taken = journal.filter((row) => !undone.has(row.path) && staysDone(plan, row, from_step))
  await writeJournal(
    context,
    run_id,
    taken.map((row, index) => ({ ...row, seq: index + 1 })),
  )
  await sql`UPDATE moon_run SET journal_seq = ${taken.length}
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run_id}`.execute(context.db)
  context.afterCommit(async () => context.change_notifications.tell(work_topic))
  return (await findRun(context, run_id))!
}

/** Steps skipped because of an earlier failure run again, as do gates and compensations. */
function staysDone(plan: Plan, { path, state, skip_reason }: JournalRow, from_step?: string): boolean {
  if (path.includes('@') || !plan.steps.has(path)) return false
  if (state !== 'succeeded' && !(state === 'skipped' && skip_reason !== 'upstream')) return false
  if (from_step === undefined) return true
  return path !== from_step && !path.startsWith(`${from_step}/`) && !isBefore(plan, from_step, path)
}

/** The run may end between read and request, so lock the row and refuse ended runs. */
async function holdOpen({ db, tenant_id }: Waking, run: OpenRun, what: string): Promise<void> {
  const { run_id } = run
  const row = await sql<{ state: string }>`SELECT state FROM moon_run
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} FOR UPDATE`.first(db)
  const { state } = row!
  if (!hasEnded(state)) return
  throw refuse(
    'policy_denied',
    `Run ${run_ref_start}${run_id} has ended (${state}) and takes ${what} no more.`,
    {
      reason: `run ${state}`,
    },
  )
}
