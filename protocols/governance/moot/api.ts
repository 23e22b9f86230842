// MOOT: courts for disputes between organizations.

// Advances cases whose deadline has passed and executes remedies; run by the scheduler.
export { sweepCases } from './case-sweep.ts'
