// A real PgBouncer in front of the database is refused at start, in one sentence, in each of its modes.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { migrateStore } from '@svc/service/assembly/migrate-store'
import { Client } from 'pg'
import { freePorts } from '../engines/running-engine.ts'
import { findProgramsMissing, openPrograms, startProgram } from '../neighbours/debian-programs.ts'
import { emptyTestDatabase } from '../rehearsal/test-database.ts'
import { storeAt } from '../rehearsal/test-store.ts'
import { until } from '../suite/eventually.ts'

const modes = ['session', 'transaction', 'statement']
const startup_parameters = [
  'extra_float_digits',
  'options,statement_timeout,idle_in_transaction_session_timeout',
]

const skip = findProgramsMissing()

for (const mode of modes)
  for (const ignored of startup_parameters)
    test(`PgBouncer pools by ${mode} and ignores ${ignored}`, { skip, timeout: 600_000 }, async (t) => {
      const database = await emptyTestDatabase()
      t.after(() => database.close())
      const url = await startPgBouncer(t, database.url, {
        pool_mode: mode,
        ignore_startup_parameters: ignored,
      })
      const refused = /leads to a connection pooler such as PgBouncer.*: set SVC_DB_URL to PostgreSQL itself/
      await assert.rejects(migrateStore(url), { name: 'ConfigError', message: refused })
      await migrateStore(database.url)
      await assert.rejects(storeAt(url), refused)
      await (await storeAt(database.url)).close()
    })

async function startPgBouncer(
  t: TestContext,
  server: string,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-pgbouncer-'))
  chmodSync(dir, 0o755)
  openPrograms(dir)
  const { hostname, port, username, password, pathname } = new URL(server)
  const own_port = await freePorts()
  const all = {
    ...settings,
    listen_addr: '127.0.0.1',
    listen_port: own_port,
    auth_type: 'any',
    unix_socket_dir: '',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const target = `* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  const file = join(dir, 'pgbouncer.ini')
  writeFileSync(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'))
  chmodSync(file, 0o644)
  const child = startProgram(dir, 'pgbouncer.log', ['pgbouncer', '/srv/pgbouncer.ini'])
  t.after(async () => {
    child.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  const url = `postgresql://${username}:of-the-test@127.0.0.1:${own_port}${pathname}`
  await until('PgBouncer passes on a statement', () => asks(url))
  return url
}

async function asks(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString })
  try {
    await client.connect()
    return (await client.query('SELECT 1')).rows.length === 1
  } catch {
    return false
  } finally {
    await client.end()
  }
}
