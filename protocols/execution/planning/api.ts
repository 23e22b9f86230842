// Hierarchical task planning: domains, plan search, schedules and repair.

// Compile a condition, and the first line of what its evaluation throws.
export { compileCondition, sentenceOf } from './condition.ts'
// Compile a planning domain from its source.
export {
  compileDomain,
  type DomainSource,
  type Fault,
  type MethodSource,
  type OperatorSource,
} from './domain.ts'
// Mean and deviation of an uncertain duration.
export { deviationOf, meanOf } from './makespan.ts'
// What a plan minimizes.
export type { Minimize } from './objective.ts'
// The difference between two plans, and how stable the change is.
export { compareTasks } from './plan-change.ts'
// Events that a plan must react to.
export { type EventFault, event_kinds, type PlanEvent } from './plan-events.ts'
// The shape of a plan.
export type { Frame, Objective, Plain, PlanGraph, PlanTask, TreeEntry } from './plan-graph.ts'
// The shape of a schedule.
export type { Schedule } from './plan-schedule.ts'
// Refine a goal into a plan, on a worker.
export {
  type Failing,
  type ObjectiveResult,
  type Refined,
  type RefineTask,
  refine_job,
} from './refine-job.ts'
// Repair a plan after an event, on a worker.
export { type Replan, type Replanned, replan_job } from './replan-job.ts'
