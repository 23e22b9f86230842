// What others may use of macs.
export { derivation_migrations } from './derivation-store.ts'
export { lineage_migrations, lineageOf } from './lineage-store.ts'
export { macs_migrations, sweepSessions } from './macs-store.ts'
