// Promises about service, and how fast what they allow to fail is being used up.

/** Each with its length; those an alert looks at, and a month for the promise itself. */
export const slo_windows = { '5m': 5, '30m': 30, '1h': 60, '6h': 360, '3d': 4_320, '30d': 43_200 } as const
export type SloWindow = keyof typeof slo_windows
export const alert_windows: readonly SloWindow[] = ['5m', '30m', '1h', '6h', '3d']

export interface Stored {
  readonly good: number
  readonly total: number
}

export type Alert = 'none' | 'ticket' | 'page'

/** 1 where nothing was asked: nothing was broken. */
export function sliOf({ good, total }: Stored): number {
  return total > 0 ? good / total : 1
}

/** 1 uses up exactly what the target allows, over whatever time the target is about. */
export function burnRate(stored: Stored, target: number): number {
  return (1 - sliOf(stored)) / (1 - target)
}

/** What is left of what may fail; below 0 where more did. */
export function budgetLeft(stored: Stored, target: number): number {
  return 1 - burnRate(stored, target)
}

/** A long window shows that it matters, a short one that it still goes on: both must burn. */
const alert_rules: readonly { alert: Alert; long: SloWindow; short: SloWindow; above: number }[] = [
  // Two hundredths of a month's budget within an hour; five within six; a tenth within three days.
  { alert: 'page', long: '1h', short: '5m', above: 14.4 },
  { alert: 'page', long: '6h', short: '30m', above: 6 },
  { alert: 'ticket', long: '3d', short: '6h', above: 1 },
]

export function alertOf(burn: Readonly<Partial<Record<SloWindow, number>>>): Alert {
  const burns = (window: SloWindow, above: number) => (burn[window] ?? 0) > above
  const alert_rule = alert_rules.find(({ long, short, above }) => burns(long, above) && burns(short, above))
  return alert_rule?.alert ?? 'none'
}
