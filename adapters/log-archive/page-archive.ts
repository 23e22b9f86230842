// Reads archived pages: few at a time, each once, the newest read from memory.
import type { PageStore } from '@svc/audit/archive/page-store'
import type { ArchivedPage, PageArchive } from '@svc/contract/audit/page-archive'
import { unavailable } from '@svc/contract/refusal'
import type { Log } from '@svc/engine/ports'
import { within } from '../clock/within.ts'

/** Shorter than a transaction may be idle, in which most reads happen. */
const answer_ms_default = 10_000
const cache_bytes_default = 64 * 1024 * 1024
const at_once_max = 8
const waiting_max = 1_000
/** Pages whose content was reported; past it they are reported again. */
const reported_max = 10_000

export interface PageArchiveOptions {
  readonly pages: Pick<PageStore, 'get' | 'place'>
  readonly log: Pick<Log, 'warn' | 'error' | 'info'>
  readonly answer_ms_max?: number
  readonly cache_bytes_max?: number
}

/** With figures for metrics. */
export class CachedArchive implements PageArchive {
  readonly #options: Required<PageArchiveOptions>
  /** In the order of their last use. */
  readonly #cached = new Map<string, Uint8Array>()
  readonly #reading = new Map<string, Promise<Uint8Array | undefined>>()
  readonly #waiting: (() => void)[] = []
  readonly #reported = new Set<string>()
  #under_way = 0
  #is_away = false
  #cached_bytes = 0
  readonly counts = { read: 0, failed: 0, unreadable: 0 }

  constructor(options: PageArchiveOptions) {
    this.#options = {
      answer_ms_max: answer_ms_default,
      cache_bytes_max: cache_bytes_default,
      ...options,
    }
  }

  get cached_bytes(): number {
    return this.#cached_bytes
  }

  async read(page: ArchivedPage): Promise<Uint8Array | undefined> {
    const cached = this.#cached.get(page.sha256)
    if (cached) {
      this.#cached.delete(page.sha256)
      this.#cached.set(page.sha256, cached)
      return cached
    }
    const reading = this.#reading.get(page.sha256) ?? this.#begin(page)
    return await within(this.#options.answer_ms_max, reading).catch((error: Error) => {
      this.#failed(error)
      throw unavailable('log_archive', error)
    })
  }

  #begin(page: ArchivedPage): Promise<Uint8Array | undefined> {
    const reading = this.#fetch(page).finally(() => this.#reading.delete(page.sha256))
    this.#reading.set(page.sha256, reading)
    // Whoever asked may have given up by then.
    reading.catch(() => {})
    return reading
  }

  async #fetch(page: ArchivedPage): Promise<Uint8Array | undefined> {
    if (this.#under_way >= at_once_max) await this.#turn()
    else this.#under_way++
    try {
      const bytes = await this.#options.pages.get(page)
      this.counts.read++
      this.#answered()
      if (bytes) this.#keep(page.sha256, bytes)
      else this.#unreadable(page)
      return bytes
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#under_way--
    }
  }

  /** Whoever is done hands its place on. */
  async #turn(): Promise<void> {
    if (this.#waiting.length >= waiting_max) throw new Error(`more than ${waiting_max} pages wait to be read`)
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #keep(sha256: string, bytes: Uint8Array): void {
    const { cache_bytes_max } = this.#options
    if (bytes.length > cache_bytes_max) return
    this.#cached.set(sha256, bytes)
    this.#cached_bytes += bytes.length
    for (const [oldest, { length }] of this.#cached) {
      if (this.#cached_bytes <= cache_bytes_max) break
      this.#cached.delete(oldest)
      this.#cached_bytes -= length
    }
  }

  #unreadable({ sha256 }: ArchivedPage): void {
    this.counts.unreadable++
    if (this.#reported.has(sha256)) return
    if (this.#reported.size >= reported_max) this.#reported.clear()
    this.#reported.add(sha256)
    const { log, pages } = this.#options
    log.error(
      { sha256, archive: pages.place },
      'a page of the audit log is missing in the archive or was changed there; its records are shown as unreadable',
    )
  }

  #failed(error: Error): void {
    this.counts.failed++
    const { log, pages } = this.#options
    if (!this.#is_away)
      log.warn(
        { archive: pages.place, err: error },
        `the archive of the audit log does not answer: ${error.message}; reads of old records are refused`,
      )
    this.#is_away = true
  }

  #answered(): void {
    const { log, pages } = this.#options
    if (this.#is_away) log.info({ archive: pages.place }, 'the archive of the audit log answers again')
    this.#is_away = false
  }
}
