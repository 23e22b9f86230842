// When the journal is synced: before each answer, or a moment later.

const interval_ms = 100

export type FsyncMode = 'interval' | 'always'

export class SyncSchedule {
  readonly #mode: FsyncMode
  readonly #sync: () => Promise<void>
  readonly #onFailure: (error: Error) => void
  #running: Promise<void> = Promise.resolve()
  #queued: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(mode: FsyncMode, sync: () => Promise<void>, onFailure: (error: Error) => void) {
    this.#mode = mode
    this.#sync = sync
    this.#onFailure = onFailure
  }

  /** After a write: a promise where the answer must wait for the disk, undefined where it need not. */
  secure(): Promise<void> | undefined {
    if (this.#mode === 'always') return this.now()
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.now().catch(() => {})
    }, interval_ms).unref()
    return undefined
  }

  /** A sync that begins after this call. Requests during a running one share the next. */
  now(): Promise<void> {
    if (this.#queued) return this.#queued
    const run = async () => {
      this.#queued = undefined
      try {
        await this.#sync()
      } catch (error) {
        this.#onFailure(error as Error)
        throw error
      }
    }
    this.#queued = this.#running.then(run, run)
    this.#running = this.#queued
    return this.#queued
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
