// Usage as metered from the audit chain: events, hourly sums and what was spent.

// What a tenant or a budget counter has spent.
export { spentByCounter, spentOf, spentSince } from './spend-store.ts'
// The usage that an audit record reports.
export { type UsageEvent, usageEventOf } from './usage-event.ts'
// Sums up closed hours, and locks the metering of a tenant.
export { keepHours, lockUsage } from './usage-hours.ts'
// Merkle roots over metered events.
export { rootOfHour, rootOfHours } from './usage-tree.ts'
