// Turns of the runs of one tenant in one transaction: those that come while one is under way go into the next.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Vault } from '@svc/contract/needs/vault'
import { asRefusal } from '@svc/database/as-refusal'
import { type Decision, isPlain } from './run-decision.ts'
import type { Executor } from './run-executor.ts'
import { type Claimed, type HeldRun, holdRuns } from './run-lease.ts'
import { type SealedStep, sealJournal, writeJournal, writeRuns } from './run-store.ts'

const runs_max = 32
/** To decide a turn of a run with more steps takes so long that a group of them would hold up the engine. */
const steps_max = 200
/** Of the steps of one transaction, as they are stored; a larger turn is taken alone. */
const content_bytes_max = 1024 * 1024

/** A run that is ready for its turn. */
export interface Ready {
  readonly claimed: Claimed
  /** Of its plan, with those of its loops by now. */
  readonly steps: number
  /** While its row is locked. What it throws concerns this run only. */
  decide(locked: HeldRun): Decision
  entriesOf(decision: Decision): readonly AuditEntry[]
}

interface Waiting {
  readonly ready: Ready
  /** Undefined: it is to take its turn alone. */
  resolve(decision: Decision | undefined): void
  reject(reason: unknown): void
}

interface Decided extends Waiting {
  readonly decision: Decision
  readonly steps: readonly SealedStep[]
}

export class Turns {
  readonly #executor: Pick<Executor, 'transaction' | 'vaultOf'>
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(executor: Pick<Executor, 'transaction' | 'vaultOf'>) {
    this.#executor = executor
  }

  /** What was decided, once it is committed; undefined where nothing was, and the run must take its turn alone. */
  async take(ready: Ready): Promise<Decision | undefined> {
    if (ready.steps > steps_max) return undefined
    const { promise, resolve, reject } = Promise.withResolvers<Decision | undefined>()
    const { tenant_id } = ready.claimed
    const waiting = this.#waiting.get(tenant_id)
    if (waiting) waiting.push({ ready, resolve, reject })
    else {
      this.#waiting.set(tenant_id, [{ ready, resolve, reject }])
      void this.#takeAll(tenant_id)
    }
    return promise
  }

  async #takeAll(tenant_id: string): Promise<void> {
    const waiting = this.#waiting.get(tenant_id)!
    // What becomes ready in the same moment goes together.
    await Promise.resolve()
    while (waiting.length > 0) await this.#takeSome(tenant_id, waiting.splice(0, runs_max))
    this.#waiting.delete(tenant_id)
  }

  /** Nobody is answered before the transaction has ended: whoever goes on alone needs its run's row. */
  async #takeSome(tenant_id: string, waiting: readonly Waiting[]): Promise<void> {
    const answers: (() => void)[] = []
    const transaction = this.#executor.transaction(tenant_id)
    const place = { db: transaction.db, tenant_id, vault: this.#executor.vaultOf(tenant_id) }
    try {
      const locked = await holdRuns(
        transaction.db,
        tenant_id,
        waiting.map(({ ready }) => ready.claimed),
      )
      const decided = this.#decide(waiting, locked, place.vault, answers)
      if (decided.length === 0) await transaction.rollback()
      else {
        const steps = decided.flatMap((one) => one.steps)
        const runs = decided.map(({ ready, decision }) => ({
          ...ready.claimed,
          change: decision.turn.change,
        }))
        const entries = decided.flatMap(({ ready, decision }) => ready.entriesOf(decision))
        // All in one write: where a statement fails, the server does not commit.
        const writing = [writeJournal(place, steps), writeRuns(place, runs), transaction.commit(entries)]
        const failed = (await Promise.allSettled(writing)).find(({ status }) => status === 'rejected')
        if (failed?.status === 'rejected') throw failed.reason
        for (const { resolve, decision } of decided) answers.push(() => resolve(decision))
      }
      for (const answer of answers) answer()
    } catch (error) {
      await transaction.rollback()
      // The server refused it, so nothing was done: alone, a run that cannot be written holds up only itself.
      const is_refused = asRefusal(error).code === 'internal'
      for (const { resolve, reject } of waiting) is_refused ? resolve(undefined) : reject(error)
    }
  }

  #decide(
    waiting: readonly Waiting[],
    locked: ReadonlyMap<Claimed, HeldRun>,
    vault: Vault,
    answers: (() => void)[],
  ): Decided[] {
    let bytes = 0
    return waiting.flatMap((one): Decided[] => {
      const { ready, resolve, reject } = one
      const { run_id } = ready.claimed
      const run = locked.get(ready.claimed)
      try {
        const decision = run && ready.decide(run)
        if (decision && isPlain(decision.turn)) {
          const steps = sealJournal(vault, run_id, decision.turn.rows, decision.effects)
          const size = bytesOf(steps)
          if (bytes + size <= content_bytes_max) {
            bytes += size
            return [{ ...one, decision, steps }]
          }
        }
        answers.push(() => resolve(undefined))
      } catch (error) {
        answers.push(() => reject(error))
      }
      return []
    })
  }
}

function bytesOf(steps: readonly SealedStep[]): number {
  return steps.reduce((sum, { result, input }) => sum + (result?.length ?? 0) + (input?.length ?? 0), 0)
}
