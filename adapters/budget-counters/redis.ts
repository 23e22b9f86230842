// Budgets in Redis, shared by all replicas. While it is away each gives out its share, never more.
import type { PurseState } from '@svc/contract/needs/budgets'
import { unavailable } from '@svc/contract/refusal'
import type { Take } from '@svc/engine/call'
import type { Log, Purses } from '@svc/engine/ports'
import type { RedisLink } from '../rate-limit/redis-link.ts'
import { finish, finishedOf, holdAll, isFree, wholeOf } from './own-counter.ts'
import { shareLeft } from './own-share.ts'
import { isQuiet, type KnownTruth, openTold, type ToldPurse } from './shared-counter.ts'
import { type KeptPurses, keptPurses } from './stored-counters.ts'
import { type Answered, type Asked, type TenantLines, tenantLines } from './tenant-lines.ts'
import { readTruth, type Truth, type TruthParts } from './truth.ts'

/** Redis may lose a purse while its truth is read; not every time. */
const tries_max = 4
/** A word may show that a purse is missing, and beginning it is one more word. */
const rounds_max = 10
const healed_at_once_max = 100

export interface RedisPursesParts extends TruthParts {
  readonly link: Pick<RedisLink, 'run' | 'isUp'>
  /** Of this process: no two may have the same. */
  readonly replica_id: string
  /** Engines that share this Redis, this one included. */
  readonly replicas: () => number
  /** A call was judged by this replica alone. */
  readonly onFallback: () => unknown
  readonly log: Log
}

export interface RedisPurses extends Purses {
  /** To be called every second: tells what is still reserved, and notes what PostgreSQL has by now. */
  tell(): Promise<void>
  /** Redis is there again, perhaps with other data: everything is told and checked anew. */
  returned(): void
  /** Resolves when everything was told, or could not be. */
  quiet(): Promise<void>
}

export function redisPurses(parts: RedisPursesParts): RedisPurses {
  return new SharedPurses(parts)
}

/** A share that is used up says nothing of the others: only where all of it is spent the answer is no. */
function requireSpent(
  purse: ToldPurse,
  { limit, amount }: Take,
  truths: ReadonlyMap<ToldPurse, Truth>,
): void {
  if (shareLeft(purse, truths.get(purse)!, limit, 1) < amount) return
  throw unavailable('budget', new Error('the share of this engine is used up while Redis is away'))
}

class SharedPurses implements RedisPurses {
  readonly #parts: RedisPursesParts
  readonly #kept: KeptPurses<ToldPurse>
  readonly #lines: TenantLines
  readonly #beginning = new Set<Promise<void>>()
  #opened = 0
  #link_number = 1

  constructor(parts: RedisPursesParts) {
    this.#parts = parts
    this.#kept = keptPurses((own) => openTold(own, `${parts.replica_id}.${(++this.#opened).toString(36)}`))
    this.#lines = tenantLines({
      ...parts,
      linkNumber: () => this.#link_number,
      onMissing: (purse) => {
        const begun = this.#begin(purse).finally(() => this.#beginning.delete(begun))
        this.#beginning.add(begun)
      },
    })
  }

  reserve(tenant_id: string, takes: readonly Take[], take: boolean): undefined | Promise<Take | undefined> {
    const bound = takes.filter((wanted) => !isFree(wanted))
    if (bound.length === 0) return undefined
    return this.#reserve(tenant_id, bound, take)
  }

  async #reserve(tenant_id: string, takes: readonly Take[], take: boolean): Promise<Take | undefined> {
    const purses = takes.map(({ purse, counts }) => this.#open(tenant_id, purse, counts))
    const answer = await this.#ask({ purses, takes, take })
    if (answer) return answer.verdict === 0 ? undefined : takes[answer.verdict - 1]
    this.#parts.onFallback()
    const truths = new Map<ToldPurse, Truth>()
    for (const purse of purses) truths.set(purse, await this.#read(purse, 'alone'))
    const roomIn = (purse: ToldPurse, limit: bigint) =>
      shareLeft(purse, truths.get(purse)!, limit, this.#parts.replicas())
    const lacking = holdAll(purses, takes, roomIn, take)
    if (lacking) requireSpent(purses[takes.indexOf(lacking)]!, lacking, truths)
    // Where Redis is back already it is told now, else when it is.
    if (!lacking && take) for (const purse of purses) this.#lines.tell(purse)
    return lacking
  }

  settle(tenant_id: string, takes: readonly Take[], quanta: bigint): void {
    for (const wanted of takes) {
      if (isFree(wanted) && quanta === 0n) continue
      const purse = this.#kept.open(tenant_id, wanted.purse, wanted.counts)
      if (!purse) continue
      finish(purse, wanted, quanta)
      this.#kept.pin(purse)
      if (wanted.counts === 'usd') this.#lines.tell(purse)
    }
  }

  async state(tenant_id: string, name: string): Promise<PurseState> {
    const purse = this.#open(tenant_id, name, 'usd')
    const answer = await this.#ask({ purses: [purse], takes: [], take: false })
    const [heard] = answer?.purses ?? []
    if (heard) return { spent_micro_usd: heard.spent, reserved_micro_usd: heard.reserved }
    const { spent, own } = await this.#read(purse, 'alone')
    return {
      spent_micro_usd: wholeOf('usd', spent + purse.exact - own),
      reserved_micro_usd: purse.reserved,
    }
  }

  async calls(tenant_id: string, name: string): Promise<bigint> {
    const purse = this.#open(tenant_id, name, 'calls')
    const answer = await this.#ask({ purses: [purse], takes: [], take: false })
    const [heard] = answer?.purses ?? []
    if (heard) return heard.spent
    const { spent, own } = await this.#read(purse, 'alone')
    return spent + purse.exact - own
  }

  async tell(): Promise<void> {
    const { pinned } = this.#kept
    const finished = [...pinned.values()].map((purse) => [purse, finishedOf(purse)] as const)
    this.#tellAll((purse) => purse.is_news || purse.reserved > 0n)
    if (finished.every(([purse, amount]) => purse.committed === amount && isQuiet(purse))) {
      for (const [purse] of finished) this.#kept.unpin(purse)
      return
    }
    await this.#parts.settled()
    for (const [purse, amount] of finished) {
      if (purse.committed < amount) purse.committed = amount
      if (isQuiet(purse)) this.#kept.unpin(purse)
    }
    this.#tellAll((purse) => purse.sure < purse.committed)
    const doubted = [...pinned.values()].filter(({ doubts }) => doubts > 0).slice(0, healed_at_once_max)
    await Promise.all(doubted.map((purse) => this.#heal(purse)))
  }

  returned(): void {
    this.#link_number++
    this.#tellAll(() => true)
  }

  async quiet(): Promise<void> {
    for (let rounds = 0; rounds < rounds_max; rounds++) {
      await this.#lines.quiet()
      if (this.#beginning.size === 0) return
      await Promise.all(this.#beginning)
    }
  }

  #tellAll(isDue: (purse: ToldPurse) => boolean): void {
    if (!this.#parts.link.isUp()) return
    for (const purse of this.#kept.pinned.values()) if (isDue(purse)) this.#lines.tell(purse)
  }

  #open(tenant_id: string, purse: string, counts: Take['counts']): ToldPurse {
    const opened = this.#kept.open(tenant_id, purse, counts)
    if (!opened) throw unavailable('budget', new Error('too many budget counters are in use'))
    this.#kept.pin(opened)
    return opened
  }

  /** Undefined where Redis is away. A purse that it does not have begins with what PostgreSQL knows of it. */
  async #ask(asked: Asked): Promise<Answered | undefined> {
    const { purses } = asked
    for (const purse of purses) purse.asked++
    try {
      for (let tries = 1; this.#parts.link.isUp(); tries++) {
        const answer = await this.#lines.ask(purses[0]!.tenant_id, asked)
        if (!answer) return undefined
        const missing = purses.filter((_, place) => answer.purses[place]!.began === '')
        if (missing.length === 0) return answer
        if (tries === tries_max) throw unavailable('budget', new Error('Redis loses its budget counters'))
        await Promise.all(missing.map((purse) => this.#read(purse, 'truth')))
      }
      return undefined
    } finally {
      for (const purse of purses) purse.asked--
    }
  }

  /** `truth` is told to Redis, once. `alone` stays while Redis is away, so that the shares of all are parts of one rest. */
  #read(purse: ToldPurse, use: 'truth' | 'alone'): KnownTruth | Promise<KnownTruth> {
    const link_number = this.#link_number
    const known = purse[use]
    if (known?.link_number === link_number) return known
    const read = async (): Promise<KnownTruth> => {
      const truth = { ...(await readTruth(this.#parts, purse)), link_number }
      purse[use] = truth
      return truth
    }
    purse.reading[use] ??= read().finally(() => delete purse.reading[use])
    return purse.reading[use]
  }

  /**
   * Takes from the base what engines told on top of it: PostgreSQL is asked after they said what it has of theirs, so what
   * they spent is that, or in addition to it. Calls are not healed, for PostgreSQL counts only those that came to something.
   */
  async #heal(purse: ToldPurse): Promise<void> {
    purse.doubts = purse.counts === 'usd' ? purse.doubts - 1 : 0
    const asked: Asked = { purses: [purse], takes: [], take: false }
    const [heard] = (await this.#lines.ask(purse.tenant_id, asked))?.purses ?? []
    if (!heard?.began) return
    const { spent } = await readTruth(this.#parts, purse)
    purse.healed = { mark: heard.mark, base: wholeOf(purse.counts, spent) - heard.committed }
    this.#lines.tell(purse)
  }

  /** What was reserved nowhere was spent all the same: the purse begins with it, or it might be missed. */
  async #begin(purse: ToldPurse): Promise<void> {
    purse.is_news = true
    if (purse.asked > 0 || purse.reading.truth) return
    try {
      await this.#read(purse, 'truth')
      this.#lines.tell(purse)
    } catch (error) {
      this.#parts.log.debug({ err: error, purse: purse.purse }, 'a purse will begin when PostgreSQL is back')
    }
  }
}
