// svc-engine admin master-key and root-key: what wraps the root keys, and renewing the one that seals.
import { announceRootKey, changeMasterKey, settle_ms } from '@svc/adapters/root-keys/renewal'
import { progressOf } from '@svc/adapters/root-keys/reseal'
import { forgetEngine, listEngines } from '@svc/adapters/root-keys/root-key-engines'
import { listRootKeys } from '@svc/adapters/root-keys/root-key-store'
import { copyRootKeys } from '@svc/adapters/root-keys/shared-root-keys'
import type { Database } from '@svc/contract/database'
import { uuid_form } from '@svc/contract/text-form'
import { ConfigError } from '../settings/config-error.ts'
import { readNewMasterKey } from '../settings/master-key-settings.ts'
import { connect, databaseOn, placeOf, readUrl, transaction } from '../tenant-move/connections.ts'
import type { Noun } from './command.ts'
import { recorded } from './recorded-change.ts'
import { readMasterKey } from './target.ts'

export const master_key: Noun = {
  change: {
    usage: 'master-key change',
    summary:
      'wraps the root keys by the master key of SVC_NEW_MASTER_KEY or SVC_NEW_VAULT_KEY; running engines go on, and each next start needs the new one',
    takes: [],
    async run(work) {
      const { target } = work
      if (target.data_dir !== undefined)
        throw new ConfigError(
          'An engine of svc-engine up keeps its master key in its data folder, where it cannot be changed; this command is for svc-engine serve.',
        )
      const [old_key, new_key] = [readMasterKey(target), readNewMasterKey(target.read)]
      const change = await recorded(work, 'master-key change', (db) => changeMasterKey(db, old_key, new_key))
      return {
        rows: [change],
        note: 'Now set the new master key for every engine, and restart them one after another. Keep the old one as long as you keep backups from before.',
      }
    },
  },
}

export const root_key: Noun = {
  list: {
    usage: 'root-key list',
    summary: 'the root keys, and how far a renewal is: what it waits for, and how much is sealed anew',
    takes: [],
    async run({ store }) {
      const rows = await listRootKeys(store.engine)
      return {
        rows,
        columns: ['version', 'state', 'created_at', 'destroyed_at', 'wrapped_by'],
        note: await stateOf(store.engine),
      }
    },
  },
  renew: {
    usage: 'root-key renew',
    summary:
      'makes the next root key; engines seal by it, seal anew what the old one has sealed, and then destroy the old one',
    takes: [],
    async run(work) {
      const master_key = readMasterKey(work.target)
      const { version } = await recorded(work, 'root-key renew', async (db) => ({
        version: await announceRootKey(db, master_key),
      }))
      return {
        rows: [{ version, state: 'announced' }],
        note: 'Running engines do the rest. To see how far they are: svc-engine admin root-key list',
      }
    },
  },
  copy: {
    usage: 'root-key copy --to DATABASE',
    summary:
      'gives another database of this installation the same root keys, so that tenants can be moved there: before the first engine starts on it, and after each renewal here',
    takes: ['to'],
    async run(work) {
      const url = readUrl(work.values.to)
      const master_key = readMasterKey(work.target)
      const { migrateStore } = await import('../assembly/migrate-store.ts')
      await migrateStore(url)
      const target = await connect(url, '--to')
      try {
        const change = await recorded(work, 'root-key copy', async (db) => ({
          to: placeOf(url),
          versions: await transaction(target, () => copyRootKeys(db, databaseOn(target), master_key)),
        }))
        const is_new = change.versions.length > 0
        return {
          rows: [change],
          note: is_new ? 'Engines there use the newest one.' : 'That database had all of them already.',
        }
      } finally {
        await target.end()
      }
    },
  },
  forget: {
    usage: 'root-key forget <journal>',
    summary:
      'a renewal no longer waits for this engine, whose journal is lost: retained inputs of calls in it that were not committed are lost too',
    takes: [],
    async run(work) {
      const journal_id = work.names[0]!
      if (!uuid_form.test(journal_id))
        throw new ConfigError('The journal must be an id that root-key list names.')
      await recorded(work, 'root-key forget', async (db) => {
        if (await forgetEngine(db, journal_id)) return { journal_id }
        throw new ConfigError(`No engine has the journal ${journal_id}; see: svc-engine admin root-key list`)
      })
      return { rows: [{ journal_id, forgotten: true }] }
    },
  },
}

/** For people: what a renewal does now. */
async function stateOf(db: Database): Promise<string> {
  const keys = await listRootKeys(db)
  const announced = keys.find(({ state }) => state === 'announced')
  const old = keys.find(({ state }) => state === 'old')
  if (!announced && !old) return 'No renewal is under way.'
  const engines = await listEngines(db)
  const next_version = announced?.version ?? keys.find(({ state }) => state === 'current')!.version
  const late = engines.filter(({ opens, journalled }) => (announced ? opens : journalled) < next_version)
  if (late.length > 0) {
    const named = late.map(
      ({ journal_id, journal_dir, seen_at }) =>
        `${journal_id} (${journal_dir}, seen ${seen_at.toISOString()})`,
    )
    return `Waiting for ${late.length} engines, by journal: ${named.join(', ')}. Start them, or see: svc-engine admin root-key forget --help`
  }
  if (announced) return 'Every engine knows the new root key; it is used within seconds.'
  const columns = await progressOf(db)
  if (columns.length === 0)
    return `Waiting ${settle_ms / 60_000} minutes for calls that began before the change, then everything is sealed anew.`
  const sum = (of: 'next_block' | 'blocks' | 'resealed') => columns.reduce((total, one) => total + one[of], 0)
  const percent = Math.floor((100 * sum('next_block')) / Math.max(1, sum('blocks')))
  return `${percent} % of the blocks are gone through, and ${sum('resealed')} sealed anew.`
}
