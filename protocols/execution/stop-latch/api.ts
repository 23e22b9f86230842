// What others may use of stop-latch.
export { action_ref_start, actionOf } from './current-action.ts'
export { clearLatch, refuseWhileStopped, type StopScope, setLatch } from './stop-latch.ts'
export { stop_latch_migrations } from './stop-latch-migrations.ts'
