// Pools distributions; many sources over many labels run in a worker thread.
import {
  disagreementOf,
  divergence,
  entropyOf,
  type LogPoolOptions,
  poolLinear,
  poolLog,
  poolMedian,
  type Vectors,
} from '../opinions/api.ts'

export interface PoolTask extends LogPoolOptions {
  readonly vectors: Vectors
  readonly weights: readonly number[]
  readonly method: 'linear' | 'log' | 'median'
}

export interface PoolResult {
  readonly pooled: readonly number[]
  readonly entropy: number
  /** Divergence of each source from the pool. */
  readonly bits: readonly number[]
  readonly disagreement: number
  readonly parts: readonly number[]
}

/** Undefined if this method yields no pool. */
export function compute({ vectors, weights, method, ...options }: PoolTask): PoolResult | undefined {
  const pooled =
    method === 'linear'
      ? poolLinear(vectors, weights)
      : method === 'log'
        ? poolLog(vectors, weights, options)
        : poolMedian(vectors, weights)
  if (!pooled) return undefined
  const { degree, parts } = disagreementOf(vectors, weights)
  return {
    pooled,
    entropy: entropyOf(pooled),
    bits: vectors.map((shares) => divergence(shares, pooled)),
    disagreement: degree,
    parts,
  }
}
