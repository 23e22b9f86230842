// A budget counter reported to Redis: what this engine did, and since which starts it is counted.

import { type CounterReply, type CounterUpdate, counterKey, doubts_max } from './counter-script.ts'
import { finishedOf, isUnderWay, type OwnCounter, wholeBelow, wholeOf } from './own-counter.ts'
import type { Truth } from './truth.ts'

/** The connection to Redis under which it was read: another one may lead to other data. */
export interface KnownTruth extends Truth {
  readonly link_number: number
}

/** All in exact units of what this engine did, counted from `exact` being 0. */
export interface SharedCounter extends OwnCounter {
  readonly field: string
  readonly redis_key: string
  began: string
  /** In the base of the start that it knows. */
  zero: bigint
  /** Acknowledged by Redis. */
  heard: bigint
  /** In PostgreSQL. */
  committed: bigint
  /** In PostgreSQL while Redis still had the counter: in any base that it will start with again. */
  sure: bigint
  /** Read because Redis had no such counter, which starts with this. */
  truth: KnownTruth | undefined
  /** What this engine computes its share from while Redis is away. */
  alone: KnownTruth | undefined
  reading: { truth?: Promise<KnownTruth>; alone?: Promise<KnownTruth> }
  /** The connection on which Redis had it. */
  found_on: number
  /** How often the base must still be compared with PostgreSQL: it may contain what this engine reported on top. */
  doubts: number
  healed: CounterUpdate['healed']
  /** There is something to report. */
  is_change: boolean
  /** Requests about it in flight. */
  asked: number
}

export function openTold(own: OwnCounter, field: string): SharedCounter {
  return {
    ...own,
    field,
    redis_key: counterKey(own.tenant_id, own.counts, own.budget_counter),
    began: '',
    zero: 0n,
    heard: 0n,
    committed: 0n,
    sure: 0n,
    truth: undefined,
    alone: undefined,
    reading: {},
    found_on: 0,
    doubts: 0,
    healed: undefined,
    is_change: false,
    asked: 0,
  }
}

/** What was reported, kept until the answer is there. */
export interface Sent {
  readonly budget_counter: SharedCounter
  readonly exact: bigint
  readonly committed: bigint
  readonly truth: KnownTruth | undefined
  readonly link_number: number
  readonly word: CounterUpdate
}

export function say(counter: SharedCounter, link_number: number): Sent {
  const { exact, committed, counts } = counter
  const truth = counter.truth?.link_number === link_number ? counter.truth : undefined
  const since = (beginning: bigint) => wholeOf(counts, exact - beginning)
  const word: CounterUpdate = {
    key: counter.redis_key,
    field: counter.field,
    began: counter.began,
    same: since(counter.zero),
    folded: since(counter.heard),
    other: since(counter.sure),
    truth: truth && wholeOf(counts, truth.spent),
    since_truth: truth ? since(truth.own) : 0n,
    is_first: counter.found_on !== link_number,
    reserved: counter.reserved,
    committed: committed > counter.zero ? wholeBelow(counts, committed - counter.zero) : 0n,
    healed: counter.healed,
  }
  counter.is_change = false
  counter.healed = undefined
  return { budget_counter: counter, exact, committed, truth, link_number, word }
}

/** Call it before what the same answer granted is reserved. */
export function hear(sent: Sent, heard: CounterReply, beginning: string): void {
  const { budget_counter, exact, committed, truth, link_number, word } = sent
  if (heard.began === '') return
  if (heard.began !== budget_counter.began) {
    const is_own = heard.began === beginning
    if ((is_own ? word.since_truth : word.other) > 0n) budget_counter.doubts = doubts_max
    budget_counter.zero = is_own ? truth!.own : budget_counter.sure
    budget_counter.began = heard.began
  } else if (heard.is_folded) budget_counter.zero = budget_counter.heard
  if (heard.doubts > 0) budget_counter.doubts = Math.max(1, budget_counter.doubts)
  budget_counter.heard = exact
  budget_counter.sure = committed
  budget_counter.found_on = link_number
  budget_counter.truth = undefined
  budget_counter.alone = undefined
}

/** Nothing of it is in flight, unreported, doubted, or known only to this process. */
export function isQuiet(counter: SharedCounter): boolean {
  const { is_change, asked, doubts, committed, sure } = counter
  if (is_change || asked > 0 || doubts > 0 || isUnderWay(counter)) return false
  return committed === finishedOf(counter) && sure === committed
}
