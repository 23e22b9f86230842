// Several engines on one database, each its own process that can be killed, paused and stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Tier } from '@svc/contract/authority/tier'
import type { LimitTable } from '@svc/engine/limits/limits'
import type { Config } from '@svc/service/settings/config'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { storeAt } from '../rehearsal/test-store.ts'
import { basic_capabilities } from '../scenes/basic-capabilities.ts'
import type { Addresses } from './running-engine.ts'

const program = join(import.meta.dirname, 'replica-process.ts')

/** A replica's settings as JSON; anything of Config that JSON can represent. */
export type ReplicaSettings = Partial<Omit<Config, 'master_key' | 'limits' | 'agent_key'>> &
  Pick<Config, 'db_url' | 'audit_dir'> & {
    readonly operator_did: string
    readonly operator_key: string
    readonly master_key: string
    readonly limits?: LimitTable
  }

export interface Replica {
  readonly api_url: string
  readonly process: ChildProcess
  readonly exited: Promise<number | null>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface Replicas {
  readonly db_url: string
  readonly store: PostgresStore
  /** Another engine. The same name reuses the same journal, like a restart. */
  start(name: string, more?: Partial<ReplicaSettings>): Promise<Replica>
  /** A key that every replica knows; replace `api_url` with that of the replica to call. */
  newCaller(tenant_id: string, tier?: Tier): Promise<Addresses>
  close(): Promise<void>
}

export async function openReplicas(
  common: Partial<ReplicaSettings> = {},
  opened?: TestDatabase,
): Promise<Replicas> {
  const database = opened ?? (await testDatabase())
  const folder = mkdtempSync(join(tmpdir(), 'svc-replicas-'))
  const db_url = common.db_url ?? database.url
  const store = await storeAt(database.url)
  const operator = newIdentity('operator', 'service')
  const running: Replica[] = []
  const own = { operator_did: operator.did, operator_key: operator.private_key }
  const shared = { ...own, master_key: randomBytes(32).toString('hex'), ...common, db_url }
  return {
    db_url,
    store,
    async start(name, more = {}) {
      const replica = await launch({ ...shared, audit_dir: join(folder, name), ...more })
      running.push(replica)
      return replica
    },
    async newCaller(tenant_id, tier = 'sovereign') {
      await ensureTenant(store.engine, tenant_id, tenant_id, tier)
      const { did } = newIdentity(tenant_id, 'agent')
      const key = await issueKey(store.engine, {
        tenant_id,
        did,
        mode: 'test',
        capabilities: basic_capabilities,
      })
      return { api_url: '', metrics_url: '', tenant_id, agent_did: did, ...key }
    },
    async close() {
      for (const { process: child } of running) child.kill('SIGKILL')
      await Promise.all(running.map(({ exited }) => exited))
      await store.close()
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function launch(settings: ReplicaSettings): Promise<Replica> {
  const child = spawn(process.execPath, ['--max-semi-space-size=32', program, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  const lines = createInterface({ input: child.stdout! })
  const outcome = await Promise.race([once(lines, 'line'), exited])
  if (!Array.isArray(outcome)) throw new Error(`a replica ended with ${outcome} before it was up`)
  const { port } = JSON.parse(outcome[0]) as { port: number }
  return {
    api_url: `http://127.0.0.1:${port}`,
    process: child,
    exited,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}
