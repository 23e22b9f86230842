// What clients were told and what may be true of runs; knows nothing of how the product decides.
import type { SimulationDatabase } from '../database.ts'
import { Violation } from '../world.ts'
import type { Effects } from './effects.ts'
import type { Shape } from './manifests.ts'
import type { Event, ModelRun, RunRow, StepRow } from './model-rows.ts'
import { type RunChange, type StepChange, takeRunLog } from './run-log.ts'

const ended: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'cancelled',
  'compensated',
  'compensation_failed',
])

/** Errors of a call that did not reach its step: no step of the simulation refuses with these. */
const unasked: ReadonlySet<string | null> = new Set(['circuit_open', 'no_endpoint_available'])

export class WorkflowModel {
  readonly #database: SimulationDatabase
  readonly #effects: Effects
  readonly #shapes = new Map<string, Shape>()
  readonly #runs = new Map<string, ModelRun>()
  /** In the order of the log, which the lock of the run's row decides. */
  readonly #cancelled = new Set<string>()
  /** Calls that wait to be tried again, each as its run and path. */
  readonly #waiting = new Map<string, string>()
  /** Calls that the engine of the run has begun, each as its run and path. */
  readonly #running = new Map<string, string>()
  /** Calls that may be done, each as its run and path. */
  readonly #in_doubt = new Set<string>()
  /** As of the end of an earlier step, so that what came in between is certain to be later. */
  readonly #signalled_before = new Set<string>()
  #read_changes = -1

  constructor(database: SimulationDatabase, effects: Effects) {
    this.#database = database
    this.#effects = effects
  }

  addManifest(manifest_ref: string, shape: Shape): void {
    this.#shapes.set(manifest_ref, shape)
  }

  /** Started, and a client was told so. */
  started(run_id: string, tenant_id: string, manifest_ref: string): ModelRun {
    const shape = this.#shapes.get(manifest_ref)!
    const run = this.#runs.get(run_id) ?? {
      run_id,
      tenant_id,
      shape,
      cancels: new Set(),
      is_signalled: false,
    }
    this.#runs.set(run_id, run)
    return run
  }

  get runs(): readonly ModelRun[] {
    return [...this.#runs.values()]
  }

  /** With a call that waits to be tried again. */
  get waiting_runs(): readonly ModelRun[] {
    const run_ids = new Set(this.#waiting.values())
    return this.runs.filter(({ run_id }) => run_ids.has(run_id))
  }

  async check(): Promise<void> {
    if (this.#effects.violation) throw this.#effects.violation
    const { changes } = this.#database
    const run_log = changes === this.#read_changes ? [] : await takeRunLog(this.#database.control)
    this.#read_changes = changes
    for (const change of run_log)
      if (change.kind === 'run') this.#checkRun(change)
      else this.#checkStep(change)
    for (const run of this.#runs.values()) if (run.is_signalled) this.#signalled_before.add(run.run_id)
  }

  #checkRun(change: RunChange): void {
    const { run_id, old_epoch, new_epoch, old_owner, new_owner, old_state, new_state } = change
    if (new_epoch !== old_epoch && !change.is_lease_over)
      throw new Violation(`run ${run_id} was claimed while the lease of another engine lasted`)
    if (new_epoch !== old_epoch && new_epoch !== old_epoch + 1)
      throw new Violation(`the epoch of run ${run_id} went from ${old_epoch} to ${new_epoch}`)
    if (new_epoch === old_epoch && new_owner !== null && new_owner !== old_owner)
      throw new Violation(`run ${run_id} changed its engine without a new epoch`)
    if (ended.has(old_state) && new_state !== old_state)
      throw new Violation(`run ${run_id} was ${old_state} and became ${new_state}`)
    if (change.new_seq < change.old_seq) throw new Violation(`the journal of run ${run_id} went back`)
    if (change.is_cancelled) this.#cancelled.add(run_id)
    // What the engine before has begun may be done, or be done yet.
    if (new_epoch !== old_epoch)
      for (const [name, running_in] of this.#running) if (running_in === run_id) this.#in_doubt.add(name)
  }

  #checkStep(change: StepChange): void {
    const { run_id, path, old_state, new_state } = change
    const run = this.#runs.get(run_id)
    if (change.new_seq <= change.old_seq)
      throw new Violation(`${path} of run ${run_id} was written by an engine that had lost it`)
    const is_call = run && path.replace('@undo', '') in run.shape.steps
    if (is_call && old_state === 'succeeded')
      throw new Violation(`${path} of run ${run_id} had succeeded and became ${new_state}`)
    if (is_call && new_state === 'waiting') this.#waiting.set(`${run_id} ${path}`, run_id)
    else this.#waiting.delete(`${run_id} ${path}`)
    const is_begun = is_call && new_state === 'running' && old_state !== 'running' && !path.endsWith('@undo')
    // A call that may be done is finished, to know what to undo.
    if (is_begun && !this.#in_doubt.has(`${run_id} ${path}`) && this.#cancelled.has(run_id))
      throw new Violation(`${path} of run ${run_id} began after the run was cancelled`)
    this.#noteDoubt(change)
    // Where it is only tried again, the gate was decided before the signal came.
    if (
      path === 'wait/no' &&
      old_state === null &&
      new_state === 'running' &&
      this.#signalled_before.has(run_id)
    )
      throw new Violation(`run ${run_id} did not take the signal it was sent`)
  }

  /**
   * An unconfirmed commit may be done, and so may the attempt that has the key in flight. An open circuit or a busy database says nothing
   * about the attempt before; what the step itself answers does.
   */
  #noteDoubt({ run_id, path, new_state, new_error }: StepChange): void {
    const name = `${run_id} ${path}`
    if (new_state === 'running') {
      this.#running.set(name, run_id)
      return
    }
    this.#running.delete(name)
    if (new_state !== 'waiting') this.#in_doubt.delete(name)
    else if (new_error === 'unavailable' || new_error === 'idempotency_in_flight') this.#in_doubt.add(name)
    else if (!unasked.has(new_error)) this.#in_doubt.delete(name)
  }

  /** Runs that have not ended, those of schedules included, and their steps whose outcome nobody knows. */
  async open(): Promise<{ runs: RunRow[]; unknown: StepRow[] }> {
    const { control } = this.#database
    const runs = await control.query<RunRow>(
      `SELECT run_id, tenant_id, manifest_ref, parent_run_id, state, waiting_on, error_code FROM moon_run WHERE ended_at IS NULL ORDER BY run_id`,
    )
    const unknown = await control.query<StepRow>(
      `SELECT run_id, path, state, seq::float8 AS seq FROM moon_step WHERE state = 'indeterminate' ORDER BY run_id, path`,
    )
    return { runs: runs.rows, unknown: unknown.rows }
  }

  /** Everything has ended. */
  async checkEnd(): Promise<void> {
    await this.check()
    const { control } = this.#database
    const { rows: runs } = await control.query<RunRow>(
      'SELECT run_id, tenant_id, manifest_ref, parent_run_id, state FROM moon_run ORDER BY run_id',
    )
    const { rows: steps } = await control.query<StepRow>(
      'SELECT run_id, path, state, seq::float8 AS seq FROM moon_step ORDER BY seq',
    )
    const { rows: entries } = await control.query<{ entry: string }>(
      'SELECT entry FROM audit_outbox ORDER BY id',
    )
    const events = entries.map(({ entry }) => JSON.parse(entry) as Event)
    for (const { run_id } of this.#runs.values())
      if (!runs.some((run) => run.run_id === run_id)) throw new Violation(`run ${run_id} is lost`)
    // Also those whose start was answered to nobody: a child may come before its parent.
    for (const { run_id, tenant_id, manifest_ref } of runs) this.started(run_id, tenant_id, manifest_ref)
    for (const row of runs) {
      const run = this.#runs.get(row.run_id)!
      this.#checkChildren(run, row, runs)
      const of_run = steps.filter(({ run_id }) => run_id === row.run_id)
      this.#checkEvents(run, row.state, of_run, events)
      this.#checkEffects(run, row.state, of_run, events)
    }
  }

  /** A step that starts a run starts one, and ends as that does; a child is called off only with its parent. */
  #checkChildren({ run_id, shape, cancels }: ModelRun, row: RunRow, runs: readonly RunRow[]): void {
    const parent = row.parent_run_id === null ? undefined : this.#runs.get(row.parent_run_id)
    if (parent) {
      for (const cancel of parent.cancels) cancels.add(cancel)
      // A deadline calls it off as well.
      cancels.add('compensate')
    }
    if (shape.child === undefined) return
    const children = runs.filter(({ parent_run_id }) => parent_run_id === run_id)
    if (children.length > 1) throw new Violation(`run ${run_id} has ${children.length} children`)
    if (row.state === 'succeeded' && children[0]?.state !== 'succeeded')
      throw new Violation(`run ${run_id} succeeded, and its child is ${children[0]?.state ?? 'none'}`)
  }

  #checkEvents(
    { run_id, shape }: ModelRun,
    state: string,
    steps: readonly StepRow[],
    events: readonly Event[],
  ): void {
    const own = events.filter(({ meta }) => meta.run === run_id)
    const count = (type: string) => own.filter(({ event_type }) => event_type === type).length
    if (count('WorkflowStarted') !== 1 || count('WorkflowFinished') !== 1)
      throw new Violation(
        `run ${run_id} was recorded ${count('WorkflowStarted')} times as started and ` +
          `${count('WorkflowFinished')} times as finished`,
      )
    const finished = own.find(({ event_type }) => event_type === 'WorkflowFinished')!
    if (finished.meta.state !== state)
      throw new Violation(`run ${run_id} is ${state}, recorded is another state`)
    const succeeded = steps.filter(
      (step) => step.path === shape.checkpoint && step.state === 'succeeded',
    ).length
    if (count('StepCompleted') !== succeeded)
      throw new Violation(`the checkpoint of run ${run_id} was recorded ${count('StepCompleted')} times`)
  }

  #checkEffects(run: ModelRun, state: string, steps: readonly StepRow[], events: readonly Event[]): void {
    const { run_id, shape, cancels } = run
    const happened = (path: string) => {
      const name = `moon://run/${run_id} ${path}`
      const rows = events.filter(
        ({ event_type, meta }) => event_type === 'custom.effect' && meta.name === name,
      )
      if (rows.length > 1) throw new Violation(`${path} of run ${run_id} happened ${rows.length} times`)
      return rows.length === 1 || this.#effects.has(name)
    }
    const paths = Object.keys(shape.steps)
    for (const path of [...paths, ...shape.undone.map((one) => `${one}@undo`)])
      this.#checkHistory(run, path, steps.find((step) => step.path === path)?.state, happened(path))
    const done = paths.filter(happened)
    const left = shape.undone.filter((path) => happened(path) && !happened(`${path}@undo`))
    const undone = shape.undone.filter((path) => happened(`${path}@undo`))
    const wrong = (why: string) =>
      new Violation(`run ${run_id} (${shape.manifest.name}) is ${state}, but ${why}`)
    if (state === 'succeeded') {
      const optional = shape.one_of ?? []
      const missing = paths.filter((path) => !optional.includes(path) && !done.includes(path))
      if (missing.length > 0) throw wrong(`${missing} did not happen`)
      if (optional.length > 0 && optional.filter(happened).length !== 1)
        throw wrong(`of ${optional} not one happened`)
    }
    if (undone.some((path) => !happened(path))) throw wrong(`what did not happen was undone: ${undone}`)
    const is_undoing = state === 'compensated' || state === 'compensation_failed'
    if (!is_undoing && undone.length > 0) throw wrong(`${undone} was undone`)
    if (state === 'compensated' && left.length > 0) throw wrong(`${left} was not undone`)
    if (state === 'failed' && left.length > 0) throw wrong(`${left} happened and was not undone`)
    if (state === 'cancelled' && !cancels.has('stop') && left.length > 0)
      throw wrong(`${left} was not undone`)
    if (state === 'cancelled' && cancels.size === 0) throw wrong('nobody cancelled it')
    const order = steps
      .filter(({ path }) => path.endsWith('@undo'))
      .map(({ path }) => path.replace('@undo', ''))
    const completed = steps.filter(({ path }) => order.includes(path)).map(({ path }) => path)
    if (order.join() !== completed.toReversed().join())
      throw wrong(`it did ${completed} and undid ${order}, which is not the reverse`)
  }

  /** The journal shows what happened: exactly for rows; of what is outside it may also say that nobody knows. */
  #checkHistory(
    { run_id, shape }: ModelRun,
    path: string,
    state: string | undefined,
    happened: boolean,
  ): void {
    const is_outside = shape.steps[path.replace('@undo', '')] === 'outside'
    if (is_outside && state === 'indeterminate') return
    if (happened !== (state === 'succeeded'))
      throw new Violation(
        `${path} of run ${run_id} ${happened ? 'happened' : 'did not happen'}, and its journal says ${state}`,
      )
  }

  get summary(): string {
    return `${this.#runs.size} runs, ${this.#effects.done.length} effects outside`
  }
}
