// What others may use of precedents.
export { backtest, type Flips, flipsOf, judgeScenes } from './backtest.ts'
export { inBps, isCaseSeen, liftInBps, mineDecisions } from './mining.ts'
export { BestPatterns, type MiningBounds, type Ranked } from './mining-best.ts'
export { type Mining, MiningBudget, mineInTurns } from './mining-budget.ts'
export {
  Features,
  type Pattern,
  recordRef,
  type Seen,
  Sequence,
  type Step,
  sequence_length_max,
} from './pattern.ts'
export { coveringOf, judgeBy, type Measured, setInForce } from './pattern-coverage.ts'
export { pattern_migrations } from './pattern-migrations.ts'
export { requireOwn, type Scan, type ScanScope, scanChain } from './pattern-scan.ts'
export { keepPatterns, lockPattern, type PatternSupport } from './pattern-store.ts'
