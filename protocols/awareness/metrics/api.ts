// What others may use of metrics.
export { AllTenants, tenantSeen } from './access.ts'
export {
  countUpTo,
  type MetricFunction,
  metric_functions,
  quantileOf,
  requireFunction,
  windowValue,
} from './function.ts'
export { metric_migrations } from './migrations.ts'
export { coarsestFor, type Range, rangeOf, resolutionFor, resolutions } from './range.ts'
export {
  type FoundSeries,
  findSeries,
  readTogether,
  readTotals,
  readWindows,
  type SeriesQuestion,
  type SummedWindow,
  type Totals,
  type Windows,
} from './read.ts'
export { forgetOldPoints, keepPoints } from './store.ts'
