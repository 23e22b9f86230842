// What this process itself did with a budget counter, counted exactly: in quanta for money, in calls for calls.

import { microUsdAbove, quanta_per_micro_usd } from '@svc/contract/money/money'
import type { Take } from '@svc/engine/call'
import { recent } from '@svc/engine/limits/recent'

export type Counts = Take['counts']

export interface OwnCounter {
  readonly tenant_id: string
  readonly budget_counter: string
  readonly counts: Counts
  readonly key: string
  /** Everything counted here since it was opened; it shrinks only by what was released before it began. */
  exact: bigint
  /** Micro-USD reserved by calls in flight. */
  reserved: bigint
  /** Calls in flight that are counted already, though they have no record yet. */
  held: bigint
  /** How many callers wait for the read of the real spending: it must not be forgotten meanwhile. */
  readers: number
}

export function openOwn(tenant_id: string, budget_counter: string, counts: Counts, key: string): OwnCounter {
  return { tenant_id, budget_counter, counts, key, exact: 0n, reserved: 0n, held: 0n, readers: 0 }
}

/** Counted when spent and not limited, so there is nothing to reserve. */
export function isFree({ counts, amount }: Take): boolean {
  return counts === 'usd' && amount === 0n
}

/** Whole micro-USD or calls, rounded up. */
export function wholeOf(counts: Counts, exact: bigint): bigint {
  return counts === 'usd' ? microUsdAbove(exact) : exact
}

/** The same, rounded down. */
export function wholeBelow(counts: Counts, exact: bigint): bigint {
  return counts === 'usd' ? exact / quanta_per_micro_usd : exact
}

/** What has a record, or will have one once the audit log has written what it was given. */
export function finishedOf({ exact, held }: OwnCounter): bigint {
  return exact - held
}

export function isUnderWay({ reserved, held, readers }: OwnCounter): boolean {
  return reserved > 0n || held > 0n || readers > 0
}

export function hold(own: OwnCounter, { counts, amount }: Take): void {
  if (counts === 'usd') own.reserved += amount
  else {
    own.exact += 1n
    own.held += 1n
  }
}

function letGo(own: OwnCounter, { counts, amount }: Take): void {
  if (counts === 'usd') own.reserved -= amount
  else {
    own.exact -= 1n
    own.held -= 1n
  }
}

export function finish(own: OwnCounter, { counts, amount }: Take, quanta: bigint): void {
  if (counts === 'usd') {
    own.exact += quanta
    own.reserved = own.reserved > amount ? own.reserved - amount : 0n
  } else if (own.held > 0n) own.held -= 1n
}

/** In sequence, so that a counter named twice is charged twice; if one does not fit, the earlier ones are released. */
export function holdAll<Own extends OwnCounter>(
  owns: readonly Own[],
  takes: readonly Take[],
  roomIn: (own: Own, limit: bigint) => bigint,
  take: boolean,
): Take | undefined {
  let taken_count = 0
  let lacking: Take | undefined
  for (const take_wanted of takes) {
    if (take_wanted.amount > 0n && roomIn(owns[taken_count]!, take_wanted.limit) < take_wanted.amount) {
      lacking = take_wanted
      break
    }
    hold(owns[taken_count++]!, take_wanted)
  }
  if (lacking || !take) while (taken_count-- > 0) letGo(owns[taken_count]!, takes[taken_count]!)
  return lacking
}

const counters_max = 20_000
/** Above it nothing more is admitted: so many counters in use at once are an attack or a fault. */
const pinned_max = 100_000

export interface StoredCounters<Own extends OwnCounter> {
  find(tenant_id: string, budget_counter: string, counts: Counts): Own | undefined
  /** Undefined if there are too many. */
  open(tenant_id: string, budget_counter: string, counts: Counts): Own | undefined
  pin(own: Own): void
  unpin(own: Own): void
  readonly pinned: ReadonlyMap<string, Own>
}

export function storedCounters<Own extends OwnCounter>(make: (own: OwnCounter) => Own): StoredCounters<Own> {
  const lately = recent<Own>(counters_max)
  const pinned = new Map<string, Own>()
  const keyOf = (tenant_id: string, budget_counter: string, counts: Counts) =>
    `${counts}|${tenant_id}|${budget_counter}`
  const findKey = (key: string): Own | undefined => {
    const recent_counter = lately.get(key)
    if (recent_counter) return recent_counter
    const pinned_counter = pinned.get(key)
    if (pinned_counter) lately.set(key, pinned_counter)
    return pinned_counter
  }
  return {
    pinned,
    find: (tenant_id, budget_counter, counts) => findKey(keyOf(tenant_id, budget_counter, counts)),
    open(tenant_id, budget_counter, counts) {
      const key = keyOf(tenant_id, budget_counter, counts)
      const existing = findKey(key)
      if (existing) return existing
      if (pinned.size >= pinned_max) return undefined
      const opened = make(openOwn(tenant_id, budget_counter, counts, key))
      lately.set(key, opened)
      return opened
    },
    pin: (own) => void pinned.set(own.key, own),
    unpin: (own) => void pinned.delete(own.key),
  }
}
