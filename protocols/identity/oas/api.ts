// What others may use of oas.
export { remoteSide } from './remote-side.ts'
export { judgeLineage } from './resolution.ts'
