// What may be asked of a run that exists: a signal, its end, another try.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { sql } from 'kysely'
import { hasEnded } from './manifest.ts'
import { compileManifest } from './manifest-compile.ts'
import { findManifest } from './manifest-store.ts'
import { isBefore, type Plan } from './recipes/plan.ts'
import { run_ref_start } from './run-deed.ts'
import { runTopic, work_topic } from './run-hands.ts'
import { createRun, findRun, type JournalRow, type OpenRun, readJournal, writeJournal } from './run-store.ts'
import { sealJson } from './sealed-json.ts'

const signals_max = 10_000

export async function requireRun(context: OperationContext, run_ref: string): Promise<OpenRun> {
  const run = await findRun(context, run_ref.slice(run_ref_start.length))
  if (!run) throw notFound('run', run_ref)
  return run
}

export async function sendSignal(
  context: OperationContext,
  run: OpenRun,
  signal: { readonly name: string; readonly payload?: unknown },
): Promise<void> {
  refuseEnded(run, 'a signal')
  const { db, tenant_id, vault } = context
  const { rows } = await sql<{ sent: number }>`SELECT count(*)::float8 AS sent FROM moon_signal
    WHERE tenant_id = ${tenant_id} AND run_id = ${run.run_id}`.execute(db)
  if (rows[0]!.sent >= signals_max)
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

export async function cancelRun(context: OperationContext, run: OpenRun, compensate: boolean): Promise<void> {
  refuseEnded(run, 'a cancellation')
  const how = compensate ? 'compensate' : 'stop'
  await sql`UPDATE moon_run SET cancel = ${how}
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run.run_id}`.execute(context.db)
  await wake(context, run)
}

/** Whoever carries it hears of it now; where nobody does, somebody takes it up. */
async function wake(context: OperationContext, { run_id }: OpenRun): Promise<void> {
  await sql`UPDATE moon_run SET wake_at = LEAST(wake_at, ${context.now}::timestamptz)
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run_id}`.execute(context.db)
  context.afterCommit(async () => {
    context.news.tell(runTopic(run_id))
    context.news.tell(work_topic)
  })
}

/** A new run that begins where the old one ended: what had succeeded before the step it is tried from is taken over. */
export async function retryRun(
  context: OperationContext,
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
  const kept = await findManifest(context, old.manifest_ref)
  const { plan } = await compileManifest(context, kept!.manifest, (protocol, wanted) =>
    context.findOperation(protocol, wanted),
  )
  if (from_step !== undefined && !plan.steps.has(from_step)) throw notFound('step', from_step)
  const run_id = await createRun(context, {
    run_id: context.record_id,
    manifest_ref: old.manifest_ref,
    run_key: null,
    acting: context.standIn(),
    input: old.input,
    line: null,
    is_scheduled: false,
    retry_of: old.run_id,
    now: context.now,
    deadline_at: null,
  })
  const taken = (await readJournal(context, old.run_id)).filter((row) => staysDone(plan, row, from_step))
  await writeJournal(
    context,
    run_id,
    taken.map((row, index) => ({ ...row, seq: index + 1 })),
  )
  await sql`UPDATE moon_run SET journal_seq = ${taken.length}
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run_id}`.execute(context.db)
  context.afterCommit(async () => context.news.tell(work_topic))
  return (await findRun(context, run_id))!
}

/** Undone or undoing steps begin anew, and so does what was skipped because something before it failed. */
function staysDone(plan: Plan, { path, state, skip_reason }: JournalRow, from_step?: string): boolean {
  if (path.includes('@') || !plan.steps.has(path)) return false
  if (state !== 'succeeded' && !(state === 'skipped' && skip_reason !== 'upstream')) return false
  if (from_step === undefined) return true
  return path !== from_step && !path.startsWith(`${from_step}/`) && !isBefore(plan, from_step, path)
}

function refuseEnded({ state, run_id }: OpenRun, what: string): Refusal | undefined {
  if (!hasEnded(state)) return undefined
  throw refuse(
    'policy_denied',
    `Run ${run_ref_start}${run_id} has ended (${state}) and takes ${what} no more.`,
    {
      reason: `run ${state}`,
    },
  )
}
