import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { entryText } from '@svc/contract/audit/audit-record'
import { app_role, tenant_setting } from '@svc/database/migration'
import { Client } from 'pg'
import { type TestDatabase, testDatabase } from '../checks/rehearsal/test-database.ts'
import { eventually } from '../checks/suite/eventually.ts'
import type { AuditLog } from './audit-log.ts'
import { encodeFrame } from './journal/frame.ts'
import { openDirectory, segmentPath } from './journal/journal-directory.ts'
import { openPosition } from './journal/journal-position.ts'
import { asOwner, entryOf, newFolder, openTestAuditLog, recordIds, verifyChain } from './test-audit-log.ts'
import { storedRecords } from './test-stored.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

async function recordTurns(audit_log: AuditLog, tenant_id: string, turns: number): Promise<string[]> {
  const ids: string[] = []
  for (let turn = 0; turn < turns; turn++) {
    const entry = entryOf(tenant_id)
    audit_log.record(entry)
    await audit_log.written()
    ids.push(entry.id)
  }
  return ids
}

function runUntilKilled(dir: string, turns: number): Promise<string> {
  const program = fileURLToPath(new URL('./test-crash.ts', import.meta.url))
  const { promise, resolve } = Promise.withResolvers<string>()
  execFile(process.execPath, [program, database.url, dir, String(turns)], (error, stdout) => {
    assert.equal(error?.signal, 'SIGKILL', String(error))
    resolve(stdout)
  })
  return promise
}

test('after kill -9 every answered decision is in its chain exactly once', async (t) => {
  const dir = await newFolder()
  let answered = ''
  for (const turns of [1, 7, 40, 120]) answered += await runUntilKilled(dir, turns)
  const audit_log = await openTestAuditLog(database.url, dir)
  t.after(() => audit_log.close())
  await audit_log.flush()
  for (const tenant of ['crash-a', 'crash-b']) {
    const expected = answered.split('\n').filter((line) => line.startsWith(`${tenant} `))
    const records = (await recordIds(database.url, tenant)).map((id) => `${tenant} ${id}`)
    assert.deepEqual(records, expected)
    assert.ok((await verifyChain(database.url, tenant)).ok)
  }
  await audit_log.close()
})

test('a writer thread that dies is restarted and continues at the head of the chain', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  const ids: string[] = []
  for (let round = 0; round < 4; round++) {
    ids.push(...(await recordTurns(audit_log, 'thread', 50)))
    await audit_log.killWriter()
    assert.notEqual(audit_log.state(), 'overflow')
    ids.push(...(await recordTurns(audit_log, 'thread', 10)))
  }
  await audit_log.flush()
  assert.deepEqual(await recordIds(database.url, 'thread'), ids)
  assert.ok((await verifyChain(database.url, 'thread')).ok)
  assert.equal(audit_log.state(), 'normal')
  await audit_log.close()
})

test('a broken connection recovers and no record is lost or doubled', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  const ids: string[] = []
  for (let round = 0; round < 6; round++) {
    ids.push(...(await recordTurns(audit_log, 'broken', 20)))
    await asOwner(database.url, (client) =>
      client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'svc audit%'`),
    )
  }
  await audit_log.flush()
  assert.deepEqual(await recordIds(database.url, 'broken'), ids)
  assert.equal(audit_log.state(), 'normal')
  await audit_log.close()
})

test('a writer whose position was moved by another is fenced and stops answering', async (t) => {
  const dir = await newFolder()
  const audit_log = await openTestAuditLog(database.url, dir)
  t.after(() => audit_log.close())
  await recordTurns(audit_log, 'fenced', 3)
  await audit_log.flush()
  const journal_id = openDirectory(dir)
  await asOwner(database.url, (client) =>
    client.query('UPDATE journal_positions SET byte_offset = byte_offset + 1 WHERE journal_id = $1', [
      journal_id,
    ]),
  )
  await recordTurns(audit_log, 'fenced', 1)
  await eventually(() => assert.equal(audit_log.state(), 'overflow'))
  assert.match(audit_log.health().last_error ?? '', /another engine/)
  audit_log.record(entryOf('fenced'))
  await assert.rejects(audit_log.written(), /stopped/)
  assert.equal((await recordIds(database.url, 'fenced')).length, 3)
  await asOwner(database.url, (client) =>
    client.query('UPDATE journal_positions SET byte_offset = byte_offset - 1 WHERE journal_id = $1', [
      journal_id,
    ]),
  )
  await assert.rejects(audit_log.flush(50), /were not committed/)
  await audit_log.close()
  const again = await openTestAuditLog(database.url, dir)
  t.after(() => again.close())
  await again.flush()
  assert.equal((await recordIds(database.url, 'fenced')).length, 4)
  await again.close()
})

test('a restarted writer is fenced too where another has moved its position past what it wrote', async (t) => {
  const dir = await newFolder()
  const audit_log = await openTestAuditLog(database.url, dir)
  t.after(() => audit_log.close())
  await recordTurns(audit_log, 'restarted', 3)
  await audit_log.flush()
  const journal_id = openDirectory(dir)
  await asOwner(database.url, (client) =>
    client.query('UPDATE journal_positions SET segment = segment + 1 WHERE journal_id = $1', [journal_id]),
  )
  await audit_log.killWriter()
  await eventually(() => assert.match(audit_log.health().last_error ?? '', /another engine/))
  audit_log.record(entryOf('restarted'))
  await assert.rejects(audit_log.written(), /stopped/)
  await audit_log.close()
})

test('after its folder was deleted, an engine that had nothing more to write can be started again', async () => {
  const dir = await newFolder()
  const entries = [entryOf('deleted'), entryOf('deleted')]
  for (const entry of entries) {
    const audit_log = await openTestAuditLog(database.url, dir)
    audit_log.record(entry)
    await audit_log.flush()
    rmSync(dir, { recursive: true })
    await eventually(() => assert.ok(existsSync(dir)))
    await audit_log.close()
  }
  assert.deepEqual(
    await recordIds(database.url, 'deleted'),
    entries.map(({ id }) => id),
  )
})

test('an engine whose folder was deleted leaves the journal that another has begun there alone', async () => {
  const dir = await newFolder()
  const first = await openTestAuditLog(database.url, dir)
  const ids = await recordTurns(first, 'replaced', 1)
  await first.flush()
  rmSync(dir, { recursive: true })
  const second = await openTestAuditLog(database.url, dir)
  await eventually(() => assert.match(first.health().last_error ?? '', /holds another journal/))
  first.record(entryOf('replaced'))
  await assert.rejects(first.written(), /holds another journal/)
  ids.push(...(await recordTurns(second, 'replaced', 1)))
  await first.close()
  await second.close()
  const third = await openTestAuditLog(database.url, dir)
  await third.flush()
  await third.close()
  assert.deepEqual(await recordIds(database.url, 'replaced'), ids)
})

test('a journal held by another engine is not opened, and the message names its folder', async () => {
  const dir = await newFolder()
  const journal_id = openDirectory(dir)
  await asOwner(database.url, async (client) => {
    await openPosition(client, journal_id, dir, { segment: 1, offset: 0 })
    await assert.rejects(openTestAuditLog(database.url, dir), (error: Error) => error.message.includes(dir))
  })
  const audit_log = await openTestAuditLog(database.url, dir)
  await audit_log.close()
})

test('domain events in the outbox arrive in their chain, before the record of their operation', async (t) => {
  let unknown = 0
  const onUnknownEvent = () => unknown++
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { onUnknownEvent })
  t.after(() => audit_log.close())
  const events = ['TreatySigned', 'TreatyActivated', 'NoSuchEvent'].map((event_type) =>
    entryOf('outbox', { event_type }),
  )
  await asApp('outbox', async (client) => {
    await client.query('BEGIN')
    await client.query(`SELECT set_config($1, 'outbox', true)`, [tenant_setting])
    for (const text of [...events.map(entryText), '{"not":"an entry"}', entryText(entryOf('victim'))]) {
      await client.query('INSERT INTO audit_outbox (tenant_id, entry) VALUES ($1, $2)', ['outbox', text])
    }
    await client.query('COMMIT')
  })
  audit_log.outboxChanged()
  const invocation = entryOf('outbox')
  audit_log.record(invocation)
  await audit_log.forTenant('outbox').settled()
  await audit_log.flush()
  const ids = await recordIds(database.url, 'outbox')
  assert.deepEqual(
    ids.slice(0, 3),
    events.map((event) => event.id),
  )
  assert.equal(ids.at(-1), invocation.id)
  assert.equal(ids.length, 6)
  assert.equal(unknown, 1)
  assert.ok((await verifyChain(database.url, 'outbox')).ok)
  await asOwner(database.url, async (client) => {
    assert.equal((await client.query('SELECT FROM audit_outbox')).rowCount, 0)
    assert.deepEqual(await storedRecords(client, 'victim'), [])
  })
  await audit_log.close()
})

async function asApp(tenant_id: string, work: (client: Client) => Promise<void>): Promise<void> {
  const options = `-c role=${app_role} -c ${tenant_setting}=${tenant_id}`
  const client = new Client({ connectionString: database.url, options })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

test('a handler may read its own audit log and change nothing of it', async () => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  await recordTurns(audit_log, 'rights', 2)
  await recordTurns(audit_log, 'other-rights', 2)
  await audit_log.close()
  await asApp('rights', async (client) => {
    for (const table of ['audit_tail', 'audit_checkpoints', 'chain_heads']) {
      const { rows } = await client.query(`SELECT DISTINCT tenant_id FROM ${table}`)
      assert.deepEqual(rows, [{ tenant_id: 'rights' }], table)
    }
    assert.equal((await client.query('SELECT key_id, public_key FROM audit_keys')).rowCount, 1)
    const refused = [
      'SELECT sealed_private FROM audit_keys',
      'SELECT * FROM audit_salts',
      'SELECT * FROM audit_inputs',
      'SELECT * FROM audit_outbox',
      'SELECT * FROM journal_positions',
      'UPDATE chain_heads SET seq = 0',
      'DELETE FROM audit_tail',
      'DELETE FROM audit_pages',
      `INSERT INTO audit_checkpoints VALUES ('rights', 9, '', '')`,
    ]
    for (const sql of refused) await assert.rejects(client.query(sql), /permission denied/, sql)
    const foreign = `INSERT INTO audit_outbox (tenant_id, entry) VALUES ('other-rights', '{}')`
    await assert.rejects(client.query(foreign), /row-level security/)
  })
  await asOwner(database.url, async (client) => {
    for (const sql of [
      'UPDATE audit_tail SET bytes = bytes',
      'UPDATE audit_pages SET bytes = bytes',
      'DELETE FROM audit_pages',
      'DELETE FROM audit_terms',
      'UPDATE audit_checkpoints SET note = note',
      'TRUNCATE audit_tail',
      'TRUNCATE audit_pages',
    ]) {
      await assert.rejects(client.query(sql), /takes new rows only/, sql)
    }
    await assert.rejects(client.query('DELETE FROM audit_tail'), /only for the page that holds them/)
    await assert.rejects(client.query('DELETE FROM audit_checkpoints'), /only for a later one/)
  })
})

test('a full disk turns answers into errors, and the audit log recovers by itself', async (t) => {
  let full = false
  const write = (fd: number, bytes: Uint8Array, offset: number) => {
    if (full) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    return writeSync(fd, bytes, 0, bytes.length, offset)
  }
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { files: { write } })
  t.after(() => audit_log.close())
  const ids = await recordTurns(audit_log, 'full', 5)
  full = true
  audit_log.record(entryOf('full'))
  await assert.rejects(audit_log.written(), /ENOSPC/)
  assert.equal(audit_log.state(), 'overflow')
  full = false
  ids.push(...(await recordTurns(audit_log, 'full', 5)))
  await eventually(() => assert.equal(audit_log.state(), 'normal'))
  await audit_log.flush()
  assert.deepEqual(await recordIds(database.url, 'full'), ids)
  await audit_log.close()
})

test('after a failed sync, the empty segment that follows is not waited for', async () => {
  const failing = [Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })]
  const sync = async () => {
    const error = failing.pop()
    if (error) throw error
  }
  const options = { files: { sync }, fsync: 'always' } as const
  const audit_log = await openTestAuditLog(database.url, await newFolder(), options)
  audit_log.record(entryOf('unsynced'))
  await assert.rejects(audit_log.written(), /EIO/)
  await audit_log.flush()
  assert.equal((await recordIds(database.url, 'unsynced')).length, 1)
  await audit_log.close()
})

test('more pending bytes than allowed is an overflow until they are committed', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { bytes_max: 20_000 })
  t.after(() => audit_log.close())
  await audit_log.ready('piling-up')
  await asOwner(database.url, async (client) => {
    await client.query('BEGIN')
    await client.query(`SELECT FROM chain_heads WHERE tenant_id = 'piling-up' FOR UPDATE`)
    await recordTurns(audit_log, 'piling-up', 60)
    assert.equal(audit_log.state(), 'overflow')
    await client.query('COMMIT')
  })
  await audit_log.flush()
  assert.equal(audit_log.state(), 'normal')
  await audit_log.close()
})

/** A journal of three unread segments; each record states its place. */
async function writeOldJournal(tenant_id: string): Promise<{ dir: string; frame_bytes: number }> {
  const dir = await newFolder()
  openDirectory(dir)
  const frames = [1, 2, 3].map((n) => encodeFrame(entryText(entryOf(tenant_id, { meta: { n } }))))
  writeFileSync(segmentPath(dir, 1), Buffer.concat(frames))
  writeFileSync(segmentPath(dir, 2), frames[0]!)
  writeFileSync(segmentPath(dir, 3), frames[1]!)
  return { dir, frame_bytes: frames[0]!.length }
}

async function assertStops(dir: string, tenant_id: string, reason: RegExp): Promise<void> {
  const audit_log = await openTestAuditLog(database.url, dir)
  await eventually(() => assert.equal(audit_log.state(), 'overflow'))
  assert.match(audit_log.health().last_error ?? '', reason)
  await recordTurns(audit_log, tenant_id, 1)
  await assert.rejects(audit_log.flush(10), /were not committed/)
  await audit_log.close()
}

test('damage in the middle of a journal is a fatal error, and only what an operator truncates is lost', async () => {
  const { dir, frame_bytes } = await writeOldJournal('damaged')
  const bytes = readFileSync(segmentPath(dir, 1))
  bytes[frame_bytes + 40]! ^= 1
  writeFileSync(segmentPath(dir, 1), bytes)
  await assertStops(dir, 'damaged', new RegExp(`0001.journal is damaged at byte ${frame_bytes},`))
  assert.equal((await recordIds(database.url, 'damaged')).length, 1)
  truncateSync(segmentPath(dir, 1), frame_bytes)
  const audit_log = await openTestAuditLog(database.url, dir)
  await audit_log.flush()
  assert.equal((await recordIds(database.url, 'damaged')).length, 4)
  await audit_log.close()
})

test('a lost segment is a fatal error, and an empty file in its place loses only its content', async () => {
  const { dir } = await writeOldJournal('lost')
  rmSync(segmentPath(dir, 2))
  await assertStops(dir, 'lost', /needs .*0002\.journal/)
  writeFileSync(segmentPath(dir, 2), '')
  const audit_log = await openTestAuditLog(database.url, dir)
  await audit_log.flush()
  assert.equal((await recordIds(database.url, 'lost')).length, 5)
  await audit_log.close()
})
