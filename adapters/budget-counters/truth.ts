// The real spending is in PostgreSQL. Reading it neither misses what this process finished nor counts it twice.
import { unavailable } from '@svc/contract/refusal'
import { finishedOf, type OwnCounter } from './own-counter.ts'

/** Read again if calls end meanwhile; after that, what ended is added on top, which can only be too much. */
const reads_max = 3
const known_ms_max = 5_000

export interface TruthParts {
  /** All committed spending of a budget counter. */
  readonly read: (tenant_id: string, budget_counter: string) => Promise<{ quanta: bigint; calls: bigint }>
  /** Resolves when everything this process finished before is committed. */
  readonly settled: () => Promise<void>
}

/** In exact units: quanta or calls. */
export interface Truth {
  readonly spent: bigint
  /** How much of what this process finished is certainly included. */
  readonly own: bigint
}

/** Refuses if it cannot be read: a call without a known budget is not admitted. */
export async function readTruth(parts: TruthParts, own: OwnCounter): Promise<Truth> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${known_ms_max} ms`)), known_ms_max)
  own.readers++
  try {
    return await Promise.race([late, readQuietly(parts, own)])
  } catch (error) {
    throw unavailable('budget', error)
  } finally {
    own.readers--
    clearTimeout(timer)
  }
}

async function readQuietly({ read, settled }: TruthParts, own: OwnCounter): Promise<Truth> {
  for (let reads = 1; ; reads++) {
    const before = finishedOf(own)
    await settled()
    const { quanta, calls } = await read(own.tenant_id, own.budget_counter)
    const spent = own.counts === 'usd' ? quanta : calls
    if (finishedOf(own) === before || reads === reads_max) return { spent, own: before }
  }
}
