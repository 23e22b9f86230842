// What others may use of mantic.
export { applyMap } from './calibration-map.ts'
export { publishedMap } from './calibration-store.ts'
export { mantic_migrations } from './mantic-migrations.ts'
