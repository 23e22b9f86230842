// What others may use of planning.
export { compileCondition, sentenceOf } from './condition.ts'
export {
  compileDomain,
  type DomainSource,
  type Fault,
  type MethodSource,
  type OperatorSource,
} from './domain.ts'
export { deviationOf, meanOf } from './makespan.ts'
export { compareTasks } from './plan-change.ts'
export { type EventFault, event_kinds, type PlanEvent } from './plan-events.ts'
export type { Frame, Objective, Plain, PlanGraph, PlanTask, TreeEntry } from './plan-graph.ts'
export type { Schedule } from './plan-schedule.ts'
export { type Failing, type Refined, type RefineTask, refine_job } from './refine-job.ts'
export { type Replan, type Replanned, replan_job } from './replan-job.ts'
