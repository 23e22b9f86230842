// What others may use of opinions.
export { proveAsCaller } from './document-proof.ts'
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
export { askRationale } from './rationale.ts'
export {
  type Forecast,
  half_life_days_default,
  hitOf,
  logLoss,
  lossOf,
  type Outcome,
  wilson,
} from './reliability.ts'
export { addOutcomes, findOutcomes, judgeTopic, type Resolved, setWeight } from './reliability-store.ts'
