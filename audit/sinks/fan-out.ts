// Committed records, handed on. The chain is the book; a sink is a copy, so a failing one never holds up another.
import type { AuditRecord } from '@svc/contract/audit-record'

export interface Sink {
  accept(records: readonly AuditRecord[]): void | Promise<void>
}

export interface FanOut extends Sink {
  failures(): number
}

/** One sink made of several. `onFailure` hears of each failure, which is counted too. */
export function fanOut(sinks: readonly Sink[], onFailure: (error: unknown) => void): FanOut {
  let failures = 0
  return {
    async accept(records) {
      const outcomes = await Promise.allSettled(sinks.map(async (sink) => sink.accept(records)))
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue
        failures++
        onFailure(outcome.reason)
      }
    },
    failures: () => failures,
  }
}
