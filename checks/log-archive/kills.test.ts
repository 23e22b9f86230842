// kill -9 of processes that archive and restore pages, alone and in pairs: no page is ever in neither place.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { nameOf } from '@svc/audit/archive/page-store'
import { exportChain } from '@svc/audit/query/export'
import { verifySpan } from '@svc/audit/query/span'
import { asOwner } from '@svc/audit/test-audit-log'
import { verifyExport } from '@svc/sdk/verify/export'
import { announce, is_long, openChance, report } from '../faults/scene/chance.ts'
import { until } from '../suite/eventually.ts'
import { type ArchiveScene, full_pages, openArchiveScene, record_count, tenant_id } from './archive-scene.ts'

const kills = is_long ? 200 : 20
/** More than one round of archiving and restoring everything takes. */
const steps_max = 50

let scene: ArchiveScene
before(async () => {
  scene = await openArchiveScene()
})
after(() => scene.close())

/** The last step it reported. */
async function killAfter(t: TestContext, steps: number): Promise<string> {
  const script = join(import.meta.dirname, 'moving-pages.ts')
  const child = spawn(process.execPath, [script, scene.database.url, scene.folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const gone = once(child, 'exit')
  let [count, last] = [0, 'started']
  for await (const line of createInterface(child.stdout)) {
    last = line
    if (++count >= steps) child.kill('SIGKILL')
  }
  const [, signal] = await gone
  assert.equal(signal, 'SIGKILL', 'it ended by itself')
  return last.split(' ')[0]!
}

async function sessions(): Promise<number[]> {
  const sql =
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
  const { rows } = await asOwner(scene.database.url, (client) => client.query(sql))
  return rows.map(({ pid }) => pid)
}

interface Places {
  readonly hot: number
  readonly cold: number
}

/** Throws where a page is neither in PostgreSQL nor in the archive with its hash. Removes objects that no page needs. */
async function whereTheyAre(): Promise<Places> {
  const sql = `SELECT page, encode(sha256, 'hex') AS sha256, sha256(bytes) = sha256 AS is_right FROM audit_pages`
  const { rows } = await asOwner(scene.database.url, (client) => client.query(sql))
  assert.equal(rows.length, full_pages)
  for (const { page, sha256, is_right } of rows) {
    assert.notEqual(is_right, false, `page ${page} was changed`)
    const path = join(scene.folder, nameOf(sha256))
    if (is_right) {
      // A copy of an earlier round would hide that this one wrote none.
      await rm(path, { force: true })
      continue
    }
    const bytes = await readFile(path)
    assert.equal(hash('sha256', bytes), sha256, `page ${page}`)
  }
  const hot = rows.filter(({ is_right }) => is_right).length
  return { hot, cold: rows.length - hot }
}

test('kill -9 while pages are archived and restored loses none', { timeout: 1_800_000 }, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, kills, chance)
  const last_steps: string[] = []
  let mixed = 0
  for (let killed = 0; killed < kills; ) {
    // Every fourth time two at once, as two engines would.
    const together = killed % 4 === 3 && killed + 2 <= kills ? 2 : 1
    const steps = Array.from({ length: together }, () => 1 + chance.below(steps_max))
    const before_them = await sessions()
    last_steps.push(...(await Promise.all(steps.map((count) => killAfter(t, count)))))
    // What they sent before they died may still be committed: then an object that nobody needed is needed.
    await until('the sessions of the killed have ended', async () =>
      (await sessions()).every((pid) => before_them.includes(pid)),
    )
    killed += together
    const { hot, cold } = await whereTheyAre()
    if (hot > 0 && cold > 0) mixed++
    if (killed % 2 === 0) await scene.restoreAll()
    await whereTheyAre()
  }
  await scene.fresh(async (db) => {
    const span = { first_seq: 1, last_seq: record_count }
    assert.deepEqual(await verifySpan(db, tenant_id, span), { ok: true, gaps: [] })
    const exported = await Array.fromAsync(exportChain(db, tenant_id))
    assert.equal((await verifyExport(exported)).ok, true)
  })
  await scene.archiveAll()
  assert.deepEqual(await whereTheyAre(), { hot: 0, cold: full_pages })
  await scene.restoreAll()
  assert.deepEqual(await whereTheyAre(), { hot: full_pages, cold: 0 })
  assert.ok(new Set(last_steps).size > 1, `killed at different steps: ${[...new Set(last_steps)]}`)
  report(t, { kills: last_steps.length, mixed, steps: [...new Set(last_steps)].sort().join('+'), lost: 0 })
})
