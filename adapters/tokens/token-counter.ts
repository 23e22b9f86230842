// One worker counts for everybody: each further one would load the tokenizer's table again.
import { type ComputeOwner, computation } from '@svc/contract/needs/computation'
import type { Clock } from '@svc/engine/ports'
import { WorkerPool } from '../compute/worker-pool.ts'
import type { compute } from './o200k.ts'

const workers = 1
const count_ms_max = 30_000
const o200k = computation<Parameters<typeof compute>[0], number>(new URL('./o200k.ts', import.meta.url))

export function tokenCounter(clock: Clock) {
  const pool = new WorkerPool(clock, workers)
  return {
    countTokens: (texts: readonly string[], owner?: ComputeOwner) =>
      pool.compute(o200k, texts, count_ms_max, owner),
    close: () => pool.close(),
  }
}
