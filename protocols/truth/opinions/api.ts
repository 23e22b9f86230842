// Opinions: their form, pooling, and the reliability of their sources.

// Signs a document for the caller, with its own key or the audit log's.
export { proveAsCaller } from './document-proof.ts'
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
  any_topic,
  Distribution,
  faulty,
  Opinion,
  type OpinionKind,
  Probability,
  Quantiles,
  requireOneKind,
  requireWhole,
  Source,
  sharesOf,
  Topic,
} from './pool-opinion.ts'
// Asks a model to explain a result.
export { askRationale } from './rationale.ts'
// Scores forecasts against outcomes.
export {
  type Forecast,
  half_life_days_default,
  hitOf,
  logLoss,
  lossOf,
  type Outcome,
  wilson,
} from './reliability.ts'
// Stores outcomes and the weights of sources.
export { addOutcomes, findOutcomes, judgeTopic, type Resolved, setWeight } from './reliability-store.ts'
