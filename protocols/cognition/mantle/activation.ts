// Activation of a memory, after ACT-R: each use counts, and decays with the square root of time.
const day_ms = 86_400_000
/** A single use falls below it after about 55 days. */
export const archived_below = -2
const age_days_min = 1 / 86_400

export interface Uses {
  readonly created_at: Date
  readonly last_access: Date | null
  readonly access_count: number
}

/** ln of the sum of t^-0.5 over its uses, t in days. Between first and last only their number is known. */
export function activationOf({ created_at, last_access, access_count }: Uses, now: Date): number {
  const first = ageDays(created_at, now)
  if (last_access === null || access_count < 1) return Math.log(first ** -0.5)
  const last = Math.min(first, ageDays(last_access, now))
  const between = access_count - 1
  const spread = first - last
  // Assumed evenly spread: each weighs the mean of t^-0.5 between the last and the first.
  const mean = spread > 0 ? (2 * (Math.sqrt(first) - Math.sqrt(last))) / spread : last ** -0.5
  return Math.log(first ** -0.5 + last ** -0.5 + between * mean)
}

function ageDays(at: Date, now: Date): number {
  return Math.max(age_days_min, (now.getTime() - at.getTime()) / day_ms)
}

/** The minimum age of the newest use before a memory can be archived. */
export const unused_ms_min = Math.exp(-2 * archived_below) * day_ms
