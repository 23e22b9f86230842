// Waits until records are committed.
import { setTimeout as pause } from 'node:timers/promises'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { comparePositions, type Position } from './signals.ts'

/** How far the chain must be: this journal position, and this count of outbox transactions. */
export interface Mark {
  readonly position: Position
  readonly outbox_count: number
}

const waiters_max = 10_000

export class CommitWaiters {
  readonly #waiting = new Set<{ mark: Mark; settle(reached: boolean): void }>()
  readonly #onChange: (by: 1 | -1) => void
  #reached: Mark
  #hopeless = false

  constructor(reached: Mark, onChange: (by: 1 | -1) => void) {
    this.#reached = reached
    this.#onChange = onChange
  }

  get reached(): Mark {
    return this.#reached
  }

  /** True once the mark is reached, false on timeout. */
  async until(mark: Mark, wait_ms_max: number): Promise<boolean> {
    if (covers(this.#reached, mark)) return true
    if (this.#hopeless || this.#waiting.size >= waiters_max) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiter = { mark, settle: resolve }
    const timer = setTimeout(resolve, wait_ms_max, false)
    this.#waiting.add(waiter)
    this.#onChange(1)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(waiter)
      this.#onChange(-1)
    }
  }

  /** Each part only moves forward: a restarted writer first reports an older state. */
  reach({ position, outbox_count }: Partial<Mark>): void {
    const before = this.#reached
    this.#reached = {
      position: position && comparePositions(position, before.position) > 0 ? position : before.position,
      outbox_count: outbox_count && aheadBy(outbox_count, before) > 0 ? outbox_count : before.outbox_count,
    }
    for (const waiter of this.#waiting) if (covers(this.#reached, waiter.mark)) waiter.settle(true)
  }

  /** Nothing more will be committed: waiters are released at once. */
  giveUp(): void {
    this.#hopeless = true
    for (const waiter of this.#waiting) waiter.settle(false)
  }
}

function covers(reached: Mark, mark: Mark): boolean {
  return comparePositions(reached.position, mark.position) >= 0 && aheadBy(reached.outbox_count, mark) >= 0
}

// The count is 32 bits wide and may wrap; the difference gives the order.
function aheadBy(outbox_count: number, mark: Mark): number {
  return (outbox_count - mark.outbox_count) | 0
}

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
