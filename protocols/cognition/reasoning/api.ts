// What others may use of reasoning.

export { type Clause, constantOf, literal } from './clause.ts'
export { parseDatalog, parseDatalogQuery } from './datalog.ts'
export { evaluateProgram } from './kernel.ts'
export { intent_index, type ReasoningResult, type ReasoningTask, reasoning_job } from './reasoning-job.ts'
export type { SnapshotFact } from './snapshot-facts.ts'
export type { Answer } from './task.ts'
