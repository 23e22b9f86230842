// PostgreSQL 16 and 17 carry an engine as 18 does, which all other tests run on; 15 is refused at start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engine_connections_max } from '@svc/service/assembly/connections'
import { migrations } from '@svc/service/assembly/migrations'
import { Client } from 'pg'
import { assertKept, readAuditLogs } from '../faults/scene/audit-log-check.ts'
import { type Answered, emit, entry, list, query, startCallers } from '../faults/scene/callers.ts'
import { announce, is_long, openChance } from '../faults/scene/chance.ts'
import { runEngine } from '../faults/scene/exported-chain.ts'
import { openScene } from '../faults/scene/scene.ts'
import { findPostgresMissing, startPostgres } from '../neighbours/test-postgres.ts'
import { until } from '../suite/eventually.ts'

const landed_sql = 'SELECT count(*)::int FROM kysely_migration'
const open_sql = "SELECT count(*)::int FROM pg_stat_activity WHERE application_name ~ '^svc'"
const calls = is_long ? 2_000 : 100

for (const major of [16, 17] as const)
  test(`an engine on PostgreSQL ${major}`, {
    skip: findPostgresMissing(major),
    timeout: 600_000,
  }, async (t) => {
    const chance = openChance()
    announce(t, import.meta.filename, calls, chance)
    const database = await startPostgres(major)
    t.after(() => database.close())
    const scene = openScene(t)
    const engine = await scene.start('engine', { env: { SVC_DB_URL: database.url, SVC_LOG: 'error' } })
    const callers = startCallers(engine, 4, [emit, entry, query, list], chance)
    await until('calls are answered', () => callers.answered.length >= calls)
    const open = await ask(database.url, open_sql)
    assert.ok(open > 0 && open <= engine_connections_max, `${open} connections`)
    await callers.stop()
    assert.deepEqual(refusals(callers.answered), [])
    const where = { data_dir: scene.dataDir('engine'), db_url: database.url }
    assertKept(callers.answered, await readAuditLogs(engine, where))
    assert.equal(await ask(database.url, landed_sql), migrations.length)
    assert.equal(await engine.stop(), 0)
    assert.equal(engine.stderr().includes('error'), false, engine.stderr())
  })

test('PostgreSQL 15 is refused in a sentence', {
  skip: findPostgresMissing(15),
  timeout: 600_000,
}, async (t) => {
  const database = await startPostgres(15)
  t.after(() => database.close())
  const data_dir = openScene(t).dataDir('engine')
  const { code, stderr } = await runEngine(['up', '--data-dir', data_dir], { db_url: database.url })
  assert.equal(code, 1, stderr)
  assert.match(
    stderr,
    /^.*The database is PostgreSQL 15\.18, and svc needs 16 or newer: .*Nothing was changed\.$/m,
  )
})

function refusals(answered: readonly Answered[]): string[] {
  return answered.filter(({ status }) => status !== 200).map(({ sort, code }) => `${sort.name}: ${code}`)
}

async function ask(connectionString: string, text: string): Promise<number> {
  const client = new Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<{ count: number }>(text)
  await client.end()
  return rows[0]!.count
}
