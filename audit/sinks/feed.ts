// Hands committed batches to the sinks in order. Sinks that cannot keep up lose copies, counted, and never slow the book.
import type { AuditRecord } from '@svc/contract/audit-record'
import type { BookLog } from '../book-state.ts'
import { type FanOut, fanOut, type Sink } from './fan-out.ts'

const batches_waiting_max = 100

export class SinkFeed {
  readonly #sinks: FanOut
  readonly #log: BookLog
  #waiting = 0
  #missed = 0
  #last: Promise<void> = Promise.resolve()

  constructor(sinks: readonly Sink[], log: BookLog) {
    this.#log = log
    this.#sinks = fanOut(sinks, (error) =>
      log.warn({ err: error }, 'an audit sink refused committed records'),
    )
  }

  push(records: readonly AuditRecord[]): void {
    if (this.#waiting >= batches_waiting_max) {
      this.#missed += records.length
      this.#log.warn(
        { missed: this.#missed },
        'audit sinks are too slow; committed records were not handed on',
      )
      return
    }
    this.#waiting++
    this.#last = this.#last.then(async () => {
      await this.#sinks.accept(records)
      this.#waiting--
    })
  }

  async drained(): Promise<void> {
    await this.#last
  }
}
