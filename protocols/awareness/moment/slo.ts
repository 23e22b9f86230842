// Service level objectives, and how fast their error budget is consumed.

/** In minutes; the alert windows, and 30 days for the objective itself. */
export const slo_windows = { '5m': 5, '30m': 30, '1h': 60, '6h': 360, '3d': 4_320, '30d': 43_200 } as const
export type SloWindow = keyof typeof slo_windows
export const alert_windows: readonly SloWindow[] = ['5m', '30m', '1h', '6h', '3d']

export interface Stored {
  readonly good: number
  readonly total: number
}

export type Alert = 'none' | 'ticket' | 'page'

/** 1 without requests: nothing failed. */
export function sliOf({ good, total }: Stored): number {
  return total > 0 ? good / total : 1
}

/** 1 consumes exactly the error budget over the objective's period. */
export function burnRate(stored: Stored, target: number): number {
  return (1 - sliOf(stored)) / (1 - target)
}

/** The remaining error budget; negative if exceeded. */
export function budgetLeft(stored: Stored, target: number): number {
  return 1 - burnRate(stored, target)
}

/** The long window shows significance, the short one that it is ongoing: both must exceed the rate. */
const alert_rules: readonly { alert: Alert; long: SloWindow; short: SloWindow; above: number }[] = [
  // 2 % of a month's budget in one hour; 5 % in six hours; 10 % in three days.
  { alert: 'page', long: '1h', short: '5m', above: 14.4 },
  { alert: 'page', long: '6h', short: '30m', above: 6 },
  { alert: 'ticket', long: '3d', short: '6h', above: 1 },
]

export function alertOf(burn: Readonly<Partial<Record<SloWindow, number>>>): Alert {
  const burns = (window: SloWindow, above: number) => (burn[window] ?? 0) > above
  const alert_rule = alert_rules.find(({ long, short, above }) => burns(long, above) && burns(short, above))
  return alert_rule?.alert ?? 'none'
}
