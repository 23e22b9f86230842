// MAME: edits and redacts memories.

// Tables of redactions.
export { redaction_migrations } from './redaction-migrations.ts'
