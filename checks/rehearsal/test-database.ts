// A separate database for every test file, cloned from a template with all migrations.
import { randomBytes } from 'node:crypto'
import { lstat, mkdir, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import { startEmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import { create_table, migrate } from '@svc/adapters/store/migrate'
import { openLaterMigrations } from '@svc/adapters/store/migrate-later'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import type { Log } from '@svc/engine/ports'
import { migrations } from '@svc/service/assembly/migrations'
import { Client, DatabaseError } from 'pg'

const template = `svc_template_${sha256Hex(create_table + canonicalJson(migrations)).slice(0, 16)}`
const templates_kept = 8
const clone_attempts_max = 5
const leftover_age_s_max = 86_400
const lock_key = 732_114_608
const in_memory = '/dev/shm'
const room_bytes_min = 3 * 1024 ** 3

const no_such_database = '3D000'
const database_in_use = '55006'

export interface TestDatabase {
  readonly url: string
  close(): Promise<void>
}

let cluster_url: Promise<string> | undefined

/** A new, migrated database; `close` drops it. Its server is shared and stays up for the next run. */
export async function testDatabase(): Promise<TestDatabase> {
  return await createDatabase(clone)
}

/** A database without tables, for tests of the migrations themselves. */
export async function emptyTestDatabase(): Promise<TestDatabase> {
  return await createDatabase(async (client, _server, name) => {
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0`)
  })
}

async function createDatabase(
  create: (client: Client, server: string, name: string) => Promise<void>,
): Promise<TestDatabase> {
  cluster_url ??= findCluster()
  const server = await cluster_url
  const created = Math.floor(system_clock.now_ms() / 1000).toString(36)
  const name = `svc_test_${process.pid}_${created}_${randomBytes(4).toString('hex')}`
  await withClient(server, (client) => create(client, server, name))
  return {
    url: urlOf(server, name),
    close: () =>
      withClient(server, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      }),
  }
}

async function findCluster(): Promise<string> {
  const configured_url = process.env.SVC_TEST_DB_URL
  const server = configured_url ?? (await startSharedServer())
  await withClient(server, (client) =>
    locked(client, () => dropLeftovers(client, configured_url === undefined)),
  )
  return server
}

/** In memory if there is plenty: a database is a thousand files, which takes some disks half a second. */
async function placeForServer(): Promise<string> {
  const stats = await statfs(in_memory).catch(() => undefined)
  const room = stats ? stats.bavail * stats.bsize : 0
  return Math.min(room, process.availableMemory() / 2) >= room_bytes_min ? in_memory : tmpdir()
}

async function startSharedServer(): Promise<string> {
  const data_dir = join(await placeForServer(), `svc-tests-${process.getuid?.() ?? 0}`)
  await mkdir(data_dir, { recursive: true, mode: 0o755 })
  // The name can be guessed, so another user's folder is not used.
  const stats = await lstat(data_dir)
  if (!stats.isDirectory() || stats.uid !== process.getuid?.()) {
    throw new Error(`${data_dir} belongs to somebody else; remove it or set SVC_TEST_DB_URL.`)
  }
  const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }
  return (await startEmbeddedPostgres({ data_dir, durable: false, log: quiet })).url
}

async function clone(client: Client, server: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
      return
    } catch (error) {
      const code = error instanceof DatabaseError ? error.code : undefined
      if (attempt === clone_attempts_max || (code !== no_such_database && code !== database_in_use))
        throw error
      if (code === no_such_database) await locked(client, () => buildTemplate(client, server))
    }
  }
}

async function buildTemplate(client: Client, server: string): Promise<void> {
  const existing = await client.query('SELECT FROM pg_database WHERE datname = $1', [template])
  if (existing.rowCount) return
  // Named last: a partly migrated template is never cloned.
  const building = `${template}_building`
  await client.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`)
  await client.query(`CREATE DATABASE ${building} TEMPLATE template0`)
  await migrate(urlOf(server, building), migrations)
  const later = openLaterMigrations(urlOf(server, building), migrations)
  while ((await later.takeStep()) !== 'finished');
  await client.query(`ALTER DATABASE ${building} WITH ALLOW_CONNECTIONS false`)
  await client.query(`ALTER DATABASE ${building} RENAME TO ${template}`)
}

async function dropLeftovers(client: Client, pids_are_ours: boolean): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    "SELECT datname FROM pg_database WHERE datname LIKE 'svc\\_te%' ORDER BY oid DESC",
  )
  const names = rows.map((row) => row.datname)
  const templates = names.filter((name) => /^svc_template_[0-9a-f]{16}$/.test(name) && name !== template)
  const databases = names.filter((name) => isLeftover(name, pids_are_ours))
  for (const name of [...templates.slice(templates_kept), ...databases]) {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}

/** On a server shared with other machines a pid means nothing, so only age counts. */
function isLeftover(name: string, pids_are_ours: boolean): boolean {
  const parts = /^svc_test_(\d+)_([0-9a-z]+)_[0-9a-f]+$/.exec(name)
  if (!parts) return false
  const age_s = system_clock.now_ms() / 1000 - Number.parseInt(parts[2] ?? '', 36)
  return age_s > leftover_age_s_max || (pids_are_ours && !isAlive(Number(parts[1])))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function locked(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [lock_key])
  try {
    await work()
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [lock_key])
  }
}

async function withClient(server: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: server, application_name: 'svc tests' })
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}
