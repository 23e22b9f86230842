// The emergency stop: a latch per scope that refuses new external effects while it is set.

// The MAKER action that a call belongs to.
export { action_ref_start, actionOf } from './current-action.ts'
// Set, clear and enforce the latch.
export { clearLatch, refuseWhileStopped, type StopScope, setLatch } from './stop-latch.ts'
// The table of latches.
export { stop_latch_migrations } from './stop-latch-migrations.ts'
