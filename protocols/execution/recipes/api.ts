// What others may use of recipes.
export { type Advance, advance, openGroups } from './advance.ts'
export { type Compiled, compileRecipe } from './compile.ts'
export { baseScore, scoreOf } from './confidence.ts'
export type { Journal, SkipReason, StepRecord, StepState } from './journal.ts'
export { resolvePayload } from './payload.ts'
export {
  isBefore,
  isCall,
  isGroup,
  type Plan,
  type PlannedGate,
  type PlannedProtocol,
  type PlannedStep,
  stepAt,
} from './plan.ts'
export { recipeId, recipeIdsIn } from './recipe-id.ts'
export { completeRetry, retryDelay } from './retry-delay.ts'
export { readScope } from './scope.ts'
