// MAVEN: cites, attests and contradicts claims.

// Cites a source as evidence.
export { citeSource } from './cite.ts'
// Tables of claims and citations.
export { maven_migrations } from './maven-migrations.ts'
