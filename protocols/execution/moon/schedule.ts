// When a scheduled workflow runs.
import { refuse } from '@svc/contract/refusal'
import { Cron } from 'croner'
import type { Manifest } from './manifest.ts'

const zone_default = 'UTC'

/** Null if there is no next time. */
export function nextRun(cron: string, tz: string, after: Date): Date | null {
  return new Cron(cron, { timezone: tz, paused: true }).nextRun(after)
}

export function scheduleOf({ schedule }: Manifest, now: Date) {
  if (!schedule) return undefined
  const { cron, tz = zone_default, overlap = 'skip' } = schedule
  try {
    return { cron, tz, overlap, next_at: nextRun(cron, tz, now) }
  } catch (error) {
    throw refuse(
      'invalid_payload',
      `The schedule "${cron}" in ${tz} cannot be read: ${(error as Error).message}`,
      { reason: 'schedule' },
      error,
    )
  }
}
