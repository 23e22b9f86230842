import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { openPageStore } from '@svc/adapters/log-archive/open-page-store'
import { prometheus } from '@svc/adapters/telemetry/prometheus'
import { asOwner, newFolder } from '@svc/audit/test-audit-log'
import {
  type ArchiveScene,
  begin_ms,
  full_pages,
  openArchiveScene,
} from '../../checks/log-archive/archive-scene.ts'
import { Archiver, openLogArchive } from './log-archive.ts'

let scene: ArchiveScene
before(async () => {
  scene = await openArchiveScene()
})
after(() => scene.close())
afterEach(async () => {
  scene.faults.put = undefined
  await scene.restoreAll()
  await asOwner(scene.database.url, (client) =>
    client.query(`UPDATE audit_hot_pages SET claimed_until = '-infinity', hot_since = '2026-11-15'`),
  )
})

/** An archiver on a clock of its own, and what it logged. */
function openArchiver() {
  const time = { now_ms: begin_ms + 30 * 86_400_000, monotonic_ms: 0 }
  const clock = {
    ...system_clock,
    now_ms: () => time.now_ms,
    monotonic_ms: () => time.monotonic_ms,
    random: () => 1,
  }
  const logged: string[] = []
  const say = (_details: object, message: string) => void logged.push(message)
  const log = { debug: say, info: say, warn: say, error: say }
  const { store, pages } = scene
  const archiver = new Archiver({ db: store.engine, pages, clock, log, hot_days: 30 })
  const counted = () => archiver.counters().map(([, , read]) => read())
  return { archiver, time, logged, counted }
}

async function hotPages(): Promise<number> {
  const sql = 'SELECT count(bytes)::int AS hot FROM audit_pages'
  return await asOwner(scene.database.url, async (client) => (await client.query(sql)).rows[0].hot)
}

test('pages older than the hot days leave, younger ones stay', async () => {
  const { archiver, time, counted, logged } = openArchiver()
  await asOwner(scene.database.url, (client) =>
    client.query('UPDATE audit_hot_pages h SET hot_since = p.to_at FROM audit_pages p WHERE p.page = h.page'),
  )
  // The third page ends 767 seconds after the beginning.
  time.now_ms += 768_000
  await archiver.round()
  assert.equal(await hotPages(), full_pages - 3)
  assert.deepEqual([counted()[0], archiver.lag, logged.length], [3, 3, 0])
  time.now_ms += 86_400_000
  time.monotonic_ms += 60_000
  await archiver.round()
  assert.deepEqual([await hotPages(), archiver.lag], [0, 2])
  time.monotonic_ms += 60_000
  await archiver.round()
  assert.deepEqual([archiver.lag, counted()[2]], [0, 0])
})

test('an archive that fails is logged once, attempts again after growing pauses, and catches up', async () => {
  const { archiver, time, counted, logged } = openArchiver()
  time.now_ms += 86_400_000
  let attempts = 0
  scene.faults.put = async () => {
    attempts++
    throw new Error('ENOSPC: no space left on device')
  }
  const claimable = () =>
    asOwner(scene.database.url, (client) =>
      client.query(`UPDATE audit_hot_pages SET claimed_until = '-infinity'`),
    )
  const tried: number[] = []
  for (let second = 0; second < 100; second++) {
    const before_round = attempts
    await claimable()
    await archiver.round()
    if (attempts > before_round) tried.push(second)
    time.monotonic_ms += 1_000
  }
  assert.deepEqual(tried, [0, 5, 15, 35, 75])
  assert.deepEqual([await hotPages(), counted()[2]], [full_pages, 5])
  assert.equal(logged.length, 1)
  assert.match(logged[0]!, /cannot be archived: ENOSPC.*; they stay in PostgreSQL and are tried again/)
  scene.faults.put = undefined
  time.monotonic_ms += 300_000
  await claimable()
  await archiver.round()
  assert.equal(await hotPages(), 0)
  assert.match(logged[1]!, /archived again/)
})

test('an archive that vanished is not begun anew', async () => {
  const { archiver, time, logged } = openArchiver()
  time.now_ms += 86_400_000
  await archiver.round()
  const { store } = scene
  const empty = { kind: 'file', folder: await newFolder() } as const
  const closing: (() => Promise<unknown>)[] = []
  const warned: string[] = []
  const say = (_details: object, message: string) => void warned.push(message)
  const log = { debug: say, info: say, warn: say, error: say }
  const meters = prometheus(log)
  const { page_archive } = openLogArchive(
    { log_archive: { place: empty, hot_days: 30 } },
    { clock: system_clock, meters, log },
    closing,
  )
  await assert.rejects(page_archive!.read({ sha256: 'ab'.repeat(32), bytes: 5 }), /cannot be reached now/)
  const pages = openPageStore(empty, system_clock)
  const other = new Archiver({ db: store.engine, pages, clock: system_clock, log, hot_days: 30 })
  await other.round()
  assert.match(warned.at(-1)!, /so it is not the archive of this log, or is not mounted/)
  assert.deepEqual(logged, [])
  assert.match(await meters.registry.metrics(), /svc_log_archive_read_failures_total 1/)
})
