// What others may use of oas.
export { farSide } from './remote-side.ts'
export { judgeLineage } from './resolution.ts'
