// A purse that is told to Redis: what this engine did, and from which beginnings it is reckoned.

import { type PurseHeard, type PurseWord, purseKey } from './counter-script.ts'
import { finishedOf, isUnderWay, type OwnPurse, wholeBelow, wholeOf } from './own-counter.ts'
import type { Truth } from './truth.ts'

/** So many times what may have been counted twice is looked into: each time only what was spent just then can remain. */
const doubts_max = 20

/** Which connection to Redis it was read under: another one may lead to other data. */
export interface KnownTruth extends Truth {
  readonly link_number: number
}

/** All in exact units of what this engine did, from `exact` being nothing. */
export interface ToldPurse extends OwnPurse {
  readonly field: string
  readonly redis_key: string
  began: string
  /** In the base of the beginning it knows. */
  zero: bigint
  /** Understood by Redis. */
  heard: bigint
  /** In PostgreSQL. */
  committed: bigint
  /** In PostgreSQL at a moment when Redis still had the purse: in any base it will begin with again. */
  sure: bigint
  /** Read because Redis had no such purse: it begins with this. */
  truth: KnownTruth | undefined
  /** What this engine reckons its own share from while Redis is away. */
  alone: KnownTruth | undefined
  reading: { truth?: Promise<KnownTruth>; alone?: Promise<KnownTruth> }
  /** The connection on which Redis was found to have it. */
  found_on: number
  /** How often the base is still to be held against PostgreSQL, for it may have in it what this engine told on top. */
  doubts: number
  healed: PurseWord['healed']
  /** Something is to be told. */
  is_news: boolean
  /** Questions about it that wait for an answer. */
  asked: number
}

export function openTold(own: OwnPurse, field: string): ToldPurse {
  return {
    ...own,
    field,
    redis_key: purseKey(own.tenant_id, own.counts, own.purse),
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
    is_news: false,
    asked: 0,
  }
}

/** What was said, kept until the answer is there. */
export interface Sent {
  readonly purse: ToldPurse
  readonly exact: bigint
  readonly committed: bigint
  readonly truth: KnownTruth | undefined
  readonly link_number: number
  readonly word: PurseWord
}

export function say(purse: ToldPurse, link_number: number): Sent {
  const { exact, committed, counts } = purse
  const truth = purse.truth?.link_number === link_number ? purse.truth : undefined
  const since = (beginning: bigint) => wholeOf(counts, exact - beginning)
  const word: PurseWord = {
    key: purse.redis_key,
    field: purse.field,
    began: purse.began,
    same: since(purse.zero),
    folded: since(purse.heard),
    other: since(purse.sure),
    truth: truth && wholeOf(counts, truth.spent),
    since_truth: truth ? since(truth.own) : 0n,
    is_first: purse.found_on !== link_number,
    reserved: purse.reserved,
    committed: committed > purse.zero ? wholeBelow(counts, committed - purse.zero) : 0n,
    healed: purse.healed,
  }
  purse.is_news = false
  purse.healed = undefined
  return { purse, exact, committed, truth, link_number, word }
}

/** Must come before what the same answer granted is held. */
export function hear(sent: Sent, heard: PurseHeard, beginning: string): void {
  const { purse, exact, committed, truth, link_number, word } = sent
  if (heard.began === '') return
  if (heard.began !== purse.began) {
    const is_own = heard.began === beginning
    if ((is_own ? word.since_truth : word.other) > 0n) purse.doubts = doubts_max
    purse.zero = is_own ? truth!.own : purse.sure
    purse.began = heard.began
  } else if (heard.is_folded) purse.zero = purse.heard
  purse.heard = exact
  purse.sure = committed
  purse.found_on = link_number
  purse.truth = undefined
  purse.alone = undefined
}

/** Nothing of it is under way, untold, doubted, or known to nobody but this process. */
export function isQuiet(purse: ToldPurse): boolean {
  const { is_news, asked, doubts, committed, sure } = purse
  if (is_news || asked > 0 || doubts > 0 || isUnderWay(purse)) return false
  return committed === finishedOf(purse) && sure === committed
}
