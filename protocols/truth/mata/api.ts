// MATA: pools opinions and reports how reliable sources are.

// Tables of pools.
export { mata_migrations } from './mata-migrations.ts'
// Schema of an outcome.
export { OutcomeField } from './reliability-report.ts'
