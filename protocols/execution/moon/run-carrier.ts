// Executes one run while its lease is held: each turn is decided, committed, and only then performed.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { childOf, readChildren, wakeParentOf } from './run-children.ts'
import { brokenBy, type Decision, decideTurn, type Effects, writeDecision } from './run-decision.ts'
import type { ExternalEffect } from './run-effect.ts'
import { type Executor, restTopic, runTopic, work_topic } from './run-executor.ts'
import { type Claimed, type HeldRun, holdRun, refuseLost } from './run-lease.ts'
import { type LoadedRun, loadRun, readSignals } from './run-loading.ts'
import type { Performed } from './run-outcome.ts'
import type { Situation, TurnEvent } from './run-progress.ts'
import type { OpenRun } from './run-store.ts'
import type { Turn } from './run-turn.ts'
import type { Turns } from './run-turns.ts'

/** Polls this often, because change notifications may be lost. */
const look_every_ms = 10_000

/** Resolves when the run has ended, waits for something, or was claimed by another engine. */
export async function carryRun(
  claimed: Claimed,
  executor: Executor,
  turns: Turns,
  leave: AbortSignal,
): Promise<void> {
  const carrier = new Carrier(claimed, executor, turns, leave)
  const listening = executor.change_notifications.listen(runTopic(claimed.run_id))
  try {
    while (await carrier.turn()) await carrier.somethingNew(listening)
  } finally {
    listening.close()
    carrier.letGo()
  }
}

class Carrier {
  readonly #claimed: Claimed
  readonly #hands: Executor
  readonly #turns: Turns
  readonly #leave: AbortSignal
  #stopping = new AbortController()
  readonly #under_way = new Set<string>()
  readonly #outcomes = new Map<string, Performed>()
  #run: LoadedRun | undefined
  #waiting: AbortController | undefined
  #more = false
  #steps = 0
  #look_at: Date | null = null

  constructor(claimed: Claimed, executor: Executor, turns: Turns, leave: AbortSignal) {
    this.#claimed = claimed
    this.#hands = executor
    this.#turns = turns
    this.#leave = leave
  }

  /** False when nothing is left to do here. */
  async turn(): Promise<boolean> {
    const settled = new Map(this.#outcomes)
    const decision = (await this.#takeTogether(settled)) ?? (await this.#takeAlone(settled))
    if (!decision) return false
    for (const path of settled.keys()) {
      this.#outcomes.delete(path)
      this.#under_way.delete(path)
    }
    const goes_on = this.#follow(decision.turn, decision.effects)
    if (decision.turn.change.ended_at) await this.#tellParent(decision.situation)
    return goes_on
  }

  /** With the turns of other runs, if nothing but this run's own rows is needed to decide it. */
  async #takeTogether(settled: Map<string, Performed>): Promise<Decision | undefined> {
    const loaded = this.#run
    if (!loaded || loaded.awaited.size > 0) return undefined
    for (const row of loaded.rows.values())
      if (row.state === 'indeterminate' || childOf(row) !== undefined) return undefined
    return this.#turns.take({
      claimed: this.#claimed,
      steps: this.#steps,
      decide: (locked_run) => decideTurn(this.#situation(loaded, locked_run, settled)),
      entriesOf: ({ turn }) => this.#entries(loaded.run, turn.events),
    })
  }

  async #takeAlone(settled: Map<string, Performed>): Promise<Decision | undefined> {
    const transaction = this.#hands.transaction(this.#claimed.tenant_id)
    try {
      const decided = await this.#decide(transaction.db, settled)
      if (decided && 'failed' in decided) {
        await transaction.commit(this.#entries(decided.run, [finishedBy(decided.failed)]))
        this.#hands.change_notifications.tell(restTopic(decided.run.run_id))
        return undefined
      }
      await transaction.commit(decided ? this.#entries(this.#run!.run, decided.turn.events) : [])
      return decided
    } catch (error) {
      await transaction.rollback()
      throw error
    }
  }

  async #decide(db: Database, settled: Map<string, Performed>) {
    const { tenant_id } = this.#claimed
    const place = { db, tenant_id, vault: this.#hands.vaultOf(tenant_id) }
    const locked_run = await holdRun(db, this.#claimed)
    if (!locked_run) return undefined
    const loaded = this.#run ?? (await loadRun(place, this.#claimed, this.#hands))
    if (!loaded || 'failed' in loaded) return loaded
    this.#run = loaded
    const signals = await readSignals(place, loaded)
    const children = await readChildren(place, loaded.rows)
    const decision = decideTurn({ ...this.#situation(loaded, locked_run, settled), signals, children })
    await writeDecision(place, this.#claimed, decision)
    return decision
  }

  #situation(loaded: LoadedRun, { cancel }: HeldRun, settled: Map<string, Performed>): Situation {
    return {
      ...loaded,
      run: { ...loaded.run, cancel },
      signals: [],
      children: new Map(),
      under_way: this.#under_way,
      outcomes: settled,
      now: new Date(this.#hands.clock.now_ms()),
      leaving: this.#leave.aborted,
      isOutside: (protocol, operation) => this.#hands.isOutside(protocol, operation),
      isWrite: (protocol, operation) => this.#hands.isWrite(protocol, operation),
      endingOf: (protocol, operation) => this.#hands.endingOf(protocol, operation),
    }
  }

  /** Applies the committed turn to memory and starts its steps. */
  #follow(turn: Turn, effects: Effects): boolean {
    const { run_id } = this.#claimed
    const loaded = this.#run!
    for (const path of turn.forgotten) loaded.rows.delete(path)
    for (const row of turn.rows) loaded.rows.set(row.path, row)
    const { output: _, wake_at: __, released, ...change } = turn.change
    loaded.run = { ...loaded.run, ...change }
    this.#more = turn.more
    this.#steps = turn.plan.steps.size
    this.#look_at = turn.look_at
    if (released) {
      this.#hands.change_notifications.tell(restTopic(run_id))
      this.#hands.change_notifications.tell(work_topic)
      return false
    }
    if (turn.stop) {
      this.#stopping.abort()
      // Compensations run after the stop and must not be aborted by it.
      this.#stopping = new AbortController()
    }
    for (const [path, external_effect] of effects) this.#begin(path, external_effect)
    return true
  }

  /** Only a run that another one may have started. */
  async #tellParent({ run, now }: Situation): Promise<void> {
    if (run.acting.depth === 0) return
    const { tenant_id, run_id } = this.#claimed
    const transaction = this.#hands.transaction(tenant_id)
    const parent = await wakeParentOf({ db: transaction.db, tenant_id }, run_id, now)
    await transaction.commit([])
    if (parent === undefined) return
    this.#hands.change_notifications.tell(runTopic(parent))
    this.#hands.change_notifications.tell(work_topic)
  }

  #begin(path: string, external_effect: ExternalEffect | Performed): void {
    this.#under_way.add(path)
    const end = (performed: Performed) => {
      this.#outcomes.set(path, performed)
      this.#waiting?.abort()
    }
    if ('kind' in external_effect) {
      end(external_effect)
      return
    }
    const fence = (db: Database) => refuseLost(db, this.#claimed)
    this.#hands
      .perform({ ...external_effect, fence }, this.#stopping.signal)
      .then(end, (thrown) => end(brokenBy(thrown)))
  }

  /** Waits for a result, a notification or a due time. */
  async somethingNew(listening: {
    heard(ms: number, signal?: AbortSignal): Promise<boolean>
  }): Promise<void> {
    this.#waiting = new AbortController()
    if (this.#outcomes.size === 0 && !this.#more)
      await listening.heard(this.#patience(), this.#waiting.signal)
    this.#waiting = undefined
  }

  #patience(): number {
    const left_ms = this.#look_at ? this.#look_at.getTime() - this.#hands.clock.now_ms() : look_every_ms
    return Math.max(1, Math.min(look_every_ms, left_ms))
  }

  letGo(): void {
    this.#stopping.abort()
  }

  #entries(run: OpenRun, events: readonly TurnEvent[]): AuditEntry[] {
    return events.map(({ event_type, outcome, meta }) => ({
      id: this.#hands.clock.uuid(),
      event_type,
      correlation_id: run.correlation_id,
      timestamp: new Date(this.#hands.clock.now_ms()).toISOString(),
      tenant_id: run.tenant_id,
      caller_did: run.owner_did,
      protocol: 'MOON',
      operation: 'execute_workflow',
      outcome,
      latency_ms: 0,
      meta: { ...meta, run: run.run_id, origin: 'internal' },
    }))
  }
}

function finishedBy(error_code: string): TurnEvent {
  return { event_type: 'WorkflowFinished', outcome: 'error', meta: { state: 'failed', error_code } }
}
