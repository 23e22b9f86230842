// MERIT: evaluates ethics, and issues and revokes credentials.

// Tables of credentials and status lists.
export { merit_concern_migrations, merit_migrations } from './merit-migrations.ts'
