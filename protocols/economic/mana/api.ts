// What others may use of mana.
export { envelopes_active_max, findEnvelope } from './envelope-store.ts'
export { sweepHolds } from './hold-placing.ts'
export { holds_live_max } from './hold-store.ts'
export { sweepLots } from './lot-award.ts'
export { mana_migrations } from './mana-migrations.ts'
