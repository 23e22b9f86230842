// What others may use of moat.

export { isIntact } from './treaty.ts'
export { holdSuspension, releaseSuspension, resumeTreaty, terminateTreaty } from './treaty-ending.ts'
export { treaty_migrations } from './treaty-migrations.ts'
export { isWordFor } from './treaty-signature.ts'
export { findTreaty, partnersOf, treatiesBetween, treatiesOf, treatyOfParty } from './treaty-store.ts'
export { sweepTreaties } from './treaty-sweep.ts'
