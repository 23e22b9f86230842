// MANA: budget envelopes, throttles, holds and tenders.

// Finds an envelope or those of a department, its department's name, and how many may be active.
export { departmentNames, envelopes_active_max, envelopesOf, findEnvelope } from './envelope-store.ts'
// Records holds that have ended by time.
export { sweepHolds } from './hold-placing.ts'
// How many holds may be in force at once.
export { holds_live_max } from './hold-store.ts'
// Decides tenders whose bidding has ended.
export { sweepLots } from './lot-award.ts'
// The tables of envelopes, throttles, holds and tenders.
export { mana_migrations } from './mana-migrations.ts'
