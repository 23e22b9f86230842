// Waits until a record is committed, by this engine's writer or another's.
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditRecord } from '@svc/contract/audit-record'
import { type Refusal, refuse } from '@svc/contract/refusal'

const wait_ms_max = 10_000
const look_every_ms = 100

export interface Waiting {
  /** True once this engine's writer has committed all that was recorded here so far. */
  settled(wait_ms_max: number): Promise<boolean>
  find(): Promise<AuditRecord | undefined>
}

/** Another engine may have taken what was left in the outbox and not be done with it, so it is looked for again. */
export async function awaitRecord({ settled, find }: Waiting): Promise<AuditRecord> {
  const until_ms = performance.now() + wait_ms_max
  let cause: unknown
  for (let left_ms = wait_ms_max; left_ms > 0; left_ms = until_ms - performance.now()) {
    await settled(left_ms)
    try {
      const record = await find()
      if (record) return record
    } catch (error) {
      cause = error
    }
    await pause(Math.min(look_every_ms, left_ms))
  }
  throw notCommitted(cause)
}

function notCommitted(cause: unknown): Refusal {
  return refuse(
    'adapter_error',
    `The record was taken, but the audit log did not commit it within ${wait_ms_max / 1000} s; ` +
      'try again with the same idempotency key to learn its place.',
    { reason: 'audit record not committed yet', retry_after_ms: 1_000 },
    cause,
  )
}
