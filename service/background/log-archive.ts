// Moves old pages of the audit log into the archive, some at a time, and reads them back for everybody.
import { within } from '@svc/adapters/clock/within'
import { openPageStore } from '@svc/adapters/log-archive/open-page-store'
import { CachedArchive } from '@svc/adapters/log-archive/page-archive'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import { archiveBatch, countLag } from '@svc/audit/archive/archive-pages'
import type { PageStore } from '@svc/audit/archive/page-store'
import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { Database } from '@svc/contract/database'
import type { Clock, Log } from '@svc/engine/ports'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const round_every_ms = 5_000
const pages_a_round_max = 256
/** Another engine takes the pages of one that was killed after this time. */
const claim_s = 60
const rest_ms_min = 5_000
const rest_ms_max = 300_000
const lag_every_ms = 30_000
/** Past it an unfinished batch is left: its pages stay in PostgreSQL. */
const stop_ms_max = 3_000
const day_ms = 86_400_000

interface Parts {
  readonly clock: Clock
  readonly meters: Prometheus
  readonly log: Log
}

type Closing = (() => Promise<unknown>)[]

export interface LogArchive {
  /** Undefined where no archive is configured. */
  readonly page_archive: PageArchive | undefined
  start(db: Database): void
}

/** Call before the store is opened: it reads archived pages. */
export function openLogArchive(
  { log_archive }: Pick<Config, 'log_archive'>,
  { clock, meters, log }: Parts,
  closing: Closing,
): LogArchive {
  if (!log_archive) return { page_archive: undefined, start() {} }
  const pages = openPageStore(log_archive.place, clock)
  const page_archive = new CachedArchive({ pages, log })
  addFigures(meters, page_archive)
  return {
    page_archive,
    start(db) {
      const archiver = new Archiver({ db, pages, clock, log, hot_days: log_archive.hot_days })
      for (const [name, help, read] of archiver.counters()) meters.counter(name, help, read)
      meters.gauge(
        'svc_log_archive_lag_pages',
        'Pages of the audit log older than SVC_LOG_HOT_DAYS that are still in PostgreSQL.',
        () => archiver.lag,
      )
      const timer = every(round_every_ms, () => archiver.round(), log)
      closing.push(async () => {
        clearInterval(timer)
        await archiver.stop()
      })
    },
  }
}

function addFigures(meters: Prometheus, archive: CachedArchive): void {
  const { counts } = archive
  meters.counter('svc_log_archive_reads_total', 'Archived pages that were fetched.', () => counts.read)
  meters.counter(
    'svc_log_archive_read_failures_total',
    'Reads that were refused because the archive did not answer.',
    () => counts.failed,
  )
  meters.counter(
    'svc_log_archive_unreadable_total',
    'Fetched pages that were missing or had other content.',
    () => counts.unreadable,
  )
  meters.gauge(
    'svc_log_archive_cache_bytes',
    'Bytes of archived pages in memory.',
    () => archive.cached_bytes,
  )
}

export interface ArchiverParts extends Pick<Parts, 'clock' | 'log'> {
  readonly db: Database
  readonly pages: PageStore
  readonly hot_days: number
}

export class Archiver {
  readonly #parts: ArchiverParts
  readonly #counts = { pages: 0, bytes: 0, failures: 0 }
  #under_way: Promise<void> | undefined
  #is_stopping = false
  #trouble: string | undefined
  #rest_ms = 0
  #rest_until_ms = Number.NEGATIVE_INFINITY
  #lag_at_ms = Number.NEGATIVE_INFINITY
  lag = 0

  constructor(parts: ArchiverParts) {
    this.#parts = parts
  }

  counters(): readonly [name: string, help: string, read: () => number][] {
    return [
      ['svc_log_archive_pages_total', 'Pages moved into the archive.', () => this.#counts.pages],
      ['svc_log_archive_bytes_total', 'Bytes moved into the archive.', () => this.#counts.bytes],
      [
        'svc_log_archive_failures_total',
        'Rounds in which the archive took no page.',
        () => this.#counts.failures,
      ],
    ]
  }

  /** A bounded number of pages. Runs periodically; a failure is logged once, and tried again after a growing pause. */
  round(): Promise<void> {
    if (this.#now() < this.#rest_until_ms) return Promise.resolve()
    this.#under_way = this.#round().catch((error: Error) => this.#failed(error))
    return this.#under_way
  }

  /** After the batch that is being written, if that does not take long. */
  async stop(): Promise<void> {
    this.#is_stopping = true
    await within(stop_ms_max, this.#under_way ?? Promise.resolve()).catch(() => {})
  }

  async #round(): Promise<void> {
    const { db, pages, clock, hot_days } = this.#parts
    const older_than = new Date(clock.now_ms() - hot_days * day_ms)
    await this.#measure(older_than)
    for (let moved = 0; moved < pages_a_round_max && !this.#is_stopping; ) {
      const batch = await archiveBatch(db, pages, { older_than, claim_s })
      if (batch.claimed === 0) break
      moved += batch.claimed
      this.#counts.pages += batch.pages
      this.#counts.bytes += batch.bytes
      for (const { tenant_id, page } of batch.altered) this.#altered(tenant_id, page)
    }
    this.#succeeded()
  }

  async #measure(older_than: Date): Promise<void> {
    if (this.#now() - this.#lag_at_ms < lag_every_ms) return
    this.lag = await countLag(this.#parts.db, older_than)
    this.#lag_at_ms = this.#now()
  }

  #altered(tenant_id: string, page: number): void {
    this.#parts.log.error(
      { tenant_id, page },
      'a page of the audit log was altered in PostgreSQL; it is not archived and stays there as evidence',
    )
  }

  #failed(error: Error): void {
    const { pages, log, clock } = this.#parts
    this.#counts.failures++
    this.#rest_ms = Math.min(Math.max(this.#rest_ms * 2, rest_ms_min), rest_ms_max)
    this.#rest_until_ms = this.#now() + this.#rest_ms * (0.5 + clock.random() / 2)
    if (this.#trouble === undefined)
      log.warn(
        { archive: pages.place, err: error },
        `old pages of the audit log cannot be archived: ${error.message}; they stay in PostgreSQL and are tried again`,
      )
    this.#trouble = error.message
  }

  #succeeded(): void {
    this.#rest_ms = 0
    if (this.#trouble !== undefined)
      this.#parts.log.info(
        { archive: this.#parts.pages.place },
        'old pages of the audit log are archived again',
      )
    this.#trouble = undefined
  }

  #now(): number {
    return this.#parts.clock.monotonic_ms()
  }
}
