// Metrics: storing points, and reading them by window.

// Whose measurements a caller may read.
export { AllTenants, tenantSeen } from './access.ts'
// The functions over a window, such as rate and quantile.
export {
  countUpTo,
  type MetricFunction,
  metric_functions,
  quantileOf,
  requireFunction,
  windowValue,
} from './function.ts'
// The tables of series and points.
export { metric_migrations, metric_min_migrations } from './migrations.ts'
// The resolutions, and which one answers a time range.
export { coarsestFor, type Range, rangeOf, resolutionFor, resolutions } from './range.ts'
// Finds series and reads their windows and totals.
export {
  type FoundSeries,
  findSeries,
  listMetrics,
  readTogether,
  readTotals,
  readWindows,
  type SeriesQuestion,
  type SummedWindow,
  type Totals,
  type Windows,
} from './read.ts'
// The protocol and operation that a question about calls names.
export { servedPlace } from './served-place.ts'
// Stores points and deletes old ones.
export { forgetOldPoints, keepPoints } from './store.ts'
