// MATA: pools opinions and tells how reliable sources are.

// Tables of pools.
export { compared_score_migrations, mata_migrations, score_migrations } from './mata-migrations.ts'
