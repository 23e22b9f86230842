// Past decisions: patterns mined from them, and policies backtested on them.

// Judges recorded decisions again by other policies and reports which would change.
export { backtest, type Compared, compareOn, type Flips, flipsOf } from './backtest.ts'
// The general rule behind a pattern of refusals, confirmed by the later cases; or why there is none.
export {
  CasesByOperation,
  type GeneralRule,
  generalRule,
  splitInTime,
  type Withheld,
  withheld_reasons,
} from './general-rule.ts'
// Mines patterns from decisions, with support and lift in basis points.
export { type Case, inBps, isCaseSeen, liftInBps, mineDecisions } from './mining.ts'
// The best patterns found so far, within bounds.
export { BestPatterns, type MiningBounds, type Ranked } from './mining-best.ts'
// Bounds the work of mining and yields between turns.
export { type Mining, MiningBudget, mineInTurns } from './mining-budget.ts'
// A pattern, a sequence of steps, and the references to their records.
export {
  Features,
  type Pattern,
  recordRef,
  type Seen,
  Sequence,
  type Step,
  sequence_length_max,
} from './pattern.ts'
// Which patterns the policies in force cover already.
export { coveringOf, judgeBy, type Measured, setInForce } from './pattern-coverage.ts'
// The tables of patterns and proposals.
export { pattern_migrations } from './pattern-migrations.ts'
// Reads the organization's own audit log within a scope.
export { requireOwn, type Scan, type ScanScope, scanChain } from './pattern-scan.ts'
// Writing and locking the rows of patterns.
export { keepPatterns, lockPattern, type PatternSupport } from './pattern-store.ts'
