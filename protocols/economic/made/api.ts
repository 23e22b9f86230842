// What others may use of made.
export { sweepContracts } from './contract-sweep.ts'
