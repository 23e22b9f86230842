// The queue before the pool: it may be long for a moment, but a caller who would wait in vain is refused at once. Each tenant has a
// line of its own, and the next connection goes to the one that uses the fewest.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import type { Pool, PoolClient } from 'pg'
import { system_clock } from '../clock/system.ts'

/** A line is too long if this part of the longest wait is expected, or was already spent by its first. */
const patience = 1 / 2
/** The weight of the newest use of a connection in the average. */
const newest_weight = 0.1
const retry_ms_min = 500
const retry_ms_spread = 1_500
/** Steps through the spread without coming near the previous value. */
const retry_ms_step = 569

export interface Connections {
  connect(tenant_id: string): Promise<PoolClient>
}

interface Waiter {
  readonly since_ms: number
  goOn(): void
}

/** A tenant that uses a connection or waits for one. */
interface Line {
  readonly tenant_id: string
  using: number
  readonly waiting: Waiter[]
}

interface Use {
  readonly line: Line
  readonly since_ms: number
}

/** By time and not by length: uses of a connection differ by a factor of a thousand. */
export class PoolQueue implements Connections {
  readonly #pool: Pool
  readonly #wait_ms_max: number
  readonly #pool_max: number
  readonly #clock: Pick<Clock, 'monotonic_ms'>
  /** In the order in which they were served last. */
  readonly #lines = new Map<string, Line>()
  readonly #uses = new Map<object, Use>()
  #free: number
  #use_ms = 0
  #refused = 0

  constructor(
    pool: Pool,
    pool_max: number,
    wait_ms_max: number,
    clock: Pick<Clock, 'monotonic_ms'> = system_clock,
  ) {
    this.#pool = pool
    this.#wait_ms_max = wait_ms_max
    this.#pool_max = pool_max
    this.#free = pool_max
    this.#clock = clock
    pool.on('release', (_error, client) => this.#released(client))
  }

  async connect(tenant_id: string): Promise<PoolClient> {
    const line = this.#lineOf(tenant_id)
    if (this.#free > 0) {
      this.#free--
      line.using++
    } else await this.#turn(line)
    try {
      const client = await this.#pool.connect()
      this.#uses.set(client, { line, since_ms: this.#clock.monotonic_ms() })
      return client
    } catch (error) {
      this.#leave(line)
      throw error
    }
  }

  get waiting(): number {
    let waiting = 0
    for (const line of this.#lines.values()) waiting += line.waiting.length
    return waiting
  }

  #lineOf(tenant_id: string): Line {
    const line = this.#lines.get(tenant_id) ?? { tenant_id, using: 0, waiting: [] }
    this.#lines.set(tenant_id, line)
    return line
  }

  async #turn(line: Line): Promise<void> {
    const now_ms = this.#clock.monotonic_ms()
    if (this.#isTooLong(line, now_ms)) throw this.#busy()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      line.waiting.splice(line.waiting.indexOf(waiter), 1)
      this.#endIfIdle(line)
      reject(this.#busy())
    }, this.#wait_ms_max).unref()
    const waiter = { since_ms: now_ms, goOn: resolve }
    line.waiting.push(waiter)
    return promise.finally(() => clearTimeout(timer))
  }

  #isTooLong({ waiting }: Line, now_ms: number): boolean {
    const [first] = waiting
    if (!first) return false
    let age_ms = 0
    for (const { since_ms } of this.#uses.values()) age_ms += (now_ms - since_ms) / this.#uses.size
    const lines = [...this.#lines.values()].filter((line) => line.waiting.length > 0).length
    // Connections in use may be slower than all before, so their age counts as well.
    const expected_ms = (waiting.length * lines * Math.max(this.#use_ms, age_ms)) / this.#pool_max
    return Math.max(expected_ms, now_ms - first.since_ms) > this.#wait_ms_max * patience
  }

  #released(client: object): void {
    const use = this.#uses.get(client)
    if (!use) return
    this.#uses.delete(client)
    const used_ms = this.#clock.monotonic_ms() - use.since_ms
    this.#use_ms = this.#use_ms === 0 ? used_ms : this.#use_ms + newest_weight * (used_ms - this.#use_ms)
    this.#leave(use.line)
  }

  #leave(line: Line): void {
    line.using--
    this.#endIfIdle(line)
    const next = this.#next()
    if (!next) {
      this.#free++
      return
    }
    this.#lines.delete(next.tenant_id)
    this.#lines.set(next.tenant_id, next)
    next.using++
    next.waiting.shift()!.goOn()
  }

  #endIfIdle({ tenant_id, using, waiting }: Line): void {
    if (using === 0 && waiting.length === 0) this.#lines.delete(tenant_id)
  }

  /** Of those that wait, who uses the fewest connections. */
  #next(): Line | undefined {
    let best: Line | undefined
    for (const line of this.#lines.values())
      if (line.waiting.length > 0 && (!best || line.using < best.using)) best = line
    return best
  }

  #busy(): Refusal {
    return refuse(
      'no_endpoint_available',
      'Too many operations wait for the database, so nothing was done; try again a little later.',
      {
        reason: 'database busy',
        retry_after_ms: retry_ms_min + ((this.#refused++ * retry_ms_step) % retry_ms_spread),
      },
    )
  }
}
