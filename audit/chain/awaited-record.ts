// Waits until a record is committed, by any engine's writer.
import { setTimeout as pause } from 'node:timers/promises'
import { type Refusal, refuse } from '@svc/contract/refusal'

const wait_ms_max = 10_000
const look_every_ms = 100

export interface Waiting<Found> {
  /** It went through this engine's own journal, so no other engine can be writing it. */
  readonly is_ours: boolean
  /** True once this engine's writer has committed all that was recorded here so far. */
  settled(wait_ms_max: number): Promise<boolean>
  find(): Promise<Found | undefined>
}

/** Another engine may have taken the rest of the outbox and not finished, so it is looked up again. */
export async function awaitRecord<Found>({ is_ours, settled, find }: Waiting<Found>): Promise<Found> {
  const until_ms = performance.now() + wait_ms_max
  let cause: unknown
  for (let left_ms = wait_ms_max; left_ms > 0; left_ms = until_ms - performance.now()) {
    const is_settled = await settled(left_ms)
    try {
      const record = await find()
      if (record) return record
    } catch (error) {
      cause = error
    }
    if (is_ours && is_settled && cause === undefined) throw new Error('the record is not in the chain')
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
