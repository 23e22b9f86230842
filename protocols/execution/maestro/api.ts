// What others may use of maestro.
export { maestro_migrations } from './maestro-migrations.ts'
