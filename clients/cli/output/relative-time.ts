// Times as people say them: how long ago, or in how long.

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Rounded to whole units: `in 89 days`, `2 hours ago`; within a minute it is `now`. */
export function relativeTime(time: string, now_ms: number): string {
  const distance_ms = Date.parse(time) - now_ms
  const unit = units.find(([, unit_ms]) => Math.abs(distance_ms) >= unit_ms)
  if (!unit) return 'now'
  const [name, unit_ms] = unit
  const count = Math.round(Math.abs(distance_ms) / unit_ms)
  const text = `${count} ${name}${count === 1 ? '' : 's'}`
  return distance_ms > 0 ? `in ${text}` : `${text} ago`
}
