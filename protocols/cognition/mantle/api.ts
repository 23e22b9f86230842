// MANTLE: consolidates memories.

// Tables of consolidations.
export { mantle_migrations } from './mantle-migrations.ts'
