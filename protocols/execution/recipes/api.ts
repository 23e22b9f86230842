// Recipes: compiling them to plans, and deciding the next steps of a run.

// Decide the next steps of a run.
export { type Advance, advance, openGroups } from './advance.ts'
// Compile a recipe to a plan.
export { type Compiled, compileRecipe } from './compile.ts'
// The confidence of a step and of a run.
export { baseScore, scoreOf } from './confidence.ts'
// The journal of a run.
export type { Journal, SkipReason, StepRecord, StepState } from './journal.ts'
// The payload of a step, with its references resolved.
export { resolvePayload } from './payload.ts'
// The plan of a recipe, and questions about its steps.
export {
  isBefore,
  isCall,
  isGroup,
  isLoop,
  type Plan,
  type PlannedEach,
  type PlannedGate,
  type PlannedProtocol,
  type PlannedRepeat,
  type PlannedStep,
  type PlannedWait,
  recipeOfStep,
  stepAt,
  stepsInside,
} from './plan.ts'
// The id of a recipe, and the ids a recipe uses.
export { recipeId, recipeIdsIn } from './recipe-id.ts'
// When a timer is over.
export { dueAt } from './repetition-step.ts'
// Retry policies and the wait before the next attempt.
export { completeRetry, isRetried, retryDelay, unsuccessful } from './retry-delay.ts'
// The rounds of loops, which a run adds to its plan.
export { roundPath, roundsOf, run_steps_max, withRounds } from './rounds.ts'
// What the expressions of a step can read.
export { readScope } from './scope.ts'
