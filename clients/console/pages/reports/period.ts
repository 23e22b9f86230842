// The period of a report: a named one, or from one day to another. Days are those of UTC, as in the audit log.

export const period_names = [
  'this_month',
  'last_month',
  'this_quarter',
  'last_quarter',
  'last_30_days',
] as const
export type PeriodName = (typeof period_names)[number]

export interface Period {
  readonly from: string
  /** Itself not included. */
  readonly to: string
}

const day_ms = 86_400_000

/** One that is not over yet ends now. */
export function periodOf(name: PeriodName, now_ms: number): Period {
  const now = new Date(now_ms)
  const month = now.getUTCMonth()
  const quarter = month - (month % 3)
  const firstOf = (of_month: number) => new Date(Date.UTC(now.getUTCFullYear(), of_month, 1))
  const [from, to] = {
    this_month: [firstOf(month), now],
    last_month: [firstOf(month - 1), firstOf(month)],
    this_quarter: [firstOf(quarter), now],
    last_quarter: [firstOf(quarter - 3), firstOf(quarter)],
    last_30_days: [new Date(now_ms - 30 * day_ms), now],
  }[name] as [Date, Date]
  return { from: from.toISOString(), to: to.toISOString() }
}

/** From the beginning of the first day to the end of the last; undefined where that is no period. */
export function periodOfDays(first: string, last: string): Period | undefined {
  const [from_ms, last_ms] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)]
  if (!(from_ms <= last_ms)) return undefined
  return { from: new Date(from_ms).toISOString(), to: new Date(last_ms + day_ms).toISOString() }
}

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

/** `Oct 1, 2026 – Oct 31, 2026`: the last day that is part of it. */
export function periodText({ from, to }: Period): string {
  return `${date.format(Date.parse(from))} – ${date.format(Date.parse(to) - 1)}`
}
