// What migrations left for later, statement by statement, until nothing is left.
import { openLaterMigrations } from '@svc/adapters/store/migrate-later'
import type { Migration } from '@svc/database/migration'
import type { Log } from '@svc/engine/ports'
import type { Closing } from '../assembly/host.ts'
import { every } from './tick.ts'

/** Between two statements, so that calls have the database for most of the time. */
const pause_ms = 500

export function finishMigrations(
  url: string,
  migrations: readonly Migration[],
  log: Log,
  closing: Closing,
): void {
  const later = openLaterMigrations(url, migrations)
  const take = async () => {
    if ((await later.takeStep()) === 'finished') clearInterval(timer)
  }
  const timer = every(pause_ms, take, log)
  closing.push(() => later.close())
  closing.push(async () => clearInterval(timer))
}
