// What others may use of oas.
export { farSide } from './far-side.ts'
export { judgeLineage } from './resolution.ts'
