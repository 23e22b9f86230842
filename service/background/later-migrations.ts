// What migrations left for later, statement by statement, until nothing is left.
import { openLaterMigrations } from '@svc/adapters/store/migrate-later'
import type { Migration } from '@svc/database/migration'
import type { Log } from '@svc/engine/ports'
import type { Closing } from '../assembly/host.ts'
import { every } from './tick.ts'

/** Between two statements, so that calls have the database for most of the time. */
const pause_ms = 500
/** Turns left out while another engine takes the steps, and after a failure. */
const turns_left_out = { waiting: 20, failed: 120 } as const

export function finishMigrations(
  url: string,
  migrations: readonly Migration[],
  log: Log,
  closing: Closing,
): void {
  const later = openLaterMigrations(url, migrations)
  let left_out = 0
  const take = async () => {
    if (left_out-- > 0) return
    left_out = turns_left_out.failed
    const result = await later.takeStep()
    left_out = result === 'waiting' ? turns_left_out.waiting : 0
    if (result === 'finished') clearInterval(timer)
  }
  const timer = every(pause_ms, take, log)
  closing.push(() => later.close())
  closing.push(async () => clearInterval(timer))
}
