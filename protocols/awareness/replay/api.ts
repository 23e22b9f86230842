// What others may use of replay.
export {
  endsRequest,
  isDeniedByOwnRule,
  type RecordedScene,
  recordedScene,
  type SceneFact,
} from './recorded-scene.ts'
export { judgeAgain, not_judged, setNamed } from './rejudgement.ts'
