// MOAT: treaties, the only way one organization may call another.

// Whether the id of a treaty still matches its terms.
export { isIntact } from './treaty.ts'
// Suspends, resumes and terminates treaties for courts and dissolutions.
export { holdSuspension, releaseSuspension, resumeTreaty, terminateTreaty } from './treaty-ending.ts'
// The tables of treaties, signatures and findings.
export { treaty_migrations } from './treaty-migrations.ts'
// Whether a signature is valid for a treaty and party.
export { isWordFor } from './treaty-signature.ts'
// Treaties by id, party or pair of organizations; several locked at once.
export {
  countExpiringTreaties,
  findTreaty,
  lockTreaties,
  partnersOf,
  treatiesBetween,
  treatiesOf,
  treatyOfParty,
} from './treaty-store.ts'
// Activates and expires treaties on time; run by the scheduler.
export { sweepTreaties } from './treaty-sweep.ts'
