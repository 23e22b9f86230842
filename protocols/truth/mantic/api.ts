// MANTIC: calibrates forecasts.

// Applies a calibration map to a probability.
export { applyMap } from './calibration-map.ts'
// Reads the published map of a source.
export { publishedMap } from './calibration-store.ts'
// Tables of calibrations.
export { mantic_migrations } from './mantic-migrations.ts'
