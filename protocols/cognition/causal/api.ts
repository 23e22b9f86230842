// What others may use of causal.
export {
  analysis_job,
  type CausalAnswer,
  type CausalQuestion,
  type CausalVerdict,
  query_kinds,
} from './analysis-job.ts'
export { type ModelSource, model_job, type PackedModel } from './model-job.ts'
export { parameters_max, states_max, variables_max } from './network.ts'
