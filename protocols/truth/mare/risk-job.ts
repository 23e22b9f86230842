// One simulation, for a worker thread; reports whether its band is uncertain.
import { isAmbiguous, type RiskFactor, scoreOf, simulate, type Tail, tailOf } from './risk.ts'
import { contributionsOf } from './risk-contributions.ts'

export interface RiskTask {
  readonly factors: readonly RiskFactor[]
  readonly iterations: number
  readonly appetite_usd: number
  readonly seed: number
}

export interface RiskRun extends Tail {
  readonly iterations: number
  readonly score: number
  readonly interval95: [number, number]
  readonly shares: number[]
  readonly ambiguous: boolean
}

export function compute({ factors, iterations, appetite_usd, seed }: RiskTask): RiskRun {
  const { totals, parts } = simulate(factors, iterations)
  const tail = tailOf(totals, seed)
  const [low, high] = tail.cvar_interval
  const interval95: [number, number] = [scoreOf(low, appetite_usd), scoreOf(high, appetite_usd)]
  return {
    ...tail,
    iterations,
    score: scoreOf(tail.cvar_95, appetite_usd),
    interval95,
    shares: contributionsOf(parts, seed),
    ambiguous: isAmbiguous(interval95),
  }
}
