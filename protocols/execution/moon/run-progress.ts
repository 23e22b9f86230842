// One turn of a run while it is being decided: what the journal will say, what is to be done now, what is to be told.
import type { EventType } from '@svc/contract/audit/event'
import type { Journal, Plan, StepRecord } from '../recipes/api.ts'
import type { Manifest } from './manifest.ts'
import type { Performed } from './run-outcome.ts'
import type { JournalRow, OpenRun } from './run-store.ts'

export interface Signal {
  readonly seq: number
  readonly name: string
  readonly payload: unknown
}

/** All that a turn is decided from: no clock, no rows, no chance beside it. */
export interface Situation {
  readonly run: OpenRun
  readonly manifest: Manifest
  readonly plan: Plan
  readonly rows: ReadonlyMap<string, JournalRow>
  /** Sent and not yet taken, oldest first. */
  readonly signals: readonly Signal[]
  /** Being performed by whoever decides this turn. */
  readonly under_way: ReadonlySet<string>
  /** Ended since the turn before. */
  readonly outcomes: ReadonlyMap<string, Performed>
  readonly now: Date
  /** Whoever decides this turn is going: what came back is written down, nothing new begins. */
  readonly leaving: boolean
  /** It does something our rows cannot take back. */
  isOutside(protocol: string, operation: string): boolean
}

export interface TurnEvent {
  readonly event_type: EventType
  readonly outcome: 'success' | 'refused' | 'error'
  readonly meta: Record<string, unknown>
}

/** Fields of a row that a change need not name. */
type Put = Partial<Omit<JournalRow, 'path' | 'seq'>> & Pick<StepRecord, 'state'>

export class RunProgress {
  readonly situation: Situation
  readonly rows: Map<string, JournalRow>
  readonly changed = new Set<string>()
  readonly begun = new Set<string>()
  readonly forgotten = new Set<string>()
  readonly taken = new Map<number, string>()
  readonly events: TurnEvent[] = []
  seq: number

  constructor(situation: Situation) {
    this.situation = situation
    this.rows = new Map(situation.rows)
    this.seq = situation.run.journal_seq
  }

  /** Only the steps of the plan: gates and undoings have rows of their own that no step depends on. */
  get journal(): Journal {
    return new Map([...this.rows].filter(([path]) => !path.includes('@')))
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

  /** It is done now, by whoever commits this turn. */
  begin(path: string, change: Put = { state: 'running' }): void {
    const before = this.rows.get(path)
    const metadata = { ...before?.metadata, ...change.metadata, ...(before && firstTry(before)) }
    this.put(path, { started_at: this.situation.now, ...change, ...(before && { metadata }) })
    this.begun.add(path)
  }

  fail(path: string, code: string, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    this.put(path, { state: 'failed', error_code: code, error: { code, message, details } })
  }

  /** Resets the steps inside a sub-recipe for a retry. An effect that happened is not repeated: its key is the same. */
  openAgain(path: string, after_ms: number): void {
    const inside = [...this.rows.keys()].filter((other) => other.startsWith(`${path}/`))
    for (const other of inside) {
      this.rows.delete(other)
      this.changed.delete(other)
      this.forgotten.add(other)
    }
    const due_at = new Date(this.situation.now.getTime() + after_ms)
    this.put(path, { state: 'waiting', due_at, metadata: { waiting_on: 'timer' } })
  }

  /** The oldest signal that fits, given to this step and to no other. */
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

  /** Nothing new begins any more: it is being undone, was cancelled, or took too long. */
  get turns_back(): boolean {
    const { run, now } = this.situation
    return run.undoing !== null || run.cancel !== null || (run.deadline_at !== null && run.deadline_at <= now)
  }

  /** What somebody is doing at the end of this turn. */
  get busy(): ReadonlySet<string> {
    const left = [...this.situation.under_way].filter((path) => !this.situation.outcomes.has(path))
    return new Set([...left, ...this.begun])
  }
}

/** When it was first meant to be done: each try asks for the same, so its time must be the same too. */
export function firstTry({ metadata, started_at }: JournalRow): { readonly first_at: string } {
  const { first_at } = metadata ?? {}
  return { first_at: typeof first_at === 'string' ? first_at : started_at.toISOString() }
}
