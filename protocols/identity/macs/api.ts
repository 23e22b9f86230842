// MACS: identities, their lineage, and proof that a caller holds their keys.

// The table of access requests.
export { access_request_migrations } from './access-request-store.ts'
// The tables of derived identities.
export { derivation_migrations } from './derivation-store.ts'
// The proven lineage of an identity, and its table.
export { lineage_migrations, lineageOf } from './lineage-store.ts'
// The tables of sessions and challenges; ends expired ones, run by the scheduler.
export { macs_migrations, sweepSessions } from './macs-store.ts'
// The table of recoveries that wait for signatures.
export { recovery_migrations } from './recovery-store.ts'
