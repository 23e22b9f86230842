// What others may use of mata.
export { mata_migrations } from './mata-migrations.ts'
export { OutcomeField } from './reliability-report.ts'
