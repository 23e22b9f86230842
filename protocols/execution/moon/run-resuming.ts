// What can be done with a run that ended without success: try it again as a new run, or go on undoing it.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { isBefore, type Plan, roundsOf, withRounds } from '../recipes/api.ts'
import { hasEnded, type Manifest } from './manifest.ts'
import { compileManifest } from './manifest-compile.ts'
import { findManifest, refuseInactive } from './manifest-store.ts'
import { type Waking, wake } from './run-asking.ts'
import { run_ref_start } from './run-effect.ts'
import { work_topic } from './run-executor.ts'
import { callableAt, undoneBy, undoPath } from './run-path.ts'
import {
  createRun,
  findRun,
  type JournalRow,
  type OpenRun,
  readJournal,
  runOfKey,
  sealJournal,
  writeJournal,
} from './run-store.ts'

export type Resuming = OperationContext<'change_notifications' | 'served' | 'standIn' | 'vault'>
type Context = Waking &
  Pick<Resuming, 'caller' | 'idempotency_key' | 'record_id' | 'served' | 'standIn' | 'vault'>

/** Committed before a wait, as a start is: a worker must be able to claim the run. */
export async function resumeApart(
  context: Resuming,
  resume: (context: Context) => Promise<OpenRun>,
): Promise<OpenRun> {
  const { tenant_id, now, caller, idempotency_key, record_id, change_notifications, served, vault } = context
  const of_call = { tenant_id, now, caller, idempotency_key, record_id, change_notifications, served, vault }
  const committed: (() => Promise<void>)[] = []
  const run = await context.apart(({ db }) =>
    resume({
      ...of_call,
      db,
      standIn: () => context.standIn(),
      afterCommit: (work) => void committed.push(work),
    }),
  )
  for (const work of committed) await work()
  return run
}

/** A new run that continues the old one: what was done and not undone stays done. */
export async function retryRun(context: Context, old: OpenRun, from_step?: string): Promise<OpenRun> {
  const { state } = await lockRun(context, old)
  const run_key = retryKey(context, old)
  const begun = run_key === null ? undefined : await runOfKey(context, run_key)
  if (begun) return begun
  if (!hasEnded(state) || state === 'succeeded')
    throw refuse(
      'policy_denied',
      `Only a run that ended without success is tried again; this one is ${state}.`,
      { reason: `run ${state}` },
    )
  const { taken } = await takenOver(context, { ...old, state }, from_step)
  const run_id = await createRun(context, {
    run_id: context.record_id,
    manifest_ref: old.manifest_ref,
    run_key,
    acting: context.standIn(),
    input: old.input,
    line: old.line,
    retry_of: old.run_id,
    now: context.now,
    deadline_at: null,
  })
  const rows = taken.map((row, index) => ({ ...row, seq: index + 1 }))
  await writeJournal(context, sealJournal(context.vault, run_id, rows))
  await sql`UPDATE moon_run SET journal_seq = ${taken.length}
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run_id}`.execute(context.db)
  context.afterCommit(async () => context.change_notifications.tell(work_topic))
  return (await findRun(context, run_id))!
}

/** A retry repeated under the same key is the same run, even if the first answer was lost during a wait. */
function retryKey({ idempotency_key, caller }: Context, { run_id }: OpenRun): string | null {
  return idempotency_key === undefined ? null : `retry ${run_id} ${caller.did} ${idempotency_key}`
}

/** The rows that the new run has from the beginning. */
async function takenOver(context: Context, old: OpenRun, from_step: string | undefined) {
  const manifest = await findManifest(context, old.manifest_ref)
  refuseInactive(manifest!)
  const compiled = await compileManifest(context, manifest!.manifest, (protocol, operation_name) =>
    context.served.find(protocol, operation_name),
  )
  const journal = await readJournal(context, old.run_id)
  const rows = new Map(journal.map((row) => [row.path, row]))
  const plan = withRounds(compiled.plan, (path) => roundsOf(rows.get(path)))
  if (from_step !== undefined && !plan.steps.has(from_step)) throw notFound('step', from_step)
  const left = new Set(old.state === 'compensation_failed' ? leftDone(plan, manifest!.manifest, journal) : [])
  if (from_step !== undefined && left.has(from_step))
    throw refuse(
      'policy_denied',
      `${from_step} was done and could not be undone; go on undoing the run before it is done again.`,
      { reason: 'not undone', path: from_step },
    )
  refuseUnclear(plan, journal, from_step)
  const undone = undoneIn(journal)
  const taken = journal.filter(
    (row) => left.has(row.path) || (!undone.has(row.path) && staysDone(plan, row, from_step)),
  )
  // Two runs that both had it would both undo it.
  if (taken.some(({ path }) => isUndoable(plan, manifest!.manifest, path)))
    await refuseContinued(context, old)
  return { taken }
}

/** What may be done is called again only where somebody says so: nobody can tell any more how it ended. */
function refuseUnclear(plan: Plan, journal: readonly JournalRow[], from_step: string | undefined): void {
  const unclear = journal.find(
    (row) =>
      row.state === 'indeterminate' &&
      plan.steps.has(row.path) &&
      (from_step === undefined || staysDone(plan, { ...row, state: 'succeeded' }, from_step)),
  )
  if (!unclear) return
  throw refuse(
    'policy_denied',
    `Nobody has said whether ${unclear.path} was done, so a retry could do it twice; find out, and if it is to be called again, name it as from_step.`,
    { reason: 'outcome unknown', path: unclear.path },
  )
}

/** Steps that stay done for good: their undoing failed, or was never begun. */
function leftDone(plan: Plan, manifest: Manifest, journal: readonly JournalRow[]): string[] {
  const undone = undoneIn(journal)
  return journal
    .filter(({ path, state }) => state === 'succeeded' && !undone.has(path))
    .filter(({ path }) => isUndoable(plan, manifest, path))
    .map(({ path }) => path)
}

function undoneIn(journal: readonly JournalRow[]): ReadonlySet<string | undefined> {
  return new Set(journal.filter(({ state }) => state === 'succeeded').map(({ path }) => undoneBy(path)))
}

function isUndoable(plan: Plan, manifest: Manifest, path: string): boolean {
  const kind = plan.steps.get(path)?.kind
  return (kind === 'Protocol' || kind === 'Run') && callableAt(plan, manifest, undoPath(path)) !== undefined
}

/** Steps skipped because of an earlier failure run again, as do gates and compensations. */
function staysDone(plan: Plan, { path, state, skip_reason }: JournalRow, from_step?: string): boolean {
  if (path.includes('@') || !plan.steps.has(path)) return false
  if (state !== 'succeeded' && !(state === 'skipped' && skip_reason !== 'upstream')) return false
  if (from_step === undefined) return true
  return path !== from_step && !path.startsWith(`${from_step}/`) && !isBefore(plan, from_step, path)
}

/** The same run goes on: its calls keep their keys, so what was undone after all is not undone twice. */
export async function undoRun(context: Context, run: OpenRun, by_hand: readonly string[]): Promise<OpenRun> {
  const { state, journal_seq } = await lockRun(context, run)
  if (state !== 'compensation_failed')
    throw refuse(
      'policy_denied',
      `Only a run whose undoing failed can go on undoing; this one is ${state}.${undoingAdvice(state)}`,
      { reason: `run ${state}` },
    )
  await refuseContinued(context, run)
  const journal = await readJournal(context, run.run_id)
  const failed = journal.filter((row) => undoneBy(row.path) !== undefined && row.state === 'failed')
  const unknown = by_hand.find((step) => !failed.some(({ path }) => undoneBy(path) === step))
  if (unknown !== undefined)
    throw refuse('invalid_payload', `The undoing of ${unknown} did not fail; see not_undone of the run.`, {
      reason: 'undone',
      path: '/undone',
    })
  let seq = journal_seq
  const rows = failed.map((row): JournalRow => {
    const before = { ...row, seq: ++seq }
    if (!by_hand.includes(undoneBy(row.path)!))
      return { ...before, metadata: { ...row.metadata, again: true } }
    const { error: _, ...rest } = before
    const metadata = { ...row.metadata, by_hand: context.caller.did }
    return { ...rest, state: 'succeeded', ended_at: new Date(context.now), error_code: null, metadata }
  })
  await writeJournal(context, sealJournal(context.vault, run.run_id, rows))
  await sql`UPDATE moon_run SET state = 'compensating', ended_at = NULL, journal_seq = ${seq},
      wake_at = ${context.now}::timestamptz
    WHERE tenant_id = ${context.tenant_id} AND run_id = ${run.run_id}`.execute(context.db)
  await wake(context, run)
  return (await findRun(context, run.run_id))!
}

function undoingAdvice(state: string): string {
  if (hasEnded(state)) return ''
  return state === 'compensating' ? ' Wait until it has ended.' : ' Cancel it with compensate.'
}

/** What another run has taken over is that run's to undo. */
async function refuseContinued({ db, tenant_id }: Waking, { run_id }: OpenRun): Promise<void> {
  const row = await sql<{ run_id: string }>`SELECT run_id FROM moon_run
    WHERE tenant_id = ${tenant_id} AND retry_of = ${run_id} LIMIT 1`.first(db)
  if (!row) return
  const run_ref = run_ref_start + row.run_id
  throw refuse(
    'policy_denied',
    `This run was tried again as ${run_ref}, which has taken over what was done.`,
    {
      reason: 'run continued',
      run_ref,
    },
  )
}

/** Orders retries and undoings of one run: how far it is as of now. */
async function lockRun(
  { db, tenant_id }: Waking,
  { run_id }: OpenRun,
): Promise<Pick<OpenRun, 'state' | 'journal_seq'>> {
  const row = await sql<Pick<OpenRun, 'state' | 'journal_seq'>>`
    SELECT state, journal_seq::float8 AS journal_seq FROM moon_run
    WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} FOR UPDATE`.first(db)
  return row!
}
