// What others may use of maven.
export { citeSource } from './cite.ts'
export { maven_migrations } from './maven-migrations.ts'
