// What a rule can watch: one row each, with its unit, the fields it takes and how often it is read.

const minute_ms = 60_000
export const day_minutes = 1_440

interface Watch {
  /** Of the value, as people read it. */
  readonly unit: string
  readonly meaning: string
  /** Optional fields of a rule that narrow it down. */
  readonly narrowed_by: readonly (
    | 'protocol'
    | 'operation'
    | 'code'
    | 'percentile'
    | 'target'
    | 'threshold_ms'
  )[]
  /** Where a rule names none: any occurrence fires. Undefined where it must be named. */
  readonly above_default?: number
  readonly window_default_minutes: number
  readonly window_max_minutes: number
  /** The window begins at a full hour. */
  readonly in_hours?: true
  readonly every_ms: number
}

export const watches = {
  refusals: {
    unit: 'calls',
    meaning: 'calls that were refused or failed',
    narrowed_by: ['protocol', 'operation', 'code'],
    window_default_minutes: 15,
    window_max_minutes: 30 * day_minutes,
    every_ms: minute_ms,
  },
  latency: {
    unit: 'ms',
    meaning: 'latency of calls that were answered',
    narrowed_by: ['protocol', 'operation', 'percentile'],
    window_default_minutes: 15,
    window_max_minutes: 30 * day_minutes,
    every_ms: minute_ms,
  },
  slo: {
    unit: 'times the allowed pace',
    meaning: 'how fast the error budget of a service level objective burns',
    narrowed_by: ['protocol', 'operation', 'target', 'threshold_ms'],
    // At this pace an hour uses up 2 % of a month's budget.
    above_default: 14.4,
    window_default_minutes: 60,
    window_max_minutes: 30 * day_minutes,
    every_ms: minute_ms,
  },
  spend: {
    unit: 'USD',
    meaning: 'spend, from a full hour on',
    narrowed_by: [],
    window_default_minutes: day_minutes,
    window_max_minutes: 90 * day_minutes,
    in_hours: true,
    every_ms: minute_ms,
  },
  breakers: {
    unit: 'calls',
    meaning: 'calls that an open circuit breaker stopped',
    narrowed_by: ['protocol', 'operation'],
    above_default: 0,
    window_default_minutes: 5,
    window_max_minutes: 30 * day_minutes,
    every_ms: minute_ms,
  },
  log: {
    unit: 'broken records',
    meaning: 'records of the audit log that do not verify',
    narrowed_by: [],
    above_default: 0,
    window_default_minutes: 60,
    window_max_minutes: day_minutes,
    every_ms: 10 * minute_ms,
  },
  keys: {
    unit: 'keys',
    meaning: 'API keys that expire within the window',
    narrowed_by: [],
    above_default: 0,
    window_default_minutes: 14 * day_minutes,
    window_max_minutes: 90 * day_minutes,
    every_ms: 10 * minute_ms,
  },
  treaties: {
    unit: 'treaties',
    meaning: 'treaties in force that expire within the window',
    narrowed_by: [],
    above_default: 0,
    window_default_minutes: 30 * day_minutes,
    window_max_minutes: 90 * day_minutes,
    every_ms: 10 * minute_ms,
  },
} as const satisfies Readonly<Record<string, Watch>>

export type WatchName = keyof typeof watches
export const watch_names = Object.keys(watches) as WatchName[]

export function watchOf(name: WatchName): Watch {
  return watches[name]
}

export const percentiles = { p50: 0.5, p95: 0.95, p99: 0.99 } as const
export type Percentile = keyof typeof percentiles

/** What a rule compares. */
export interface Condition {
  readonly watches: WatchName
  /** It fires above this. */
  readonly above: number
  /** How far back it looks; for keys and treaties how far ahead. */
  readonly window_minutes: number
  readonly protocol?: string | undefined
  readonly operation?: string | undefined
  readonly code?: string | undefined
  readonly percentile?: Percentile | undefined
  /** Of an objective: the share that must be good. */
  readonly target?: number | undefined
  /** Of an objective: what was answered later is not good. */
  readonly threshold_ms?: number | undefined
}

/** `12 calls` */
export function valueText(name: WatchName, value: number): string {
  const digits = name === 'spend' ? 6 : 1
  return `${Number(value.toFixed(digits))} ${watches[name].unit}`
}

/** `above 100 calls within 15 min, MOAT.propose` */
export function conditionText({ watches: name, above, window_minutes, ...narrowed }: Condition): string {
  const { protocol, operation, code, percentile, target, threshold_ms } = narrowed
  const place = [protocol, operation].filter((part) => part !== undefined).join('.')
  const words = [
    `above ${valueText(name, above)} within ${windowText(window_minutes)}`,
    place,
    code,
    percentile,
    target && `target ${target}`,
    threshold_ms && `within ${threshold_ms} ms`,
  ]
  return words.filter(Boolean).join(', ')
}

function windowText(minutes: number): string {
  if (minutes % day_minutes === 0) return `${minutes / day_minutes} d`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
}
