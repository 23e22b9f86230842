import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { entryOf, newFolder, openTestAuditLog, recordIds, test_root_keys } from '../test-audit-log.ts'
import { adoptJournal } from './adopt-journal.ts'
import { holdsJournal } from './journal-directory.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const log = { debug() {}, info() {}, warn() {}, error() {} }
const optionsOf = (dir: string) => ({
  db_url: database.url,
  dir,
  root_keys: test_root_keys,
  onUnknownEvent() {},
  log,
})

test('an orphaned journal is committed and removed, and other files in its folder stay', async () => {
  const dir = await newFolder()
  const ids: string[] = []
  for (let run = 0; run < 2; run++) {
    const audit_log = await openTestAuditLog(database.url, dir)
    const entry = entryOf('acme')
    ids.push(entry.id)
    audit_log.record(entry)
    await audit_log.written()
    await audit_log.close()
  }
  await adoptJournal(optionsOf(dir))
  assert.deepEqual([existsSync(dir), await recordIds(database.url, 'acme')], [false, ids])
  await (await openTestAuditLog(database.url, dir)).close()
  mkdirSync(join(dir, 'worker-1'))
  await adoptJournal(optionsOf(dir))
  assert.deepEqual([holdsJournal(dir), existsSync(join(dir, 'worker-1'))], [false, true])
})

test('an interrupted removal is finished at the next opening: nothing is in the chain twice', async () => {
  const dir = await newFolder()
  const first = await openTestAuditLog(database.url, dir)
  const entry = entryOf('cut')
  first.record(entry)
  await first.flush()
  await first.close()
  renameSync(join(dir, 'id'), join(dir, 'removing'))
  const second = await openTestAuditLog(database.url, dir)
  const another = entryOf('cut')
  second.record(another)
  await second.close()
  assert.deepEqual(await recordIds(database.url, 'cut'), [entry.id, another.id])
})

test('an engine that wrote nothing leaves its journal usable for the next one', async () => {
  const dir = await newFolder()
  const ids: string[] = []
  for (const writes of [true, false, false, true]) {
    const audit_log = await openTestAuditLog(database.url, dir)
    const entry = entryOf('idle')
    if (writes) {
      ids.push(entry.id)
      audit_log.record(entry)
    }
    await audit_log.flush()
    await audit_log.close()
  }
  await adoptJournal(optionsOf(dir))
  assert.deepEqual([existsSync(dir), await recordIds(database.url, 'idle')], [false, ids])
})
