// The history of calls: sums that the audit writer adds in its commit, for charts over hours and months.

// The tables.
export { history_migrations } from './migrations.ts'
// How finely calls are summed, for how long, and the bounds of latency buckets.
export { history_resolutions, latency_bounds_ms } from './resolutions.ts'
// Reads sums by window and group, and deletes old ones.
export {
  callsOfTenants,
  forgetOldCalls,
  type HistoryFilter,
  type HistoryGroup,
  type HistoryRow,
  history_groups,
  ranks,
  readHistory,
} from './store.ts'
