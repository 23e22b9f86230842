// What others may use of mame.
export { redaction_migrations } from './redaction-migrations.ts'
