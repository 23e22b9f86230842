// Causal models: reading and checking them, and answering questions about causes.

// Answers a causal question on a packed model, in a worker thread.
export {
  analysis_job,
  type CausalAnswer,
  type CausalQuestion,
  type CausalVerdict,
  query_kinds,
} from './analysis-job.ts'
// Reads and checks a model's source, in a worker thread.
export { type ModelSource, model_job, type PackedModel } from './model-job.ts'
// Size limits of a model.
export { parameters_max, states_max, variables_max } from './network.ts'
