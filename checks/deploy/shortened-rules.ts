// Alert rules with all durations divided by one factor: how long a condition must hold, how far it looks back, and how often
// Prometheus looks. Conditions stay as they are.
const units_ms = { s: 1_000, m: 60_000, h: 3_600_000 }
/** `for: 5m`, `interval: 15s`, `scrape_interval: 15s` and the like; and `[5m]` or `offset 5m` in an expression. */
const durations = /(?<=^\s*(?:for|\w*interval): )(\d+)([smh])$|(?<=\[|offset )(\d+)([smh])\b/gm

export function shortenDurations(text: string, factor: number): string {
  return text.replaceAll(durations, (...match) => {
    const [, alone, unit_alone, within, unit_within] = match as string[]
    const unit = (unit_alone ?? unit_within) as keyof typeof units_ms
    const ms = Math.ceil((Number(alone ?? within) * units_ms[unit]) / factor)
    return ms === 0 ? '0s' : `${ms}ms`
  })
}
