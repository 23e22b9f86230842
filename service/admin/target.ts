// The installation a command works on: that of the environment, or the development one of a data folder.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { system_clock } from '@svc/adapters/clock/system'
import type { MasterKeySetting } from '@svc/adapters/root-keys/master-key'
import { embeddedUrl, startEmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import { lockDirectory } from '@svc/audit/journal/journal-directory'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { SigningKey } from '@svc/contract/signing/signature'
import { openLog } from '../assembly/log.ts'
import { openKeys } from '../assembly/open-keys.ts'
import { ConfigError } from '../settings/config-error.ts'
import { databaseUrl } from '../settings/database-url.ts'
import { readAgentKey } from '../settings/identity-settings.ts'
import { readMasterKeySetting } from '../settings/master-key-settings.ts'
import { operatorOf } from '../settings/operator-key.ts'
import { type Environment, type Reader, reader } from '../settings/reader.ts'
import { key_of_32_bytes } from '../settings/setting-types.ts'

/** How long to wait for the database of an engine that is starting on the folder. */
const answer_ms_max = 60_000
const answer_poll_ms = 250

export interface Target {
  readonly env: Environment
  readonly read: Reader
  /** The folder of `svc-engine up`; undefined if all settings come from the environment. */
  readonly data_dir: string | undefined
}

/** --data-dir wins; otherwise SVC_DB_URL means production, and without it the folder of `npm start` is used. */
export function chooseTarget(data_dir: string | undefined, env: Environment): Target {
  const read = reader(env, 'serve')
  const is_production = data_dir === undefined && read('SVC_DB_URL') !== undefined
  return { env, read, data_dir: is_production ? undefined : resolve(data_dir ?? '.svc') }
}

/** The tenant whose audit log records what concerns no other tenant. */
export function operatorTenant({ data_dir, read }: Target): string {
  return (data_dir === undefined && read('SVC_TENANT_ID')) || 'operator'
}

export interface OpenDatabase {
  readonly url: string
  release(): Promise<void>
}

/** If the engine is stopped, the embedded server runs for the duration of the command. */
export async function openDatabase(target: Target): Promise<OpenDatabase> {
  for (const deadline_ms = system_clock.monotonic_ms() + answer_ms_max; ; await pause(answer_poll_ms)) {
    const url = await findDatabase(target)
    if (url) return { url, release: async () => {} }
    const { data_dir } = target
    if (data_dir === undefined || !existsSync(join(data_dir, 'postgres')))
      throw new ConfigError('No database: set SVC_DB_URL, or start svc-engine up and pass its --data-dir.')
    // Locked meanwhile, so that no engine starts on a server that is about to stop.
    const unlock = await lockDirectory(data_dir, 0).catch(() => undefined)
    if (unlock) return startFor(data_dir, unlock)
    if (system_clock.monotonic_ms() >= deadline_ms)
      throw new ConfigError(
        `An svc-engine is starting or stopping on ${data_dir}, and its database does not answer yet; try again.`,
      )
  }
}

async function startFor(data_dir: string, unlock: () => void): Promise<OpenDatabase> {
  const postgres_dir = join(data_dir, 'postgres')
  const postgres = await startEmbeddedPostgres({ data_dir: postgres_dir, log: openLog('warn') }).catch(
    (error) => {
      unlock()
      throw error
    },
  )
  return {
    url: postgres.url,
    async release() {
      await postgres.stop()
      unlock()
    },
  }
}

/** Starts nothing; undefined if the embedded server is not running. */
export async function findDatabase({ read, data_dir }: Target): Promise<string | undefined> {
  return databaseUrl(read) ?? (data_dir && (await embeddedUrl(join(data_dir, 'postgres'))))
}

/** The key that wraps the root keys: `up` stores its own, production sets it. */
export function readMasterKey({ read, data_dir }: Target): MasterKeySetting {
  const file = data_dir && join(data_dir, 'master-key')
  const is_kept = file !== undefined && existsSync(file)
  const stored_key = is_kept ? key_of_32_bytes.parse(readFileSync(file, 'utf8').trim(), file) : undefined
  if (is_kept && !stored_key) throw new ConfigError(`${file} must hold 32 bytes in hex or base64.`)
  if (stored_key) return stored_key
  if (read('SVC_MASTER_KEY') || read('SVC_VAULT_KEY')) return readMasterKeySetting(read)
  throw new ConfigError(
    'The master key is needed to unwrap the root keys: set SVC_MASTER_KEY, or SVC_VAULT_KEY, or pass the --data-dir of svc-engine up.',
  )
}

/** As an engine would hold them. */
export function rootKeysOf(target: Target, db: Database): Promise<RootKeys> {
  return openKeys(db, readMasterKey(target))
}

/** The engine's own identity, whose attestations it always trusts. */
export function readOperatorKey({ read, data_dir }: Target): SigningKey {
  const file = data_dir && join(data_dir, 'operator-key')
  if (file && existsSync(file)) return operatorOf(readFileSync(file, 'utf8').trim())
  const agent_key = readAgentKey(read)
  if (agent_key) return agent_key
  throw new ConfigError(
    "The engine's own key is needed to attest an identity: set SVC_AGENT_DID and SVC_AGENT_KEY, or pass the --data-dir of svc-engine up.",
  )
}
