// Rules that are offered to an organization that has none of that name; nothing sets them by itself.
import { day_minutes, type WatchName } from './watch.ts'

interface DefaultRule {
  readonly name: string
  readonly watches: WatchName
  readonly above?: number
  readonly window_minutes?: number
  readonly severity: 'info' | 'warning' | 'critical'
}

export const default_rules: readonly DefaultRule[] = [
  { name: 'log-unverifiable', watches: 'log', severity: 'critical' },
  { name: 'breaker-open', watches: 'breakers', severity: 'critical' },
  { name: 'refusals-high', watches: 'refusals', above: 100, window_minutes: 15, severity: 'warning' },
  { name: 'latency-high', watches: 'latency', above: 2_000, window_minutes: 15, severity: 'warning' },
  { name: 'spend-high', watches: 'spend', above: 100, window_minutes: day_minutes, severity: 'warning' },
  { name: 'keys-expiring', watches: 'keys', severity: 'info' },
  { name: 'treaties-expiring', watches: 'treaties', severity: 'info' },
]
