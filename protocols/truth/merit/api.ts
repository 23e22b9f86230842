// What others may use of merit.
export { merit_migrations } from './merit-migrations.ts'
