// What others may use of mausoleum.
export { dissolution_migrations } from './dissolution-migrations.ts'
export { keepNotice } from './dissolution-store.ts'
export { sweepDissolutions } from './dissolution-sweep.ts'
