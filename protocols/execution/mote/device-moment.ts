// When a device says something happened. Its clock may be wrong a little, and old readings may come late, but not for ever.
import { isMoment } from '@svc/contract/moment'

const ahead_ms_max = 60_000
const readings_kept_days = 30
const day_ms = 86_400_000

/** Not from the future, as far as clocks agree. */
export function isTimely(at: string, now: Date): boolean {
  return isMoment(at) && Date.parse(at) <= now.getTime() + ahead_ms_max
}

/** Also not so old that it would be given up at once. */
export function isWorthKeeping(at: string, now: Date): boolean {
  return isTimely(at, now) && Date.parse(at) > now.getTime() - readings_kept_days * day_ms
}

export function storedSince(now: Date): Date {
  return new Date(now.getTime() - readings_kept_days * day_ms)
}
