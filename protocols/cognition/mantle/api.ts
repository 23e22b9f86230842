// What others may use of mantle.
export { mantle_migrations } from './mantle-migrations.ts'
