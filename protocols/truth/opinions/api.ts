// Opinions: their form, pooling, and the reliability of their sources.

// Signs a document for the caller, with its own key or the audit log's.
export { proveAsCaller } from './document-proof.ts'
// Scores forecasts against outcomes.
export {
  type Curve,
  type StoredForecast,
  scoreEvent,
  scoreQuantiles,
  scoreShares,
} from './forecast-score.ts'
// Pools probability vectors, and measures disagreement.
export {
  disagreementOf,
  divergence,
  entropyOf,
  epsilon_default,
  extremize_default,
  type LogPoolOptions,
  normalise,
  poolLinear,
  poolLog,
  poolMedian,
  type Vectors,
  weightedMedian,
} from './pool.ts'
// Schemas and checks of opinions.
export {
  Amount,
  any_topic,
  Distribution,
  faulty,
  Opinion,
  type OpinionKind,
  Probability,
  Quantiles,
  requireCurve,
  requireOneKind,
  requireWhole,
  Source,
  sharesOf,
  Topic,
} from './pool-opinion.ts'
// Asks a model to explain a result.
export { askRationale } from './rationale.ts'
// Weighs sources by their record.
export {
  excessLosses,
  half_life_days_default,
  hitOf,
  logLoss,
  wilson,
} from './reliability.ts'
// Stores scores of resolved forecasts, and the weights of sources.
export {
  addScores,
  judgeTopic,
  type ResolvedKind,
  type ScoredForecast,
  setWeight,
} from './reliability-store.ts'
// Reads the scores behind a record.
export { findScores, meanScores } from './score-history.ts'
