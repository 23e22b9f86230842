// One turn of a run while it is decided: journal changes, calls to start, events to record.
import type { EventType } from '@svc/contract/audit/event'
import type { Ending } from '@svc/contract/operation-facts'
import {
  isCall,
  isLoop,
  type Journal,
  type Plan,
  roundsOf,
  type StepRecord,
  stepAt,
  withRounds,
} from '../recipes/api.ts'
import type { Manifest, RunState } from './manifest.ts'
import { answersOf, mayBeDone, type Performed } from './run-outcome.ts'
import { gateAt } from './run-path.ts'
import type { JournalRow, OpenRun } from './run-store.ts'

/** A run that a step started. */
export interface ChildRun {
  readonly run_id: string
  readonly state: RunState
  readonly cancel: 'stop' | 'compensate' | null
  readonly error_code: string | null
  readonly confidence: number | null
  readonly is_adopted: boolean
  readonly output?: unknown
}

export interface Signal {
  readonly seq: number
  readonly name: string
  readonly payload: unknown
}

/** All inputs of a turn: no clock, no database and no randomness besides. */
export interface Situation {
  readonly run: OpenRun
  readonly manifest: Manifest
  readonly plan: Plan
  readonly rows: ReadonlyMap<string, JournalRow>
  /** Sent but not yet consumed, oldest first. */
  readonly signals: readonly Signal[]
  /** The runs that steps have started and wait for, by id. */
  readonly children: ReadonlyMap<string, ChildRun>
  /** Being performed by the engine that decides this turn. */
  readonly under_way: ReadonlySet<string>
  /** Finished since the previous turn. */
  readonly outcomes: ReadonlyMap<string, Performed>
  readonly now: Date
  /** This engine is shutting down: results are stored, nothing new starts. */
  readonly leaving: boolean
  /** Its effect cannot be rolled back. */
  isOutside(protocol: string, operation: string): boolean
  isWrite(protocol: string, operation: string): boolean
  /** What the operation says of its answers. */
  endingOf(protocol: string, operation: string): Ending | undefined
}

export interface TurnEvent {
  readonly event_type: EventType
  readonly outcome: 'success' | 'refused' | 'error'
  readonly meta: Record<string, unknown>
}

/** Fields of a row that a change may omit. */
type Put = Partial<Omit<JournalRow, 'path' | 'seq'>> & Pick<StepRecord, 'state'>

export class RunProgress {
  /** Its plan has the rounds that the loops have by now. */
  situation: Situation
  readonly #plan: Plan
  readonly rows: Map<string, JournalRow>
  readonly changed = new Set<string>()
  readonly begun = new Set<string>()
  readonly forgotten = new Set<string>()
  readonly taken = new Map<number, string>()
  readonly events: TurnEvent[] = []
  /** Ends of attempts that are followed by another. */
  readonly attempts: JournalRow[] = []
  /** Children that are not yet known as such, and those that are to end with this run. */
  readonly adopted = new Set<string>()
  readonly called_off = new Set<string>()
  seq: number
  /** Signals that no gate could read, in this turn. */
  dropped = 0

  constructor(situation: Situation) {
    this.situation = situation
    this.#plan = situation.plan
    this.rows = new Map(situation.rows)
    this.grow()
    this.seq = situation.run.journal_seq
  }

  /**
   * Only the steps of the plan: gates and compensations have rows that no step depends on. What may be done counts as unknown, so that
   * neither a failure beside it nor a retry around it gives it up.
   */
  get journal(): Journal {
    const steps = [...this.rows].filter(([path]) => !path.includes('@'))
    return new Map(
      steps.map(([path, row]) => [path, isInDoubt(row) ? { ...row, state: 'indeterminate' } : row]),
    )
  }

  /** Once a loop has more rounds. */
  grow(): void {
    const plan = withRounds(this.#plan, (path) => roundsOf(this.rows.get(path)))
    this.situation = { ...this.situation, plan }
  }

  /** Steps that wait to be asked again whether they were done. */
  get in_doubt(): boolean {
    return [...this.rows.values()].some(isInDoubt)
  }

  put(path: string, change: Put): JournalRow {
    const { now } = this.situation
    const before = this.rows.get(path)
    const blank = {
      attempt: 1,
      started_at: now,
      due_at: null,
      ended_at: null,
      elapsed_ms: 0,
      error_code: null,
      record_id: null,
    }
    const ended_at = change.state === 'running' || change.state === 'waiting' ? null : now
    const row = { ...blank, ...before, due_at: null, ended_at, ...change, path, seq: ++this.seq }
    this.rows.set(path, row)
    this.forgotten.delete(path)
    this.changed.add(path)
    return row
  }

  /** Started now by the engine that commits this turn. */
  begin(path: string, change: Put = { state: 'running' }): void {
    const before = this.rows.get(path)
    const answered = before ? 0 : this.#answeredBefore(path)
    const metadata = {
      ...before?.metadata,
      ...change.metadata,
      ...(before && firstTry(before)),
      ...(answered > 0 && { answered }),
    }
    const has_metadata = before !== undefined || answered > 0
    this.put(path, { started_at: this.situation.now, ...change, ...(has_metadata && { metadata }) })
    this.begun.add(path)
  }

  /** Waits for the next attempt; the one that failed stays in the history. */
  tryLater(path: string, change: Omit<Put, 'state'>, answer?: unknown): void {
    const before = this.rows.get(path)!
    const row = this.put(path, { ...change, state: 'waiting' })
    this.attempts.push({ ...row, attempt: before.attempt, ended_at: this.situation.now, data: answer })
  }

  fail(path: string, code: string, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    this.put(path, { state: 'failed', error_code: code, error: { code, message, details } })
  }

  /** Resets the steps inside a sub-recipe for a retry, except the writes that succeeded: those happened. */
  openAgain(path: string, after_ms: number): void {
    const inside = [...this.rows.keys()].filter(
      (other) => other.startsWith(`${path}/`) && !this.#hasWritten(other),
    )
    const answered: Record<string, number> = { ...answersInside(this.rows.get(path)) }
    for (const other of inside) {
      const row = this.rows.get(other)!
      if (answersOf(row.metadata) > 0) answered[other] = answersOf(row.metadata)
      Object.assign(answered, answersInside(row))
      this.rows.delete(other)
      this.changed.delete(other)
      this.forgotten.add(other)
    }
    this.grow()
    const due_at = new Date(this.situation.now.getTime() + after_ms)
    this.put(path, { state: 'waiting', due_at, metadata: { waiting_on: 'timer', answered_inside: answered } })
  }

  /** Of a step that starts anew in a sub-recipe: its next call must not bring back the answer of an earlier one. */
  #answeredBefore(path: string): number {
    const parts = path.split('/')
    const holders = parts.slice(1).map((_, at) => this.rows.get(parts.slice(0, at + 1).join('/')))
    return Math.max(0, ...holders.map((row) => answersInside(row)[path] ?? 0))
  }

  /**
   * Whether the row is that of a write that succeeded, of a gate before one, or of a loop around one: what was written belongs to its element.
   */
  #hasWritten(path: string): boolean {
    const { plan, isWrite } = this.situation
    const step = stepAt(plan, gateAt(plan, path)?.step_path ?? path)
    if (isLoop(step) || step.kind === 'Round')
      return [...this.rows.keys()].some((other) => other.startsWith(`${path}/`) && this.#hasWritten(other))
    if (!isCall(step) || this.rows.get(step.path)?.state !== 'succeeded') return false
    return isWrite(step.protocol, step.operation)
  }

  /** Takes the oldest matching signal; no other step gets it. */
  takeSignal(path: string, fits: (signal: Signal) => boolean): Signal | undefined {
    const oldest = this.situation.signals.find((signal) => !this.taken.has(signal.seq) && fits(signal))
    if (oldest) this.taken.set(oldest.seq, path)
    return oldest
  }

  tell(
    event_type: EventType,
    meta: Record<string, unknown>,
    outcome: TurnEvent['outcome'] = 'success',
  ): void {
    this.events.push({ event_type, outcome, meta })
  }

  /** Nothing new starts: the run is compensating, cancelled or past its deadline. */
  get turns_back(): boolean {
    const { run, now } = this.situation
    return run.undoing !== null || run.cancel !== null || (run.deadline_at !== null && run.deadline_at <= now)
  }

  /** Steps being performed at the end of this turn. */
  get busy(): ReadonlySet<string> {
    const left = [...this.situation.under_way].filter((path) => !this.situation.outcomes.has(path))
    return new Set([...left, ...this.begun])
  }
}

function answersInside(row: JournalRow | undefined): Readonly<Record<string, number>> {
  return (row?.metadata?.answered_inside ?? {}) as Record<string, number>
}

export function isInDoubt(row: JournalRow): boolean {
  return row.state === 'waiting' && mayBeDone(row)
}

/** The time of the first attempt: every attempt must send the same call, so also the same time. */
export function firstTry({ metadata, started_at }: JournalRow): { readonly first_at: string } {
  const { first_at } = metadata ?? {}
  return { first_at: typeof first_at === 'string' ? first_at : started_at.toISOString() }
}
