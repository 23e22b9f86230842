// MANTIC: questions, their forecasts and resolutions, and calibration.

// Applies a calibration map to a probability.
export { applyMap } from './calibration-map.ts'
// Reads the published map of a source.
export { publishedMap } from './calibration-store.ts'
// Tables of calibrations.
export { mantic_migrations } from './mantic-migrations.ts'
// Tables of questions, forecasts and uploads.
export { forecast_change_migrations, question_migrations } from './question-migrations.ts'
