// What this process itself did with a purse. Counted exactly: quanta where it holds money, calls where it holds calls.
import { microUsdAbove, quanta_per_micro_usd } from '@svc/contract/money/money'
import type { Take } from '@svc/engine/call'

export type Counts = Take['counts']

export interface OwnCounter {
  readonly tenant_id: string
  readonly budget_counter: string
  readonly counts: Counts
  readonly key: string
  /** Everything counted here since this was opened; it never shrinks but by what was let go before anybody began. */
  exact: bigint
  /** Micro-USD for calls under way. */
  reserved: bigint
  /** Calls under way that are counted already, though no record tells of them yet. */
  held: bigint
  /** How many wait to read what was really spent: it must not be forgotten meanwhile. */
  readers: number
}

export function openOwn(tenant_id: string, budget_counter: string, counts: Counts, key: string): OwnCounter {
  return { tenant_id, budget_counter, counts, key, exact: 0n, reserved: 0n, held: 0n, readers: 0 }
}

/** Counted when it is spent and held to nothing, so there is nothing to ask before. */
export function isFree({ counts, amount }: Take): boolean {
  return counts === 'usd' && amount === 0n
}

/** Whole micro-USD or calls, never less than it is. */
export function wholeOf(counts: Counts, exact: bigint): bigint {
  return counts === 'usd' ? microUsdAbove(exact) : exact
}

/** The same, never more than it is. */
export function wholeBelow(counts: Counts, exact: bigint): bigint {
  return counts === 'usd' ? exact / quanta_per_micro_usd : exact
}

/** What there is a record of, or will be once the book has written what it was given. */
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

/** One after the other, so that a purse named twice is held twice; what was held goes back where one has no room. */
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
