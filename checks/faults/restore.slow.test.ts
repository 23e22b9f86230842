// A backed-up and restored audit log: nothing changed, nothing answered is missing, and an older backup is
// detected.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { exportChain } from '@svc/audit/query/export'
import { verifyExport } from '@svc/sdk/verify/export'
import { Client } from 'pg'
import { dispatch, type RunningEngine } from '../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { until } from '../suite/eventually.ts'
import { openScene } from './scene/scene.ts'

const limits = { timeout: 180_000 }
const calls = 12

test('a restored audit log has the same records, roots and key, and goes on', limits, async (t) => {
  const scene = openScene(t)
  const [live, backup] = [await testDatabase(), await testDatabase()]
  t.after(() => Promise.all([live.close(), backup.close()]))
  const first = await scene.start('first', { env: { SVC_DB_URL: live.url } })
  const answered = await callTimes(first, calls)
  const newest_note = newestNote(await audit_log(live, first.tenant_id))
  answered.push(...(await callTimes(first, calls)))

  // Killed, not stopped: answers that are not in the database yet are in the journal, which is part of a
  // backup.
  await first.stop('SIGKILL')
  await copyDatabase(t, live, backup)
  cpSync(scene.dataDir('first'), scene.dataDir('restored'), { recursive: true, verbatimSymlinks: true })
  const backed_up = await audit_log(live, first.tenant_id)

  const restored = await scene.start('restored', { env: { SVC_DB_URL: backup.url } })
  assert.equal(restored.api_key, first.api_key)
  const [entry] = await callTimes(restored, 1)
  const now = await audit_log(backup, first.tenant_id)
  assert.deepEqual(recordsOf(now).slice(0, recordsOf(backed_up).length), recordsOf(backed_up))
  for (const { seq, record_hash } of answered) assert.equal(hashOf(now, seq), record_hash)
  assert.ok(entry!.seq > Math.max(...answered.map(({ seq }) => seq)))
  const verdict = await verifyExport(now, { checkpoints: [newest_note] })
  assert.deepEqual([verdict.ok, verdict.roots_checked, verdict.reason], [true, true, undefined])

  await t.test('a truncated log is detected only by a holder of a newer checkpoint', async () => {
    const alone = await verifyExport(backed_up)
    assert.deepEqual([alone.ok, alone.reason], [true, undefined])
    const held_against = await verifyExport(backed_up, { checkpoints: [newestNote(now)] })
    assert.equal(held_against.ok, false)
    assert.match(held_against.reason ?? '', /checkpoint/)
  })
})

interface Place {
  readonly seq: number
  readonly record_hash: string
}

async function callTimes(engine: RunningEngine, times: number): Promise<Place[]> {
  const input = { event_type: 'custom.kept', meta: {} }
  const places: Place[] = []
  for (let i = 0; i < times; i++) {
    const { status, body } = await dispatch(engine, { protocol: 'MAX', operation: 'audit_log_entry', input })
    assert.equal(status, 200)
    places.push(body.output)
  }
  return places
}

async function audit_log(database: TestDatabase, tenant_id: string): Promise<string[]> {
  return await withClient(database.url, (client) => Array.fromAsync(exportChain(client, tenant_id)))
}

/** Copies every table on the server, which ships no pg_dump. Nobody may be connected meanwhile. */
async function copyDatabase(t: TestContext, from: TestDatabase, to: TestDatabase): Promise<void> {
  const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1)
  const server = new URL(from.url)
  server.pathname = '/postgres'
  await withClient(server.href, async (client) => {
    await until('the killed engine’s connections are gone', async () => {
      const sql = 'SELECT FROM pg_stat_activity WHERE datname = $1'
      return (await client.query(sql, [nameOf(from)])).rowCount === 0
    })
    await client.query(`DROP DATABASE ${nameOf(to)} WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${nameOf(to)} TEMPLATE ${nameOf(from)} STRATEGY file_copy`)
  })
  t.diagnostic(`copied ${nameOf(from)} to ${nameOf(to)}`)
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const recordsOf = (lines: readonly string[]) => lines.filter((line) => line.startsWith('{"record":'))

function hashOf(lines: readonly string[], seq: number): string | undefined {
  const line = recordsOf(lines)[seq - 1]
  return line && JSON.parse(line).record_hash
}

function newestNote(lines: readonly string[]): string {
  const notes = lines.filter((line) => line.startsWith('{"checkpoint":'))
  return JSON.parse(notes.at(-1)!).checkpoint
}
