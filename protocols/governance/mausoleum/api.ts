// MAUSOLEUM: the orderly end of an organization.

// The tables of dissolutions, their steps, seals and archives.
export { dissolution_migrations } from './dissolution-migrations.ts'
// Stores the notice period that the operator has configured.
export { keepNotice } from './dissolution-store.ts'
// Carries out the due steps of dissolutions; run by the scheduler.
export { sweepDissolutions } from './dissolution-sweep.ts'
