// Deduction and abduction over facts and rules, written in Datalog or English.

// Clauses of a logic program, and how to build them.
export { type Clause, constantOf, literal } from './clause.ts'
// Parses Datalog.
export { parseDatalog, parseDatalogQuery } from './datalog.ts'
// Evaluates a program under the well-founded semantics.
export { evaluateProgram } from './kernel.ts'
// Runs a reasoning task in a worker thread.
export { intent_index, type ReasoningResult, type ReasoningTask, reasoning_job } from './reasoning-job.ts'
// A fact as reasoning reads it from the knowledge graph.
export type { SnapshotFact } from './snapshot-facts.ts'
// The answer to a reasoning task.
export type { Answer } from './task.ts'
// What a text says about how certain it is.
export { certaintyOf } from './tokens.ts'
