// What the month will cost: what is spent so far, and for each day that is left the mean of the last seven whole days.
import type { SpendDay } from './spend-days.ts'

export interface Forecast {
  readonly spent_usd: number
  readonly month_usd: number
  /** The whole month before; undefined if nothing was spent in it. */
  readonly before_usd: number | undefined
  /** Of every day of this month: spent until its end, or expected to be. */
  readonly days: readonly {
    readonly day: string
    readonly spent_usd: number
    readonly expected_usd: number
  }[]
}

const day_ms = 86_400_000
const looked_back = 7

/** From the first day of the month before until the end of today. */
export function forecastPeriod(now_ms: number): { from: string; to: string } {
  const now = new Date(now_ms)
  const from_ms = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)
  const to_ms = Math.floor(now_ms / day_ms) * day_ms + day_ms
  return { from: instant(from_ms), to: instant(to_ms) }
}

/** `days` are those of the period above, each listed. */
export function forecastOf(days: readonly SpendDay[], now_ms: number): Forecast {
  const usd = new Map(days.map(({ day, amount_usd }) => [day, Number(amount_usd)]))
  const now = new Date(now_ms)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const today = dayOf(now_ms)
  const spentOn = (at_ms: number) => usd.get(dayOf(at_ms)) ?? 0
  const recent = Array.from({ length: looked_back }, (_, index) => spentOn(now_ms - (index + 1) * day_ms))
  const mean = sum(recent) / looked_back
  let [spent, expected] = [0, 0]
  const month_days = daysOf(year, month).map((at_ms) => {
    const day = dayOf(at_ms)
    if (day <= today) spent += spentOn(at_ms)
    // Today is not over: at least what it has cost so far, and otherwise what a day costs.
    if (day === today) expected += Math.max(0, mean - spentOn(at_ms))
    if (day > today) expected += mean
    return { day, spent_usd: spent, expected_usd: expected }
  })
  const before = sum(daysOf(year, month - 1).map(spentOn))
  return {
    spent_usd: spent,
    month_usd: spent + expected,
    before_usd: before === 0 ? undefined : before,
    days: month_days,
  }
}

function daysOf(year: number, month: number): number[] {
  const first_ms = Date.UTC(year, month, 1)
  const count = Math.round((Date.UTC(year, month + 1, 1) - first_ms) / day_ms)
  return Array.from({ length: count }, (_, index) => first_ms + index * day_ms)
}

const dayOf = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 10)
const instant = (at_ms: number) => new Date(at_ms).toISOString().replace('.000Z', 'Z')
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
