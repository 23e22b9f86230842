import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Migration } from '@svc/database/migration'
import { Client } from 'pg'
import { emptyTestDatabase, type TestDatabase } from '../../checks/rehearsal/test-database.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { migrate } from './migrate.ts'
import { type LaterMigrations, openLaterMigrations } from './migrate-later.ts'

const rows = 2_500
const rows_a_batch = 1_000
const table: Migration = {
  name: '2026-12-01-01-notes',
  sql: `CREATE TABLE notes (id integer, length integer, changes integer DEFAULT 0);
    INSERT INTO notes SELECT n FROM generate_series(1, ${rows}) n;`,
}
const filling: Migration = {
  name: '2026-12-02-01-notes-length',
  sql: 'ALTER TABLE notes ADD COLUMN body text',
  later: [
    {
      batch: `UPDATE notes SET length = id, changes = changes + 1
        WHERE ctid = ANY (ARRAY(SELECT ctid FROM notes WHERE length IS NULL LIMIT ${rows_a_batch}))`,
    },
    { index: 'notes_by_length', on: 'notes (length)' },
  ],
}
const migrations = [table, filling]

let database: TestDatabase
let owner: Client
const opened: LaterMigrations[] = []

before(async () => {
  database = await emptyTestDatabase()
  owner = new Client({ connectionString: database.url })
  await owner.connect()
})
after(async () => {
  for (const one of opened) await one.close()
  await owner.end()
  await database.close()
})

function open(names = migrations): LaterMigrations {
  const later = openLaterMigrations(database.url, names)
  opened.push(later)
  return later
}

async function one<Row>(text: string): Promise<Row> {
  return (await owner.query(text)).rows[0] as Row
}

const filled = async () =>
  (await one<{ filled: number }>('SELECT count(length)::int AS filled FROM notes')).filled
const left = async () =>
  (await one<{ left: number }>('SELECT sum(later_left)::int AS left FROM kysely_migration')).left
const index = () =>
  one<{ indisvalid: boolean } | undefined>(
    `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('notes_by_length')`,
  )

test('a migration leaves its later steps; batches go on where an ended engine stopped, each row once', async () => {
  await migrate(database.url, migrations)
  assert.deepEqual([await left(), await filled()], [2, 0])
  const [first, second] = [open(), open()]
  assert.equal(await first.takeStep(), 'taken')
  assert.equal(await filled(), rows_a_batch)
  assert.equal(await second.takeStep(), 'waiting')
  await first.close()
  await eventually(async () => assert.equal(await second.takeStep(), 'taken'))
  // Two more with rows, and one that finds none.
  for (const count of [rows, rows]) {
    assert.equal(await second.takeStep(), 'taken')
    assert.equal(await filled(), count)
  }
  assert.equal(await left(), 1)
  assert.deepEqual(await one('SELECT min(changes) AS least, max(changes) AS most FROM notes'), {
    least: 1,
    most: 1,
  })
  await second.close()
})

test('an index is built while rows are written, and again if its build was ended', async () => {
  // As a build that was ended leaves it.
  await owner.query('CREATE INDEX notes_by_length ON notes (length)')
  await owner.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'notes_by_length'::regclass`)
  const writing = new Client({ connectionString: database.url })
  await writing.connect()
  try {
    await writing.query('BEGIN')
    await writing.query('INSERT INTO notes (id, length) VALUES (1, 1)')
    const later = open()
    const building = later.takeStep()
    await eventually(
      async () =>
      assert.ok(await one(`SELECT FROM pg_stat_activity WHERE application_name = 'svc migrate later' AND wait_event_type = 'Lock'`)), // biome-ignore format: one statement
    )
    await owner.query('INSERT INTO notes (id, length) VALUES (2, 2)')
    await writing.query('COMMIT')
    assert.equal(await building, 'taken')
    assert.deepEqual([await left(), await index()], [0, { indisvalid: true }])
    assert.equal(await later.takeStep(), 'finished')
  } finally {
    await writing.end()
  }
})

test('steps of newer code are left to it, and a failing one says why and is tried again', async () => {
  const newer: Migration = {
    name: '2026-12-03-01-newer',
    sql: '',
    later: [{ batch: 'UPDATE nowhere SET a = 1' }],
  }
  await migrate(database.url, [...migrations, newer])
  assert.equal(await open().takeStep(), 'finished')
  const knowing = open([...migrations, newer])
  await assert.rejects(knowing.takeStep(), /relation "nowhere" does not exist/)
  await owner.query('CREATE TABLE nowhere (a integer)')
  // The lock of the connection before may be there for another moment.
  await eventually(async () => assert.equal(await knowing.takeStep(), 'finished'))
  assert.equal(await left(), 0)
})
