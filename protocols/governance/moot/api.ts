// What others may use of moot.
export { sweepCases } from './case-sweep.ts'
