// kill -9 of the process and of its database connection while pages of the audit log are filled: nothing answered is lost or counted twice.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { asOwner, newFolder, recordIds, verifyChain } from '@svc/audit/test-audit-log'
import { compareUsage } from '@svc/protocols/economic/meal/reconcile-usage'
import { openUsageLog } from '@svc/protocols/economic/usage/test-usage'
import { announce, is_long, openChance, report } from '../faults/scene/chance.ts'
import { openTestStore, type TestStore } from '../rehearsal/test-store.ts'

const kills = is_long ? 200 : 20
const turns_max = 12
const tenants = ['busy', 'middling', 'quiet']

let scene: TestStore
let dir: string
before(async () => {
  scene = await openTestStore()
  dir = await newFolder()
})
after(() => scene.close())

const cut_connection = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'svc audit writer' AND datname = current_database()`

/** Adds what was answered. The database's connection is cut at a turn of its own. */
async function killAfter(
  t: TestContext,
  turns: number,
  cut_after: number,
  answered: Set<string>,
): Promise<void> {
  const script = join(import.meta.dirname, 'writing-records.ts')
  const child = spawn(process.execPath, [script, scene.database.url, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const gone = once(child, 'exit')
  let count = 0
  for await (const line of createInterface(child.stdout)) {
    // Killed in the middle of a line, it may report half an id.
    if (!line.endsWith(' end')) continue
    for (const id of line.split(' ').slice(0, -1)) answered.add(id)
    if (++count === cut_after) await asOwner(scene.database.url, (client) => client.query(cut_connection))
    if (count >= turns) child.kill('SIGKILL')
  }
  const [, signal] = await gone
  assert.equal(signal, 'SIGKILL', 'it ended by itself')
}

test('kill -9 while pages are written and merged loses nothing', { timeout: 1_800_000 }, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, kills, chance)
  const answered = new Set<string>()
  for (let killed = 0; killed < kills; killed++)
    await killAfter(t, 1 + chance.below(turns_max), 1 + chance.below(turns_max), answered)
  const audit_log = await openUsageLog(scene.database.url, dir)
  await audit_log.flush(60_000)
  await audit_log.close()
  let records = 0
  for (const tenant_id of tenants) {
    const ids = await recordIds(scene.database.url, tenant_id)
    records += ids.length
    const stored = new Set(ids.map((id) => `${tenant_id}/${id}`))
    assert.equal(stored.size, ids.length, 'none is there twice')
    const lost = [...answered].filter((id) => id.startsWith(`${tenant_id}/`) && !stored.has(id))
    assert.deepEqual(lost, [])
    assert.equal((await verifyChain(scene.database.url, tenant_id)).ok, true)
    await scene.as(tenant_id, (db) => assertCountedOnce(db, tenant_id, ids.length))
  }
  report(t, { kills, answered: answered.size, records, lost: 0 })
})

async function assertCountedOnce(
  db: Parameters<typeof compareUsage>[0],
  tenant_id: string,
  calls: number,
): Promise<void> {
  const day = { from_ms: Date.parse('2026-11-15T00:00:00Z'), to_ms: Date.parse('2026-11-16T00:00:00Z') }
  const { of_sums, of_records } = await compareUsage(db, tenant_id, day)
  assert.deepEqual([of_sums, of_records], [[], []])
  const { rows } = await db.execute<{ calls: string }>({
    text: 'SELECT sum(calls) AS calls FROM meter_sums WHERE tenant_id = $1',
    values: [tenant_id],
  })
  assert.equal(Number(rows[0]!.calls), calls)
}
