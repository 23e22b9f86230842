// What is reserved for calls: learned from what calls of their operation took, and waited for while others hold it.

import type { Take, Worst } from '../call.ts'
import type { RegisteredOperation } from '../routing/routing.ts'
import type { BudgetCounters } from './budget-counters.ts'

/** Before so many calls an operation is expected to take its worst case. */
const learned_after = 20
/** Counts are halved at this many, so that a busy minute is forgotten after some ten thousand calls. */
const halved_at = 4_000
/** Of a thousand calls, all but one. */
const exceeding_one_in = 1_000
const margin = 2
const ms_min = 20
const tokens_min = 500
/** What outgrows its reservation reserves so many times as much, until its worst case. */
const growth = 4

const wait_ms_max = 2_000
const waiting_max = 1_000
const pause_ms_min = 2
const pause_ms_max = 32

/** The amounts of past calls, each rounded up to a power of two. */
class Spread {
  readonly #counts = new Uint32Array(33)
  #total = 0

  add(amount: number): void {
    this.#counts[amount > 1 ? 32 - Math.clz32(Math.ceil(amount) - 1) : 0]!++
    if (++this.#total < halved_at) return
    this.#total = 0
    for (const [power, count] of this.#counts.entries()) this.#total += this.#counts[power] = count >>> 1
  }

  /** At least this and at most twice this was enough for 99.9 % of the calls; undefined before enough of them. */
  upper(): number | undefined {
    if (this.#total < learned_after) return undefined
    let above = 0
    for (let power = this.#counts.length - 1; power >= 0; power--) {
      above += this.#counts[power]!
      if (above * exceeding_one_in > this.#total) return 2 ** power
    }
    return undefined
  }
}

interface Taken {
  readonly ms: number
  readonly tokens: number
}

interface Asking {
  readonly signal?: AbortSignal | undefined
  /** What the call itself holds already of each counter. */
  readonly own?: bigint
}

/** The counter that has no room, and whether only because calls under way hold it. */
export interface NoRoom {
  readonly take: Take
  readonly is_held: boolean
}

export interface Reservations {
  /** What a call of this operation will take as far as is known: never more than its worst case. */
  expected(operation: RegisteredOperation, worst: Worst): Worst
  /** What to reserve for a call that has taken this much by now. */
  grown(reserved: Worst, worst: Worst, taken: Taken): Worst
  learn(operation: RegisteredOperation, taken: Taken): void
  /** Reserves as soon as calls under way have made room, first come, first served; after two seconds not any more. */
  wait(
    budget_counters: BudgetCounters,
    tenant_id: string,
    takes: readonly Take[],
    lacking: Take,
    asking?: Asking,
  ): Promise<NoRoom | undefined>
}

/** Of one engine, since it started. */
export function openReservations(): Reservations {
  const histories = new WeakMap<RegisteredOperation, { readonly ms: Spread; readonly tokens: Spread }>()
  const lines = new Map<string, Line>()
  return {
    expected(operation, worst) {
      const history = histories.get(operation)
      // An effect outside cannot be undone, so such a call never has to stop for want of budget.
      if (!history || operation.facts.acts_outside) return worst
      return {
        ...worst,
        ms: within(history.ms.upper(), ms_min, worst.ms),
        tokens: within(history.tokens.upper(), tokens_min, worst.tokens),
      }
    },
    grown: (reserved, worst, taken) => ({
      ...worst,
      ms: Math.min(worst.ms, Math.max(reserved.ms * growth, taken.ms)),
      tokens: Math.min(worst.tokens, Math.max(reserved.tokens * growth, taken.tokens)),
    }),
    learn(operation, { ms, tokens }) {
      const history = histories.get(operation) ?? { ms: new Spread(), tokens: new Spread() }
      histories.set(operation, history)
      history.ms.add(ms)
      history.tokens.add(tokens)
    },
    async wait(budget_counters, tenant_id, takes, lacking, { signal, own = 0n } = {}) {
      const isHeld = async ({ budget_counter, counts, limit, amount }: Take) => {
        if (counts === 'calls') return false
        const { spent_micro_usd } = await budget_counters.state(tenant_id, budget_counter)
        return spent_micro_usd + own + amount <= limit
      }
      if (!(await isHeld(lacking))) return { take: lacking, is_held: false }
      const key = `${tenant_id}/${lacking.budget_counter}`
      const line = lines.get(key) ?? new Line(() => lines.delete(key))
      if (line.length >= waiting_max) return { take: lacking, is_held: true }
      lines.set(key, line)
      return line.join(async () => {
        const take = await budget_counters.reserve(tenant_id, takes, true)
        return take && { take, is_held: await isHeld(take) }
      }, signal)
    },
  }
}

function within(upper: number | undefined, least: number, most: number): number {
  return upper === undefined ? most : Math.min(most, Math.max(least, upper * margin))
}

interface Waiter {
  readonly attempt: () => Promise<NoRoom | undefined>
  readonly signal: AbortSignal | undefined
  readonly resolve: (answer: NoRoom | undefined) => void
  readonly reject: (reason: unknown) => void
  is_over: boolean
}

/** Calls that wait for one counter. Only the first of them asks, so that a long line costs no more than a short one. */
class Line {
  readonly #waiting: Waiter[] = []
  readonly #onEmpty: () => unknown

  constructor(onEmpty: () => unknown) {
    this.#onEmpty = onEmpty
  }

  get length(): number {
    return this.#waiting.length
  }

  join(attempt: Waiter['attempt'], signal: AbortSignal | undefined): Promise<NoRoom | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<NoRoom | undefined>()
    const waiter: Waiter = { attempt, signal, resolve, reject, is_over: false }
    const timer = setTimeout(() => (waiter.is_over = true), wait_ms_max)
    if (this.#waiting.push(waiter) === 1) void this.#serve()
    return promise.finally(() => clearTimeout(timer))
  }

  async #serve(): Promise<void> {
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      await serveFirst(first)
      this.#waiting.shift()
    }
    this.#onEmpty()
  }
}

async function serveFirst(waiter: Waiter): Promise<void> {
  try {
    for (let pause_ms = pause_ms_min; ; pause_ms = Math.min(pause_ms_max, pause_ms * 2)) {
      const no_room = await waiter.attempt()
      if (!no_room?.is_held || waiter.is_over || waiter.signal?.aborted) return waiter.resolve(no_room)
      await new Promise((resolve) => setTimeout(resolve, pause_ms))
    }
  } catch (error) {
    waiter.reject(error)
  }
}
