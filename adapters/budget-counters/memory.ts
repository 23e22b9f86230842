// Budgets of a single engine, in its own memory. Only the first use of a counter waits.
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import { type Refusal, unavailable } from '@svc/contract/refusal'
import type { Take } from '@svc/engine/call'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import {
  type Counts,
  finish,
  holdAll,
  isFree,
  isUnderWay,
  type OwnCounter,
  type StoredCounters,
  storedCounters,
  wholeOf,
} from './own-counter.ts'
import { readTruth, type TruthParts } from './truth.ts'

/** A counter is read once, and again only after it was forgotten. */
const tries_max = 3

interface MemoryCounter extends OwnCounter {
  /** To be added to what was counted here; undefined until it was read. */
  elsewhere: bigint | undefined
  reading: Promise<void> | undefined
}

export function memoryCounters(parts: TruthParts): BudgetCounters {
  const counters = storedCounters<MemoryCounter>((own) => ({
    ...own,
    elsewhere: undefined,
    reading: undefined,
  }))
  const learn = (counter: MemoryCounter) => (counter.reading ??= read(parts, counters, counter))
  const reserve = (tenant_id: string, takes: readonly Take[], take: boolean, tries = 0): Reserved => {
    const bound = takes.some(isFree) ? takes.filter((one_take) => !isFree(one_take)) : takes
    const budget_counters: MemoryCounter[] = []
    const unread: MemoryCounter[] = []
    for (const { budget_counter, counts } of bound) {
      const memory_counter = counters.open(tenant_id, budget_counter, counts)
      if (!memory_counter || tries === tries_max) throw tooMany()
      if (memory_counter.elsewhere === undefined) unread.push(memory_counter)
      budget_counters.push(memory_counter)
    }
    if (unread.length > 0)
      return Promise.all(unread.map(learn)).then(() => reserve(tenant_id, takes, take, tries + 1))
    const lacking = holdAll(budget_counters, bound, roomIn, take)
    if (!lacking && take)
      for (const counter of budget_counters) if (isUnderWay(counter)) counters.pin(counter)
    return lacking
  }
  const look = <Seen>(
    tenant_id: string,
    budget_counter: string,
    counts: Counts,
    see: (own: MemoryCounter) => Seen,
  ) => {
    const own_counter = counters.open(tenant_id, budget_counter, counts)
    if (!own_counter) throw tooMany()
    return own_counter.elsewhere === undefined
      ? learn(own_counter).then(() => see(own_counter))
      : see(own_counter)
  }
  return {
    reserve: (tenant_id, takes, take) => reserve(tenant_id, takes, take),
    settle(tenant_id, takes, quanta) {
      for (const one_take of takes) {
        const counter = counters.find(tenant_id, one_take.budget_counter, one_take.counts)
        // A counter that nobody reserved from is not tracked: it will be read with this included.
        if (!counter) continue
        finish(counter, one_take, quanta)
        if (!isUnderWay(counter)) counters.unpin(counter)
      }
    },
    state: (tenant_id, budget_counter) => look(tenant_id, budget_counter, 'usd', stateOf),
    calls: (tenant_id, budget_counter) => look(tenant_id, budget_counter, 'calls', spentOf),
  }
}

function tooMany(): Refusal {
  return unavailable('budget', new Error('too many budget counters are in use'))
}

type Reserved = Take | undefined | Promise<Take | undefined>

async function read(
  parts: TruthParts,
  counters: StoredCounters<MemoryCounter>,
  counter: MemoryCounter,
): Promise<void> {
  counters.pin(counter)
  try {
    const truth = await readTruth(parts, counter)
    counter.elsewhere = truth.spent - truth.own
  } finally {
    counter.reading = undefined
    if (!isUnderWay(counter)) counters.unpin(counter)
  }
}

function spentOf({ counts, exact, elsewhere = 0n }: MemoryCounter): bigint {
  return wholeOf(counts, exact + elsewhere)
}

function roomIn(counter: MemoryCounter, limit: bigint): bigint {
  return limit - spentOf(counter) - counter.reserved
}

function stateOf(counter: MemoryCounter): BudgetCounterState {
  return { spent_micro_usd: spentOf(counter), reserved_micro_usd: counter.reserved }
}
