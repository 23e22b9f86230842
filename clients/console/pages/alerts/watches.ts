// What a rule can watch, as the form and the lists show it. checks/console compares it with the engine's own table.
import type { InputOf, OutputOf } from '@svc/sdk'
import { countText, durationText, moneyText } from '../../parts/figures.ts'
import { words } from '../../words/en.ts'

export type Alert = OutputOf<'MOTIF', 'list_alerts'>['items'][number]
export type Rules = OutputOf<'MOTIF', 'list_alert_rules'>
export type Rule = Rules['items'][number]
export type RuleInput = InputOf<'MOTIF', 'set_alert_rule'>
export type WatchName = Rule['watches']

const day_minutes = 1_440

interface Watch {
  readonly unit: string
  readonly narrowed_by: readonly (
    | 'protocol'
    | 'operation'
    | 'code'
    | 'percentile'
    | 'target'
    | 'threshold_ms'
  )[]
  /** Undefined where a threshold must be chosen. */
  readonly above_default?: number
  readonly window_default_minutes: number
  readonly window_max_minutes: number
  readonly in_hours?: true
}

export const watches: Readonly<Record<WatchName, Watch>> = {
  refusals: {
    unit: 'calls',
    narrowed_by: ['protocol', 'operation', 'code'],
    window_default_minutes: 15,
    window_max_minutes: 30 * day_minutes,
  },
  latency: {
    unit: 'ms',
    narrowed_by: ['protocol', 'operation', 'percentile'],
    window_default_minutes: 15,
    window_max_minutes: 30 * day_minutes,
  },
  slo: {
    unit: 'times the allowed pace',
    narrowed_by: ['protocol', 'operation', 'target', 'threshold_ms'],
    above_default: 14.4,
    window_default_minutes: 60,
    window_max_minutes: 30 * day_minutes,
  },
  spend: {
    unit: 'USD',
    narrowed_by: [],
    window_default_minutes: day_minutes,
    window_max_minutes: 90 * day_minutes,
    in_hours: true,
  },
  breakers: {
    unit: 'calls',
    narrowed_by: ['protocol', 'operation'],
    above_default: 0,
    window_default_minutes: 5,
    window_max_minutes: 30 * day_minutes,
  },
  log: {
    unit: 'broken records',
    narrowed_by: [],
    above_default: 0,
    window_default_minutes: 60,
    window_max_minutes: day_minutes,
  },
  keys: {
    unit: 'keys',
    narrowed_by: [],
    above_default: 0,
    window_default_minutes: 14 * day_minutes,
    window_max_minutes: 90 * day_minutes,
  },
  treaties: {
    unit: 'treaties',
    narrowed_by: [],
    above_default: 0,
    window_default_minutes: 30 * day_minutes,
    window_max_minutes: 90 * day_minutes,
  },
}

const windows_minutes = [5, 15, 60, 6 * 60, 1, 7, 14, 30, 90].map((span, index) =>
  index < 4 ? span : span * day_minutes,
)

/** The windows that are offered for one, the present one among them. */
export function windowsOf(name: WatchName, chosen_minutes: number): readonly number[] {
  const { window_max_minutes, in_hours } = watches[name]
  const fitting = windows_minutes.filter(
    (minutes) => minutes <= window_max_minutes && !(in_hours && minutes % 60 !== 0),
  )
  return [...new Set([...fitting, chosen_minutes])].sort((a, b) => a - b)
}

export function windowText(minutes: number): string {
  return durationText(minutes * 60_000)
}

/** `12 calls`, `$3.20`, `2 s` */
/** Undefined where it is not for whoever looks. */
export function valueText(name: WatchName, value: number | undefined): string {
  if (value === undefined) return words.none
  if (name === 'spend') return moneyText(value)
  if (name === 'latency') return durationText(value)
  if (name === 'slo') return words.alerts.pace(value)
  const { unit } = watches[name]
  return `${countText(value)} ${value === 1 ? unit.replace(/ies$/, 'y').replace(/s$/, '') : unit}`
}

type Condition = Pick<
  Alert,
  | 'watches'
  | 'above'
  | 'window_minutes'
  | 'protocol'
  | 'operation'
  | 'code'
  | 'percentile'
  | 'target'
  | 'threshold_ms'
>

/** A threshold of none is reached by any. */
function amountText(name: WatchName, above: number): string {
  if (name === 'latency' || name === 'slo') return valueText(name, above)
  return above === 0 ? words.alerts.any(watches[name].unit) : words.alerts.more_than(valueText(name, above))
}

/** `More than 100 calls refused or failed within 15 min, MOAT propose` */
export function conditionText(condition: Condition): string {
  const { watches: name, above, window_minutes, protocol, operation, code, percentile } = condition
  const { target, threshold_ms } = condition
  const narrowed = [
    [protocol, operation].filter(Boolean).join(' '),
    code,
    percentile,
    target !== undefined && words.alerts.target(target),
    threshold_ms !== undefined && words.alerts.within(durationText(threshold_ms)),
  ].filter(Boolean)
  return [
    words.alerts.condition[name](amountText(name, above), windowText(window_minutes)),
    ...narrowed,
  ].join(', ')
}
