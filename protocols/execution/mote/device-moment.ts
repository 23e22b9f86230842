// Timestamps from devices: clocks may be slightly off and readings late, within limits.
import { isMoment } from '@svc/contract/moment'

const ahead_ms_max = 60_000
const readings_kept_days = 30
const day_ms = 86_400_000

/** Not in the future, within clock tolerance. */
export function isTimely(at: string, now: Date): boolean {
  return isMoment(at) && Date.parse(at) <= now.getTime() + ahead_ms_max
}

/** Also not older than the retention period. */
export function isWorthKeeping(at: string, now: Date): boolean {
  return isTimely(at, now) && Date.parse(at) > now.getTime() - readings_kept_days * day_ms
}

export function storedSince(now: Date): Date {
  return new Date(now.getTime() - readings_kept_days * day_ms)
}
