// Logs and spans that agents sent.

// The table they are kept in.
export { signal_migrations } from './signal-migrations.ts'
// Deletes what is past its retention, or beyond what an organization may keep.
export { forgetOldSignals } from './signal-sweep.ts'
