// The plain model of limits and budgets over all engines: how much may be given out at most, by docs/limits.md and docs/economy.md.
import type { SimulationRedis } from '../redis.ts'
import { Violation, type World } from '../world.ts'
import type { DispatchModel } from './model.ts'

export interface Bucket {
  readonly tenant_id: string
  readonly capacity: number
  readonly refill_per_s: number
}

export interface Budget {
  readonly tenant_id: string
  readonly limit_micro_usd: number
  /** Reserved for each call. */
  readonly worst_micro_usd: number
}

/** The time in which one engine was without Redis. */
interface Interruption {
  readonly process_name: string
  readonly began_ms: number
  ended_ms: number | undefined
  /** How many engines it shared with, at least. */
  engines: number
  /** Left of the budget when it began, and what others had reserved or not committed meanwhile, at most. */
  readonly rest_micro_usd: number
  unseen_micro_usd: number
}

const quanta_per_micro_usd = 10n ** 13n
const dead_after_ms = 30_000

export class LimitsModel {
  readonly #world: World
  readonly #redis: SimulationRedis
  readonly #model: DispatchModel
  readonly #bucket: Bucket
  readonly #budget: Budget
  readonly #interruptions: Interruption[] = []
  readonly #registered_ms = new Map<string, number>()
  /** How many engines each knows of, at least. */
  readonly #engines = new Map<string, number>()
  readonly #start_ms: number
  #losses = 0
  #redis_jumped_ms = 0
  /** Reservations that ended unseen: of engines that were killed or silent, or by a Redis that lost them. */
  #forgotten_micro_usd = 0

  constructor(world: World, redis: SimulationRedis, model: DispatchModel, bucket: Bucket, budget: Budget) {
    this.#world = world
    this.#redis = redis
    this.#model = model
    this.#bucket = bucket
    this.#budget = budget
    this.#start_ms = world.now_ms
  }

  redisChanged(process_name: string, is_up: boolean): void {
    const open = this.#interruptions.find(
      (one) => one.process_name === process_name && one.ended_ms === undefined,
    )
    if (is_up && open) open.ended_ms = this.#world.now_ms
    if (is_up || open) return
    this.#interruptions.push({
      process_name,
      began_ms: this.#world.now_ms,
      ended_ms: undefined,
      engines: this.#engines.get(process_name) ?? 1,
      rest_micro_usd: Math.max(0, this.#budget.limit_micro_usd - this.#spent()),
      unseen_micro_usd: this.#unseen(),
    })
  }

  redisClockMoved(ms: number): void {
    this.#redis_jumped_ms += Math.max(0, ms)
  }

  /** Call before it is killed. */
  killed(process_name: string): void {
    this.silenced(process_name)
    this.redisChanged(process_name, true)
  }

  /** Call before it is stopped, perhaps for long. */
  silenced(process_name: string): void {
    const { tenant_id, worst_micro_usd } = this.#budget
    const under_way = this.#model.underWay(tenant_id, (name) => name === process_name).length
    this.#forgotten_micro_usd += (under_way + this.#model.uncommitted(tenant_id)) * worst_micro_usd
  }

  async check(): Promise<void> {
    await this.#countEngines()
    if (this.#redis.losses > this.#losses) this.#forgotten_micro_usd += this.#unseen()
    this.#losses = this.#redis.losses
    for (const one of this.#interruptions) {
      if (one.ended_ms !== undefined) continue
      one.engines = Math.min(one.engines, this.#engines.get(one.process_name) ?? 1)
      one.unseen_micro_usd = Math.max(one.unseen_micro_usd, this.#unseen())
    }
    this.#checkBucket()
    this.#checkBudget()
  }

  get spent_micro_usd(): number {
    return this.#spent()
  }

  #checkBucket(): void {
    const { tenant_id, capacity, refill_per_s } = this.#bucket
    let admitted = 0
    for (const { tenant_id: of, handler_began_ms, answer } of this.#model.attempts.values()) {
      const is_past = answer?.kind === 'success' || (answer?.kind === 'refused' && answer.stage > 3)
      if (of === tenant_id && (is_past || handler_began_ms !== undefined)) admitted++
    }
    const now_ms = this.#world.now_ms
    const earned = (ms: number) => (ms / 1000) * refill_per_s
    let most = capacity * (1 + this.#losses) + earned(now_ms - this.#start_ms + this.#redis_jumped_ms)
    for (const { began_ms, ended_ms = now_ms, engines } of this.#interruptions)
      most += (capacity + earned(ended_ms - began_ms)) / engines + 1
    if (admitted > most + 1e-6)
      throw new Violation(`${admitted} calls of ${tenant_id} were admitted, at most ${most} fit its limit`)
  }

  #checkBudget(): void {
    const { limit_micro_usd, tenant_id } = this.#budget
    let most = limit_micro_usd + this.#forgotten_micro_usd
    for (const { rest_micro_usd, engines, unseen_micro_usd } of this.#interruptions)
      most += rest_micro_usd / engines + unseen_micro_usd
    const spent = this.#spent()
    if (spent > most)
      throw new Violation(`${tenant_id} has spent ${spent} micro-USD of ${limit_micro_usd}; at most ${most}`)
  }

  #spent(): number {
    const quanta = this.#model.spent_quanta.get(this.#budget.tenant_id) ?? 0n
    return Number((quanta + quanta_per_micro_usd - 1n) / quanta_per_micro_usd)
  }

  /** Reservations and spending that PostgreSQL does not show. */
  #unseen(): number {
    const { tenant_id, worst_micro_usd } = this.#budget
    const { processes } = this.#world
    const under_way = this.#model.underWay(tenant_id, (name) => processes.get(name)?.is_alive ?? false)
    return (under_way.length + this.#model.uncommitted(tenant_id)) * worst_micro_usd
  }

  /**
   * An engine knows those that were registered before it last counted, and were seen within 30 s before that. Within one millisecond
   * either may have come first.
   */
  async #countEngines(): Promise<void> {
    const { changes } = this.#world.database
    if (changes === this.#counted_changes) return
    this.#counted_changes = changes
    const { rows } = await this.#world.database.control.query<{ replica_id: string; seen_ms: number }>(
      `SELECT replica_id, (extract(epoch FROM seen_at) * 1000)::float8 AS seen_ms FROM engine_replicas`,
    )
    for (const { replica_id } of rows)
      if (!this.#registered_ms.has(replica_id)) this.#registered_ms.set(replica_id, this.#world.now_ms)
    for (const { replica_id, seen_ms } of rows) {
      const others = rows.filter(
        (other) =>
          other.replica_id !== replica_id &&
          this.#registered_ms.get(other.replica_id)! < seen_ms &&
          other.seen_ms >= seen_ms - dead_after_ms,
      )
      const process_name = this.#names.get(replica_id)
      if (process_name) this.#engines.set(process_name, 1 + others.length)
    }
  }

  readonly #names = new Map<string, string>()
  #counted_changes = -1

  register(replica_id: string, process_name: string): void {
    this.#names.set(replica_id, process_name)
  }
}
