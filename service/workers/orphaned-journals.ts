// What audit journals hold that no process writes any more belongs into the chain.
import { adoptJournal } from '@svc/audit/journal/adopt-journal'
import type { Log } from '@svc/engine/ports'
import { projectionsOf } from '../background/projections.ts'
import type { Config } from '../settings/config.ts'
import { findLeftBehind } from './journal-folders.ts'

const look_every_ms = 10_000
type AuditLogSettings = Pick<Config, 'db_url' | 'kafka' | 'master_key' | 'tenant_id'>

/** One after the other; one that cannot be taken up now is left for the next time. */
export async function takeUp(config: AuditLogSettings, folders: readonly string[], log: Log): Promise<void> {
  for (const dir of folders) {
    try {
      await adoptJournal({
        db_url: config.db_url,
        dir,
        master_key: config.master_key,
        operator_tenant_id: config.tenant_id,
        projection_modules: projectionsOf(config),
        onUnknownEvent: () => {},
        log,
      })
      log.info({ dir }, 'an audit journal that was left behind is in the chain now')
    } catch (error) {
      log.warn({ dir, err: error }, 'an audit journal that was left behind cannot be taken up yet')
    }
  }
}

export interface Sweeping {
  stop(): Promise<void>
}

/** For an engine that runs alone: looks at once, and again while something is left. */
export function sweepLeftBehind(config: Config, log: Log): Sweeping {
  const in_use = new Set([config.audit_dir])
  let working: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const sweep = () => {
    const folders = findLeftBehind(config.audit_dir, in_use)
    if (folders.length === 0) return clearInterval(timer)
    working ??= takeUp(config, folders, log).finally(() => {
      working = undefined
    })
  }
  timer = setInterval(sweep, look_every_ms).unref()
  sweep()
  return {
    async stop() {
      clearInterval(timer)
      await working
    },
  }
}
