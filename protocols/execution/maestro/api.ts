// MAESTRO: charters, and the plans refined from them.

// The tables of charters and plans.
export { maestro_migrations } from './maestro-migrations.ts'
