// What others may use of usage.
export { spentByCounter, spentOf, spentSince } from './spend-store.ts'
export { type UsageEvent, usageEventOf } from './usage-event.ts'
export { keepHours, lockUsage } from './usage-hours.ts'
export { rootOfHour, rootOfHours } from './usage-tree.ts'
