import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import { Pool, type PoolClient } from 'pg'
import { emptyTestDatabase, type TestDatabase, testDatabase } from '../checks/rehearsal/test-database.ts'
import { noteFaultsOf } from './database-fault.ts'
import { pooledDatabase } from './pooled.ts'
import { sql } from './sql.ts'

let server: TestDatabase
let pool: Pool
let in_use: PoolClient | undefined
let db: Database

before(async () => {
  server = await emptyTestDatabase()
  pool = new Pool({ connectionString: server.url, max: 1 })
  pool.on('acquire', (client) => {
    in_use = client
  })
  noteFaultsOf(pool)
  db = pooledDatabase(pool)
  await sql`CREATE TABLE notes (body text UNIQUE DEFERRABLE INITIALLY DEFERRED)`.execute(db)
})
after(async () => {
  await pool?.end()
  await server?.close()
})

const write = (to: Database, body: string) => sql`INSERT INTO notes VALUES (${body})`.execute(to)
const bodies = async () => {
  const { rows } = await sql<{ body: string }>`SELECT body FROM notes ORDER BY body`.execute(db)
  return rows.map(({ body }) => body)
}

test('rows are returned, and a row count only for statements that change rows', async () => {
  assert.equal((await write(db, 'first')).numAffectedRows, 1n)
  const answer = await sql`SELECT body FROM notes`.execute(db)
  assert.deepEqual(answer, { rows: [{ body: 'first' }] })
})

test('a transaction is committed when its work returns, and rolled back when it throws', async () => {
  assert.equal(await db.transaction(async (trx) => (await write(trx, 'kept')).numAffectedRows), 1n)
  const fail = db.transaction(async (trx) => {
    await write(trx, 'lost')
    throw new Error('changed its mind')
  })
  await assert.rejects(fail, /changed its mind/)
  assert.deepEqual(await bodies(), ['first', 'kept'])
})

test('a transaction with a failed statement does not count as committed, nor one that fails to commit', async () => {
  const swallowed = db.transaction(async (trx) => {
    await write(trx, 'lost')
    await sql`SELECT 1 / 0`.execute(trx).catch(() => {})
  })
  await assert.rejects(swallowed, /nothing was committed/)
  const twice = db.transaction((trx) => write(trx, 'kept'))
  await assert.rejects(twice, /duplicate key/)
  assert.deepEqual(await bodies(), ['first', 'kept'])
})

test('a transaction is repeatable read and read only where requested, and cannot be nested', async () => {
  const transaction = db.transaction(async (trx) => {
    assert.equal(trx.isTransaction, true)
    await assert.rejects(async () => trx.transaction(async () => {}), /is open already/)
    const { rows } = await sql`SHOW transaction_isolation`.execute(trx)
    assert.deepEqual(rows, [{ transaction_isolation: 'repeatable read' }])
    await write(trx, 'lost')
  }, 'isolation level repeatable read read only')
  await assert.rejects(transaction, /read-only transaction/)
})

test('a transaction cannot be used after its end', async () => {
  let left: Database | undefined
  await db.transaction(async (trx) => {
    left = trx
  })
  await assert.rejects(write(left!, 'late'), /was committed; its database cannot be used any more/)
})

test('a connection to a server that was demoted is closed, so that the next one finds the primary', async () => {
  const demote = sql`SELECT set_config('default_transaction_read_only', 'on', false)`
  await demote.execute(db)
  await assert.rejects(write(db, 'refused'), { code: '25006' })
  await write(db, 'at the primary')
  await demote.execute(db)
  await assert.rejects(
    db.transaction((trx) => write(trx, 'refused')),
    { code: '25006' },
  )
  await sql`DELETE FROM notes WHERE body = 'at the primary'`.execute(db)
})

test('a connection keeps its settings from statement to statement, and goes back to the pool', async () => {
  const setting = await db.connection(async (one) => {
    await sql`SELECT set_config('lock_timeout', '7s', false)`.execute(one)
    return (await sql<{ lock_timeout: string }>`SHOW lock_timeout`.execute(one)).rows[0]?.lock_timeout
  })
  assert.equal(setting, '7s')
  assert.deepEqual([pool.totalCount, pool.idleCount], [1, 1])
})

test('a connection that cannot roll back is closed, and the next one works', async () => {
  const broken = db.transaction(async (trx) => {
    await sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(trx)
  })
  await assert.rejects(broken, /terminating connection|Connection terminated/)
  assert.deepEqual(await bodies(), ['first', 'kept'])
})

test('a connection that the server closes between two statements fails the next one, not the process', async (t) => {
  const other = new Pool({ connectionString: server.url, max: 1 })
  t.after(() => other.end())
  const broken = db.connection(async (one) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(one)
    const ended = new Promise((resolve) => in_use!.once('end', resolve))
    await other.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid])
    await ended
    await write(one, 'lost')
  })
  await assert.rejects(broken, /connection error|Connection terminated/)
  assert.deepEqual(await bodies(), ['first', 'kept'])
})

test('a connection that did not answer in time is not used again', async (t) => {
  const { url, close } = await testDatabase()
  const pool = new Pool({ connectionString: url, max: 1, query_timeout: 2_000 })
  pool.on('error', () => {})
  t.after(async () => {
    await pool.end()
    await close()
  })
  const db = pooledDatabase(pool)
  await assert.rejects(sql`SELECT pg_sleep(30)`.execute(db), /Query read timeout/)
  assert.equal(await sql`SELECT 1`.exists(db), true)
  await assert.rejects(
    db.transaction((transaction) => sql`SELECT pg_sleep(30)`.execute(transaction)),
    /Query read timeout/,
  )
  assert.equal(await sql`SELECT 1`.exists(db), true)
})
