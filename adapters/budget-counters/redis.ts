// Budgets in Redis, shared by all replicas. While it is away each replica admits only its share.
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import { unavailable } from '@svc/contract/refusal'
import type { Take } from '@svc/engine/call'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import type { Log } from '@svc/engine/ports'
import type { RedisLink } from '../redis/link.ts'
import { type Answered, type Asked, type TenantLines, tenantLines } from '../redis/tenant-lines.ts'
import {
  finish,
  finishedOf,
  holdAll,
  isFree,
  type StoredCounters,
  storedCounters,
  wholeOf,
} from './own-counter.ts'
import { shareLeft } from './own-share.ts'
import { isQuiet, type KnownTruth, openTold, type SharedCounter } from './shared-counter.ts'
import { readTruth, type Truth, type TruthParts } from './truth.ts'

/** Redis may lose a counter while its spending is read, but not every time. */
const tries_max = 4
/** A report may show that a counter is missing; starting it takes one more report. */
const rounds_max = 10
const healed_at_once_max = 100
const journal_digits = 16

export interface RedisCountersParts extends TruthParts {
  readonly link: Pick<RedisLink, 'run' | 'isUp'>
  /** Unique per process. */
  readonly replica_id: string
  /** Of the audit journal: only one process at a time has it, and `settled` includes what earlier ones left there. */
  readonly journal_id: string
  /** Engines that share this Redis, including this one. */
  readonly replicas: () => number
  /** A call was judged by this replica alone. */
  readonly onFallback: () => unknown
  readonly log: Log
}

export interface RedisCounters extends BudgetCounters {
  /** All questions to Redis, also those for tokens. */
  readonly lines: TenantLines
  /** The part of a question that reserves; undefined where `reserve` must be asked. */
  reserving(tenant_id: string, takes: readonly Take[]): Asked | undefined
  /** Call every second: reports what is still reserved, and notes what PostgreSQL has by now. */
  tell(): Promise<void>
  /** Redis is back, perhaps with other data: everything is reported and checked again. */
  returned(): void
  /** Resolves when everything was reported, or could not be. */
  quiet(): Promise<void>
}

export function redisCounters(parts: RedisCountersParts): RedisCounters {
  return new SharedCounters(parts)
}

/** A used-up share says nothing about the others: the budget is refused only if all of it is spent. */
function requireSpent(
  counter: SharedCounter,
  { limit, amount }: Take,
  truths: ReadonlyMap<SharedCounter, Truth>,
): void {
  if (shareLeft(counter, truths.get(counter)!, limit, 1) < amount) return
  throw unavailable('budget', new Error('the share of this engine is used up while Redis is away'))
}

class SharedCounters implements RedisCounters {
  readonly #parts: RedisCountersParts
  readonly #kept: StoredCounters<SharedCounter>
  readonly lines: TenantLines
  readonly #beginning = new Set<Promise<void>>()
  #opened = 0
  #link_number = 1
  /** What earlier processes of this journal have recorded is in PostgreSQL. */
  #is_recovered = false

  constructor(parts: RedisCountersParts) {
    this.#parts = parts
    // Redis stores names of up to 64 bytes in half the space.
    const journal = `${parts.journal_id.replaceAll('-', '').slice(0, journal_digits)}/`
    this.#kept = storedCounters((own) =>
      openTold(own, `${journal}${parts.replica_id}.${(++this.#opened).toString(36)}`),
    )
    this.lines = tenantLines({
      ...parts,
      linkNumber: () => this.#link_number,
      endedFields: () => (this.#is_recovered ? journal : ''),
      onMissing: (counter) => {
        const begun = this.#begin(counter).finally(() => this.#beginning.delete(begun))
        this.#beginning.add(begun)
      },
    })
  }

  reserve(tenant_id: string, takes: readonly Take[], take: boolean): undefined | Promise<Take | undefined> {
    const bound = takes.filter((one_take) => !isFree(one_take))
    if (bound.length === 0) return undefined
    return this.#reserve(tenant_id, bound, take)
  }

  async #reserve(tenant_id: string, takes: readonly Take[], take: boolean): Promise<Take | undefined> {
    const budget_counters = takes.map(({ budget_counter, counts }) =>
      this.#open(tenant_id, budget_counter, counts),
    )
    const answer = await this.#ask({ budget_counters, takes, take })
    if (answer) return answer.verdict === 0 ? undefined : takes[answer.verdict - 1]
    this.#parts.onFallback()
    const truths = new Map<SharedCounter, Truth>()
    for (const counter of budget_counters) truths.set(counter, await this.#read(counter, 'alone'))
    const roomIn = (counter: SharedCounter, limit: bigint) =>
      shareLeft(counter, truths.get(counter)!, limit, this.#parts.replicas())
    const lacking = holdAll(budget_counters, takes, roomIn, take)
    if (lacking) requireSpent(budget_counters[takes.indexOf(lacking)]!, lacking, truths)
    // Reported now if Redis is back, else when it is.
    if (!lacking && take) for (const counter of budget_counters) this.lines.tell(counter)
    return lacking
  }

  reserving(tenant_id: string, takes: readonly Take[]): Asked | undefined {
    const bound = takes.filter((one_take) => !isFree(one_take))
    try {
      const open = ({ budget_counter, counts }: Take) => this.#open(tenant_id, budget_counter, counts)
      return { budget_counters: bound.map(open), takes: bound, take: true }
    } catch {
      return undefined
    }
  }

  settle(tenant_id: string, takes: readonly Take[], quanta: bigint): void {
    for (const one_take of takes) {
      if (isFree(one_take) && quanta === 0n) continue
      const counter = this.#kept.open(tenant_id, one_take.budget_counter, one_take.counts)
      if (!counter) continue
      finish(counter, one_take, quanta)
      this.#kept.pin(counter)
      if (one_take.counts === 'usd') this.lines.tell(counter)
    }
  }

  async state(tenant_id: string, name: string): Promise<BudgetCounterState> {
    const counter = this.#open(tenant_id, name, 'usd')
    const answer = await this.#ask({ budget_counters: [counter], takes: [], take: false })
    const [heard] = answer?.budget_counters ?? []
    if (heard) return { spent_micro_usd: heard.spent, reserved_micro_usd: heard.reserved }
    const { spent, own } = await this.#read(counter, 'alone')
    return {
      spent_micro_usd: wholeOf('usd', spent + counter.exact - own),
      reserved_micro_usd: counter.reserved,
    }
  }

  async calls(tenant_id: string, name: string): Promise<bigint> {
    const counter = this.#open(tenant_id, name, 'calls')
    const answer = await this.#ask({ budget_counters: [counter], takes: [], take: false })
    const [heard] = answer?.budget_counters ?? []
    if (heard) return heard.spent
    const { spent, own } = await this.#read(counter, 'alone')
    return spent + counter.exact - own
  }

  async tell(): Promise<void> {
    const { pinned } = this.#kept
    const finished = [...pinned.values()].map((counter) => [counter, finishedOf(counter)] as const)
    this.#tellAll((counter) => counter.is_change || counter.reserved > 0n)
    const is_quiet = finished.every(([counter, amount]) => counter.committed === amount && isQuiet(counter))
    if (is_quiet && this.#is_recovered) {
      for (const [counter] of finished) this.#kept.unpin(counter)
      return
    }
    await this.#parts.settled()
    if (!this.#is_recovered) this.#recovered()
    for (const [counter, amount] of finished) {
      if (counter.committed < amount) counter.committed = amount
      if (isQuiet(counter)) this.#kept.unpin(counter)
    }
    this.#tellAll((counter) => counter.sure < counter.committed)
    const doubted = [...pinned.values()].filter(({ doubts }) => doubts > 0).slice(0, healed_at_once_max)
    await Promise.all(doubted.map((counter) => this.#heal(counter)))
  }

  returned(): void {
    this.#link_number++
    this.#tellAll(() => true)
  }

  async quiet(): Promise<void> {
    for (let rounds = 0; rounds < rounds_max; rounds++) {
      await this.lines.quiet()
      if (this.#beginning.size === 0) return
      await Promise.all(this.#beginning)
    }
  }

  #recovered(): void {
    this.#is_recovered = true
    this.#tellAll(() => true)
  }

  #tellAll(isDue: (counter: SharedCounter) => boolean): void {
    if (!this.#parts.link.isUp()) return
    for (const counter of this.#kept.pinned.values()) if (isDue(counter)) this.lines.tell(counter)
  }

  #open(tenant_id: string, budget_counter: string, counts: Take['counts']): SharedCounter {
    const opened = this.#kept.open(tenant_id, budget_counter, counts)
    if (!opened) throw unavailable('budget', new Error('too many budget counters are in use'))
    this.#kept.pin(opened)
    return opened
  }

  /** Undefined if Redis is away. A counter that it does not have starts from what PostgreSQL has. */
  async #ask(question: Asked): Promise<Answered | undefined> {
    const { budget_counters } = question
    for (const counter of budget_counters) counter.asked++
    try {
      for (let tries = 1; this.#parts.link.isUp(); tries++) {
        const answer = await this.lines.ask(budget_counters[0]!.tenant_id, question)
        if (!answer) return undefined
        const missing = budget_counters.filter((_, place) => answer.budget_counters[place]!.began === '')
        if (missing.length === 0) return answer
        if (tries === tries_max) throw unavailable('budget', new Error('Redis loses its budget counters'))
        await Promise.all(missing.map((counter) => this.#read(counter, 'truth')))
      }
      return undefined
    } finally {
      for (const counter of budget_counters) counter.asked--
    }
  }

  /** `truth` is sent to Redis once. `alone` stays while Redis is away, so that all shares are parts of one remainder. */
  #read(counter: SharedCounter, use: 'truth' | 'alone'): KnownTruth | Promise<KnownTruth> {
    const link_number = this.#link_number
    const cached_truth = counter[use]
    if (cached_truth?.link_number === link_number) return cached_truth
    const read = async (): Promise<KnownTruth> => {
      const truth = { ...(await readTruth(this.#parts, counter)), link_number }
      counter[use] = truth
      return truth
    }
    counter.reading[use] ??= read().finally(() => delete counter.reading[use])
    return counter.reading[use]
  }

  /**
   * Removes from the base what engines reported twice. PostgreSQL is read after they reported what it has of theirs,
   * so their spending is that, or on top of it. Calls are not corrected: PostgreSQL counts only those that were
   * charged.
   */
  async #heal(counter: SharedCounter): Promise<void> {
    counter.doubts = counter.counts === 'usd' ? counter.doubts - 1 : 0
    if (counter.counts === 'calls') return
    const question: Asked = { budget_counters: [counter], takes: [], take: false }
    const [heard] = (await this.lines.ask(counter.tenant_id, question))?.budget_counters ?? []
    if (!heard?.began) return
    const { spent } = await readTruth(this.#parts, counter)
    counter.healed = {
      mark: heard.mark,
      base: wholeOf(counter.counts, spent) - heard.committed,
    }
    this.lines.tell(counter)
  }

  /** Spent without a reservation: the counter must start with it, or it might be missed. */
  async #begin(counter: SharedCounter): Promise<void> {
    counter.is_change = true
    if (counter.asked > 0 || counter.reading.truth) return
    try {
      await this.#read(counter, 'truth')
      this.lines.tell(counter)
    } catch (error) {
      this.#parts.log.debug(
        { err: error, budget_counter: counter.budget_counter },
        'a budget counter starts when PostgreSQL is back',
      )
    }
  }
}
