// Usage as metered from the audit chain: hourly sums, single events and what was spent.

// The ids of events by hour, and the hashes made of them.
export { HourIds } from './hour-ids.ts'
// What a tenant or a budget counter has spent.
export { spentByCounter, spentOf, spentSince } from './spend-store.ts'
// Hashes ended hours, and locks the metering of a tenant.
export { keepHours, lockUsage } from './usage-hours.ts'
// Usage event by event.
export { eventsOf } from './usage-store.ts'
// Sums as the engine makes them of events.
export { addToSum, type HourSum, sumKey } from './usage-sums.ts'
// Merkle roots over metered events.
export { rootOfHours } from './usage-tree.ts'
