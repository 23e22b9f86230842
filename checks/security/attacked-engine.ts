// An engine in a process of its own on a test database, two tenants with keys, and all that can be seen of it from outside.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { issueKey, type NewKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { openStore } from '@svc/adapters/store/postgres'
import { asOwner } from '@svc/audit/test-audit-log'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import type { Client } from 'pg'
import {
  type Addresses,
  type Answer,
  dispatch,
  type RunningEngine,
  startEngine,
} from '../engines/running-engine.ts'
import { testDatabase } from '../rehearsal/test-database.ts'

export interface Caller extends Addresses {
  readonly key_id: string
}

export interface AttackedEngine {
  readonly engine: RunningEngine
  readonly db_url: string
  readonly data_dir: string
  readonly port: number
  readonly acme: Caller
  readonly rival: Caller
  /** Issues one more key; the DID is new unless given. */
  newCaller(tenant_id: string, more?: Partial<NewKey>): Promise<Caller>
  /** Everything said on stderr since the start. */
  logs(): string
  metrics(): Promise<string>
  /** Bodies of a tenant's chain in order, once the record of `answered` is among them. */
  records(tenant_id: string, answered?: Answer): Promise<AuditBody[]>
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  /** By table: its rows as lines of JSON, in an order of their own, without the column named. */
  tables(but_column?: string): Promise<Map<string, string>>
  stop(): Promise<void>
}

export const operator_tenant = 'operator'
const all_capabilities = ['svc.*.*']
const looks_max = 1_000
const look_every_s = 0.02

export interface AttackedOptions {
  readonly env?: Record<string, string>
  /** Hex; made by the engine where it is not given. */
  readonly master_key?: string
  readonly node_args?: readonly string[]
}

export async function openAttackedEngine(options: AttackedOptions = {}): Promise<AttackedEngine> {
  const database = await testDatabase()
  const data_dir = await mkdtemp(join(tmpdir(), 'svc-attacked-'))
  if (options.master_key) await writeFile(join(data_dir, 'master-key'), options.master_key, { mode: 0o600 })
  const engine = await startEngine({
    data_dir,
    env: { SVC_DB_URL: database.url, SVC_RATE_LIMITS: 'off', SVC_LOG: 'warn', ...options.env },
    // Whoever reaches for __proto__, ours or a dependency's, fails loudly here.
    node_args: [
      '--disable-proto=throw',
      ...(options.node_args ?? []),
      fileURLToPath(import.meta.resolve('./target-engine.ts')),
    ],
  })
  let logged = engine.stderr()
  engine.process.stderr?.on('data', (chunk) => {
    logged += chunk
  })
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const store = await openStore({ url: database.url, log: quiet, app_pool_max: 1, engine_pool_max: 1 })
  const newCaller: AttackedEngine['newCaller'] = async (tenant_id, more = {}) => {
    await ensureTenant(store.engine, tenant_id, tenant_id, 'sovereign')
    const { did } = newIdentity(tenant_id, 'agent')
    const capabilities = all_capabilities.map((name) => ({ name, caveats: [] }))
    const key_request = { tenant_id, did, mode: 'test', capabilities, ...more } as const
    const { key_id, api_key } = await issueKey(store.engine, key_request)
    const { api_url, metrics_url } = engine
    return { api_url, metrics_url, tenant_id, agent_did: key_request.did, api_key, key_id }
  }
  return {
    engine,
    db_url: database.url,
    data_dir,
    port: Number(new URL(engine.api_url).port),
    acme: await newCaller('acme'),
    rival: await newCaller('rival'),
    newCaller,
    logs: () => logged,
    metrics: async () => (await fetch(engine.metrics_url)).text(),
    records: (tenant_id, answered) =>
      asOwner(database.url, (client) => readRecords(client, tenant_id, answered)),
    query: (sql, values) => asOwner(database.url, async (client) => (await client.query(sql, values)).rows),
    tables: (but_column = '') => asOwner(database.url, (client) => readTables(client, but_column)),
    async stop() {
      await engine.stop()
      await store.close()
      await database.close()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

async function readTables(client: Client, but_column: string): Promise<Map<string, string>> {
  const { rows: names } = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  )
  const tables = new Map<string, string>()
  for (const { name } of names) {
    const { rows } = await client.query<{ line: string }>(
      `SELECT (to_jsonb(t) - $1)::text AS line FROM ${name} t`,
      [but_column],
    )
    tables.set(
      name,
      rows
        .map(({ line }) => line)
        .sort()
        .join('\n'),
    )
  }
  return tables
}

async function readRecords(client: Client, tenant_id: string, answered?: Answer): Promise<AuditBody[]> {
  const id = answered?.body.metadata?.correlation_id ?? answered?.body.error?.correlation_id
  if (answered) await waitForRecord(client, id)
  const { rows } = await client.query('SELECT body FROM audit_records WHERE tenant_id = $1 ORDER BY seq', [
    tenant_id,
  ])
  return rows.map((row) => JSON.parse(row.body))
}

/** Records are committed in the order they were journalled, so the last one answered is the last to wait for. */
async function waitForRecord(client: Client, correlation_id: string): Promise<void> {
  for (let look = 0; look < looks_max; look++) {
    const records = await client.query('SELECT FROM audit_records WHERE correlation_id = $1', [
      correlation_id,
    ])
    if (records.rowCount) return
    await client.query(`SELECT pg_sleep(${look_every_s})`)
  }
  throw new Error(`the record of ${correlation_id} was not committed in time`)
}

/** A small call that any caller with a key may make and that changes nothing. */
export function goodCall(caller: Addresses): Promise<Answer> {
  return dispatch(caller, { protocol: 'PROBE', operation: 'look', input: {} })
}
