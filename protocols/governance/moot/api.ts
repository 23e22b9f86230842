// MOOT: courts for disputes between organizations.

// Draws panels, serves cases, advances those whose deadline has passed and executes remedies; run by the scheduler.
export { sweepCases } from './case-sweep.ts'
// What an agent registers in MARS to be an arbiter.
export { arbiter_capability } from './case-venue.ts'
// The checkpoint of the venue that decides a draw.
export { filingCheckpoint } from './panel-draw.ts'
