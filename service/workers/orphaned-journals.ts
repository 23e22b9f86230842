// Commits the records of orphaned audit journals to the chain.
import { forgetEngine } from '@svc/adapters/root-keys/root-key-engines'
import { adoptJournal } from '@svc/audit/journal/adopt-journal'
import { idIn } from '@svc/audit/journal/journal-directory'
import { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { Log } from '@svc/engine/ports'
import type { Service } from '../assembly/assemble.ts'
import { projectionsOf } from '../background/projections.ts'
import type { Config } from '../settings/config.ts'
import { findOrphaned } from './journal-folders.ts'

const look_every_ms = 10_000
type AuditLogSettings = Pick<Config, 'db_url' | 'kafka' | 'tenant_id'>

export interface AdoptingEngine {
  readonly db: Database
  readonly root_keys: RootKeys
}

export function adoptingIn({ store, root_keys }: Pick<Service, 'store' | 'root_keys'>): AdoptingEngine {
  return { db: store.engine, root_keys }
}

/** One after the other; a journal that fails is retried next time. */
export async function takeUp(
  config: AuditLogSettings,
  { db, root_keys }: AdoptingEngine,
  folders: readonly string[],
  log: Log,
): Promise<void> {
  for (const dir of folders) {
    try {
      const journal_id = idIn(dir)
      await adoptJournal({
        db_url: config.db_url,
        dir,
        root_keys: new RootKeys(root_keys.ring),
        operator_tenant_id: config.tenant_id,
        projection_modules: projectionsOf(config),
        onUnknownEvent: () => {},
        log,
      })
      await forgetEngine(db, journal_id)
      log.info({ dir }, 'an orphaned audit journal was committed to the chain')
    } catch (error) {
      log.warn({ dir, err: error }, 'an orphaned audit journal cannot be committed yet')
    }
  }
}

export interface Sweeping {
  stop(): Promise<void>
}

/** For an engine without workers: runs at once, and again while something remains. */
export function sweepOrphaned(config: Config, engine: AdoptingEngine, log: Log): Sweeping {
  const in_use = new Set([config.audit_dir])
  let working: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const sweep = () => {
    const folders = findOrphaned(config.audit_dir, in_use)
    if (folders.length === 0) return clearInterval(timer)
    working ??= takeUp(config, engine, folders, log).finally(() => {
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
