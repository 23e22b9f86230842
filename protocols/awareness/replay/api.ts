// Replaying recorded calls: rebuilding one from its record, and judging it again.

// Rate limits once more, from the calls before.
export { type Bucket, callsBefore, levelAt } from './bucket-again.ts'
// Under which rules a call is judged again.
export type { RulesThen } from './gate-again.ts'
// Rebuilds what the rules knew about a call from its audit record.
export {
  endsRequest,
  isDeniedByOwnRule,
  type RecordedScene,
  recordedScene,
  type SceneFact,
} from './recorded-scene.ts'
// Judges a recorded call again under the rules of its time.
export { judgeAgain, not_judged, setNamed } from './rejudgement.ts'
// Tries what would have changed a recorded decision.
export { whatWouldChange } from './what-would-change.ts'
