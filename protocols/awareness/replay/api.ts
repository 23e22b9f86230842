// Replaying recorded calls: rebuilding one from its record, and judging it again.

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
