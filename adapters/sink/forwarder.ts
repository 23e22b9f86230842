// Forwards committed records, in chain order and at least once. One engine at a time does so; the chain is the
// buffer.
import { setTimeout as pause } from 'node:timers/promises'
import {
  clearDue,
  findDue,
  type HandedRecord,
  measureLag,
  moveCursors,
  noteMissed,
  readDue,
  releaseLease,
  renewLease,
  takeLease,
} from '@svc/audit/sinks/fan-out-store'
import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { Clock, Log } from '@svc/engine/ports'
import type { Pool } from 'pg'

/** Where records go. `send` resolves once all of them are safe there, and may be called again after any failure. */
export interface Outlet {
  send(records: readonly HandedRecord[]): Promise<void>
  close(): Promise<void>
}

/** More than the other side takes at once; fewer may fit. */
export class TooLarge extends Error {}

export interface ForwarderOptions {
  readonly db: Pool
  readonly topic: string
  readonly outlet: Outlet
  /** Where old pages are read. */
  readonly page_archive?: PageArchive | undefined
  readonly clock: Pick<Clock, 'monotonic_ms'>
  readonly log: Log
  /** Called now and then with the number of committed records not yet forwarded. */
  readonly onLag?: (records: number) => void
  /** How long a silent engine keeps its lease. */
  readonly lease_ms?: number
  /** Below the default maximum message size of brokers. */
  readonly bytes_max?: number
  readonly tenants_max?: number
  /** The first pause after a failure; the next are longer. */
  readonly retry_ms?: number
}

const lease_ms_default = 5_000
const bytes_max_default = 512 * 1024
const tenants_max_default = 200
const rows_max = 2_000
const idle_ms = 500
const retry_ms_default = 500
const retry_ms_max = 2_000
const lag_every_ms = 5_000
const missed_every_ms = 30_000
const missed_tenants_max = 1_000
const aside_max = 1_000
const close_ms_max = 3_000

export class Forwarder {
  readonly #options: ForwarderOptions & Required<Omit<ForwarderOptions, 'page_archive'>>
  readonly #timers: readonly NodeJS.Timeout[]
  readonly #running: Promise<void>
  /** Tenants whose next record is too large for the broker; retried together with the missed ones. */
  readonly #aside = new Set<string>()
  #epoch: string | undefined
  #bytes_max: number
  #after_tenant = ''
  #missed_looked_ms = Number.NEGATIVE_INFINITY
  #retry_ms: number
  #trouble: string | undefined
  #woken = false
  #rest: AbortController | undefined
  #close_by_ms: number | undefined

  constructor(options: ForwarderOptions) {
    const defaults = {
      lease_ms: lease_ms_default,
      bytes_max: bytes_max_default,
      tenants_max: tenants_max_default,
      retry_ms: retry_ms_default,
      onLag: () => {},
    }
    this.#options = { ...defaults, ...options }
    this.#bytes_max = this.#options.bytes_max
    this.#retry_ms = this.#options.retry_ms
    this.#timers = [
      this.#every(this.#options.lease_ms / 3, () => this.#renew()),
      this.#every(lag_every_ms, () => this.#measure()),
    ]
    this.#running = this.#run()
  }

  /** Records of this engine were committed. Those of others are found within half a second. */
  wake(): void {
    this.#woken = true
    if (this.#isBusy()) this.#rest?.abort()
  }

  /** Forwards what is left, for a few seconds at most, and lets another engine continue at once. */
  async close(): Promise<void> {
    this.#close_by_ms ??= this.#options.clock.monotonic_ms() + close_ms_max
    this.#rest?.abort()
    await Promise.race([this.#running, pause(close_ms_max, undefined, { ref: false })])
    // Ends a send that is still waiting for its answer.
    await this.#options.outlet.close()
    await this.#running
    for (const timer of this.#timers) clearInterval(timer)
  }

  /** While another engine forwards, or the broker does not answer, new records are no reason to hurry. */
  #isBusy(): boolean {
    return this.#epoch !== undefined && this.#trouble === undefined
  }

  async #run(): Promise<void> {
    while (!this.#isOver()) {
      try {
        const more = await this.#step()
        if (!more && this.#close_by_ms !== undefined) break
        if (!more) await this.#pause(idle_ms)
      } catch (error) {
        this.#tellTrouble(error as Error)
        await this.#giveUpTurn()
        if (this.#close_by_ms !== undefined) break
        await this.#pause(this.#retry_ms)
        this.#retry_ms = Math.min(this.#retry_ms * 2, retry_ms_max)
      }
    }
    await this.#giveUpTurn()
  }

  #isOver(): boolean {
    return this.#close_by_ms !== undefined && this.#options.clock.monotonic_ms() >= this.#close_by_ms
  }

  /** False if there is nothing to do for now. */
  async #step(): Promise<boolean> {
    const { db, topic, lease_ms } = this.#options
    this.#woken = false
    this.#epoch ??= this.#close_by_ms === undefined ? await takeLease(db, topic, lease_ms) : undefined
    if (this.#epoch === undefined) return false
    await this.#lookForMissed()
    return this.#handOn()
  }

  /** One page of due tenants. A long backlog of one takes turns with the short ones of others. */
  async #handOn(): Promise<boolean> {
    const { db, topic, tenants_max, page_archive } = this.#options
    const due = await findDue(db, topic, this.#after_tenant, [...this.#aside], tenants_max)
    const limits = { rows_max, bytes_max: this.#bytes_max }
    const records = due.length > 0 ? await readDue(db, due, limits, page_archive) : []
    if (records.length > 0 && !(await this.#send(records))) return true
    if (records.length > 0) await moveCursors(db, topic, records)
    const tenants_done = dealtWith(due, records)
    if (tenants_done.length > 0) await clearDue(db, topic, tenants_done)
    const at_end = tenants_done.length === due.length && due.length < tenants_max
    this.#after_tenant = at_end ? '' : (tenants_done.at(-1) ?? '')
    this.#tellWell()
    return records.length > 0 || !at_end
  }

  /** False if it was too much at once: then less is tried, down to one record. */
  async #send(records: readonly HandedRecord[]): Promise<boolean> {
    try {
      await this.#options.outlet.send(records)
      return true
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      if (records.length > 1) this.#bytes_max = Math.ceil(this.#bytes_max / 4)
      else this.#setAside(records[0]!, error)
      return false
    }
  }

  /** A chain is never forwarded with a gap, so its tenant waits; the others do not. */
  #setAside({ tenant_id, seq, line }: HandedRecord, error: Error): void {
    const bytes = Buffer.byteLength(line)
    const advice = `raise its limit above ${bytes} bytes; the tenant's records wait in the chain`
    this.#options.log.error(
      { tenant_id, seq, bytes },
      `the broker takes no such record: ${error.message}; ${advice}`,
    )
    if (this.#aside.size < aside_max) this.#aside.add(tenant_id)
  }

  async #lookForMissed(): Promise<void> {
    const now_ms = this.#options.clock.monotonic_ms()
    if (now_ms - this.#missed_looked_ms < missed_every_ms) return
    const { db, topic } = this.#options
    let after: string | undefined = ''
    while (after !== undefined && this.#close_by_ms === undefined)
      after = await noteMissed(db, topic, after, missed_tenants_max)
    this.#missed_looked_ms = now_ms
    this.#bytes_max = this.#options.bytes_max
    this.#aside.clear()
  }

  async #renew(): Promise<void> {
    const { db, topic, lease_ms } = this.#options
    const epoch = this.#epoch
    if (epoch === undefined || (await renewLease(db, topic, epoch, lease_ms))) return
    // Both may have sent the same records by now: readers detect duplicates by their seq.
    if (this.#epoch === epoch) this.#epoch = undefined
  }

  /** An engine that cannot reach the broker lets another one try. */
  async #giveUpTurn(): Promise<void> {
    const epoch = this.#epoch
    this.#epoch = undefined
    if (epoch === undefined) return
    await releaseLease(this.#options.db, this.#options.topic, epoch).catch(() => {})
  }

  async #measure(): Promise<void> {
    this.#options.onLag(await measureLag(this.#options.db, this.#options.topic))
  }

  #tellTrouble(error: Error): void {
    if (this.#trouble !== undefined) return
    this.#trouble = error.message
    void this.#measure().catch(() => {})
    this.#options.log.warn(
      { err: error, topic: this.#options.topic },
      `committed records are not forwarded: ${error.message}; they wait in the chain`,
    )
  }

  #tellWell(): void {
    this.#retry_ms = this.#options.retry_ms
    if (this.#trouble === undefined) return
    this.#trouble = undefined
    this.#options.log.info({ topic: this.#options.topic }, 'committed records are forwarded again')
  }

  async #pause(ms: number): Promise<void> {
    if (this.#close_by_ms !== undefined || (this.#woken && this.#isBusy())) return
    this.#rest = new AbortController()
    await pause(ms, undefined, { signal: this.#rest.signal }).catch(() => {})
    this.#rest = undefined
  }

  #every(ms: number, work: () => Promise<void>): NodeJS.Timeout {
    let busy = false
    const timer = setInterval(() => {
      if (busy) return
      busy = true
      work()
        .catch((error) =>
          this.#options.log.debug({ err: error }, 'the fan-out was not tended; it is tried again'),
        )
        .finally(() => {
          busy = false
        })
    }, ms)
    return timer.unref()
  }
}

/** The tenants of a page that had their turn: if not all fitted, those up to the last that did. */
function dealtWith(
  due: readonly { readonly tenant_id: string }[],
  records: readonly HandedRecord[],
): readonly string[] {
  const tenant_ids = due.map(({ tenant_id }) => tenant_id)
  const last = records.at(-1)
  return last ? tenant_ids.slice(0, tenant_ids.indexOf(last.tenant_id) + 1) : tenant_ids
}
