// How well the audit log keeps up: normal, buffering to disk, or over its limit.
import { comparePositions, type Position } from './writer/signals.ts'

export type BufferState = 'normal' | 'buffering' | 'overflow'

export interface AuditLogLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const lag_ms_max = 5_000
/** Two a second; the oldest shows how far behind the writer is, so few are enough. */
const samples_max = 16

export class AuditLogState {
  #failing: string | undefined
  #stopped: string | undefined
  #fenced = false
  #last_error: string | undefined
  #samples: { position: Position; at_ms: number }[] = []

  failed(error: string): void {
    this.#failing = error
    this.#last_error = error
  }

  recovered(): void {
    this.#failing = undefined
  }

  /** The writer has given up: nothing more is committed until somebody repairs the journal. */
  stopped(error: string, fenced: boolean): void {
    this.#stopped = error
    this.#fenced ||= fenced
  }

  /** Another engine reads this journal now: what is still written to it may never be read. */
  get fenced(): boolean {
    return this.#fenced
  }

  /** Why the writer stopped, which says what to do, is not hidden by what fails afterwards. */
  lastError(journal_fault?: string): string | undefined {
    return this.#stopped ?? journal_fault ?? this.#last_error
  }

  sample(written: Position, committed: Position, now_ms: number): void {
    this.#samples = this.#samples.filter((sample) => comparePositions(sample.position, committed) > 0)
    const newest = this.#samples.at(-1)?.position ?? committed
    if (this.#samples.length < samples_max && comparePositions(written, newest) > 0) {
      this.#samples.push({ position: written, at_ms: now_ms })
    }
  }

  of(now_ms: number, over_limit: boolean, journal_fault: string | undefined): BufferState {
    if (over_limit || journal_fault !== undefined || this.#stopped !== undefined) return 'overflow'
    const oldest = this.#samples[0]
    const lagging = oldest !== undefined && now_ms - oldest.at_ms > lag_ms_max
    return lagging || this.#failing !== undefined ? 'buffering' : 'normal'
  }
}
