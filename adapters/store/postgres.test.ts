import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AuditEntry, entryText } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { isolateByTenant } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { Log } from '@svc/engine/ports'
import fc from 'fast-check'
import { Client } from 'pg'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { arrives, eventually } from '../../checks/suite/eventually.ts'
import { openStore, type PostgresStore } from './postgres.ts'

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }

let database: TestDatabase
let owner: Client
let store: PostgresStore
let outbox_calls = 0

before(async () => {
  database = await testDatabase()
  owner = new Client({ connectionString: database.url })
  await owner.connect()
  await owner.query(`
    CREATE TABLE notes (tenant_id text NOT NULL, body text NOT NULL UNIQUE);
    ${isolateByTenant('notes', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT'])}`)
  store = await openStore({
    url: database.url,
    app_pool_max: 3,
    log: quiet,
    onOutbox: () => {
      outbox_calls++
    },
  })
})
after(async () => {
  await store?.close()
  await owner?.end()
  await database?.close()
})

function entryOf(tenant_id: string, meta: Record<string, unknown> = {}): AuditEntry {
  return {
    id: crypto.randomUUID(),
    event_type: 'ChainSealed',
    correlation_id: crypto.randomUUID(),
    timestamp: '2026-11-15T00:00:00Z',
    tenant_id,
    caller_did: 'did:oas:acme:agent:x',
    outcome: 'success',
    latency_ms: 1,
    meta,
  }
}

const write = (db: Database, tenant_id: string, body: string) =>
  sql`INSERT INTO notes (tenant_id, body) VALUES (${tenant_id}, ${body})`.execute(db)
const read = async (db: Database) =>
  (await sql<{ body: string }>`SELECT body FROM notes ORDER BY body`.all(db)).map((row) => row.body)
const count = async (table: string, where: string) =>
  Number((await owner.query(`SELECT count(*) AS n FROM ${table} WHERE ${where}`)).rows[0]?.n)

/** The result of a query in a transaction that is rolled back. */
async function within<T>(tenant_id: string, work: (db: Database) => Promise<T>): Promise<T> {
  const transaction = store.transaction(tenant_id)
  try {
    return await work(transaction.db)
  } finally {
    await transaction.rollback()
  }
}

describe('a transaction', () => {
  test('takes no connection until its first query', async () => {
    const busy = () => store.connections().app.open - store.connections().app.idle
    const transaction = store.transaction('acme')
    assert.ok(transaction.db)
    assert.deepEqual([transaction.opened, busy()], [false, 0])
    await read(transaction.db)
    assert.deepEqual([transaction.opened, busy()], [true, 1])
    await transaction.commit([])
    assert.equal(busy(), 0)
    await store.transaction('acme').commit([])
    await store.transaction('acme').rollback()
    assert.equal(busy(), 0)
  })

  test('commits rows and events together', async () => {
    const calls = outbox_calls
    const transaction = store.transaction('acme')
    await write(transaction.db, 'acme', 'together')
    await transaction.commit([entryOf('acme', { quote: `it's a \\ "test"` }), entryOf('acme')])
    assert.equal(await count('notes', "body = 'together'"), 1)
    const outbox = await owner.query("SELECT entry FROM audit_outbox WHERE tenant_id = 'acme' ORDER BY id")
    assert.equal(outbox.rowCount, 2)
    assert.deepEqual(JSON.parse(outbox.rows[0].entry).meta, { quote: `it's a \\ "test"` })
    assert.equal(outbox_calls, calls + 1)
  })

  test('stores every event verbatim, whatever its text', async () => {
    const texts = fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(texts, async (written) => {
        const entries = written.map((text) => entryOf('scribe', { [text]: text }))
        await store.transaction('scribe').commit(entries)
        const outbox = await owner.query<{ entry: string }>(
          "DELETE FROM audit_outbox WHERE tenant_id = 'scribe' RETURNING entry",
        )
        assert.deepEqual(outbox.rows.map((row) => row.entry).toSorted(), entries.map(entryText).toSorted())
      }),
      { numRuns: 50 },
    )
  })

  test('stores events even if no table was touched', async () => {
    await store.transaction('lonely').commit([entryOf('lonely')])
    assert.equal(await count('audit_outbox', "tenant_id = 'lonely'"), 1)
  })

  test('leaves nothing behind after a rollback', async () => {
    const transaction = store.transaction('acme')
    await write(transaction.db, 'acme', 'undone')
    await transaction.rollback()
    await transaction.rollback()
    assert.equal(await count('notes', "body = 'undone'"), 0)
  })

  test('leaves no rows if its events cannot be stored', async () => {
    const calls = outbox_calls
    const transaction = store.transaction('acme')
    await write(transaction.db, 'acme', 'without events')
    await assert.rejects(
      transaction.commit([entryOf('acme', { text: 'x'.repeat(300_000) })]),
      /check constraint/,
    )
    const foreign = store.transaction('acme')
    await write(foreign.db, 'acme', 'without events')
    await assert.rejects(foreign.commit([entryOf('rival')]), /may not write into the audit log of rival/)
    assert.equal(await count('notes', "body = 'without events'"), 0)
    assert.equal(outbox_calls, calls)
  })

  test('does not report a commit after a failed statement that was swallowed', async () => {
    const transaction = store.transaction('acme')
    await write(transaction.db, 'acme', 'swallowed')
    await assert.rejects(write(transaction.db, 'acme', 'swallowed'), /duplicate key/)
    await assert.rejects(transaction.commit([]), /nothing of it was committed/)
    assert.equal(await count('notes', "body = 'swallowed'"), 0)
  })

  test('refuses to be used after its end', async () => {
    const committed = store.transaction('acme')
    await read(committed.db)
    await committed.commit([])
    await assert.rejects(read(committed.db), /was committed; its database cannot be used any more/)
    await assert.rejects(committed.commit([]), /was committed/)
    const untouched = store.transaction('acme')
    await untouched.rollback()
    await assert.rejects(read(untouched.db), /was rolled back/)
  })

  test('refuses nested transactions, and statements that would end it or change its role or tenant', async () => {
    await within('acme', async (db) => {
      await assert.rejects(
        db.transaction(async () => {}),
        /already runs in one transaction/,
      )
      for (const text of [
        'commit',
        ' ROLLBACK',
        'SET ROLE none',
        'SET LOCAL  role = none',
        'reset role',
        'Begin',
      ]) {
        await assert.rejects(sql.raw(text).execute(db), /the engine ends/, text)
      }
      await assert.rejects(sql.raw('SELECT 1; COMMIT').execute(db), /multiple commands/)
      await sql
        .raw('SELECT 1')
        .execute(db)
        .catch(() => {})
    })
    await within('acme', (db) => sql.raw('SET LOCAL lock_timeout = 1000').execute(db))
  })

  test('runs concurrent queries in sequence', async () => {
    const answers = await within('acme', (db) =>
      Promise.all(
        [1, 2, 3].map(async (n) => (await sql<{ n: number }>`SELECT ${n}::int AS n`.all(db))[0]?.n),
      ),
    )
    assert.deepEqual(answers, [1, 2, 3])
  })

  test('refuses an invalid tenant id', () => {
    assert.throws(() => store.transaction("a'; DROP TABLE notes; --"), /not a tenant id/)
  })
})

describe('row-level security', () => {
  before(async () => {
    await owner.query("INSERT INTO notes VALUES ('rival', 'of rival')")
  })

  test('hides rows of another tenant, and refuses to write them', async () => {
    assert.equal((await within('acme', read)).includes('of rival'), false)
    assert.deepEqual(await within('rival', read), ['of rival'])
    await assert.rejects(
      within('acme', (db) => write(db, 'rival', 'planted')),
      /row-level security/,
    )
    await assert.rejects(
      within('rival', (db) => sql`UPDATE notes SET tenant_id = 'acme'`.execute(db)),
      /row-level security/,
    )
    const touched = await within('acme', (db) => sql`DELETE FROM notes WHERE tenant_id = 'rival'`.execute(db))
    assert.equal(touched.numAffectedRows, 0n)
  })

  test('shows nothing to a query without a tenant, on a new and on a used connection', async () => {
    const client = new Client({ connectionString: database.url, options: '-c role=svc_app' })
    await client.connect()
    try {
      const readNotes = () => client.query('SELECT * FROM notes')
      assert.equal((await readNotes()).rowCount, 0)
      await client.query("BEGIN; SET LOCAL svc.tenant_id = 'rival'")
      assert.equal((await readNotes()).rowCount, 1)
      await client.query('COMMIT')
      assert.equal((await readNotes()).rowCount, 0)
      await client.query('RESET ROLE')
      await client.query('RESET ALL')
      assert.equal((await client.query('SELECT current_user AS name')).rows[0]?.name, 'svc_app')
      assert.equal((await readNotes()).rowCount, 0)
    } finally {
      await client.end()
    }
  })

  test('binds roles that own nothing and cannot bypass it', async () => {
    const name = await within('acme', (db) => sql<{ name: string }>`SELECT current_user AS name`.execute(db))
    assert.equal(name.rows[0]?.name, 'svc_app')
    const engine = await sql<{ name: string }>`SELECT current_user AS name`.execute(store.engine)
    assert.equal(engine.rows[0]?.name, 'svc_engine')
    assert.deepEqual(
      await sql`SELECT body FROM notes WHERE tenant_id = 'rival'`.execute(store.engine).then((r) => r.rows),
      [{ body: 'of rival' }],
    )
    const owned = await owner.query(
      `SELECT relname FROM pg_class JOIN pg_roles r ON r.oid = relowner WHERE rolname IN ('svc_app', 'svc_engine')`,
    )
    assert.equal(owned.rowCount, 0)
    const strong = await owner.query(
      `SELECT FROM pg_roles WHERE rolname IN ('svc_app', 'svc_engine') AND (rolsuper OR rolbypassrls OR rolcanlogin)`,
    )
    assert.equal(strong.rowCount, 0)
    await assert.rejects(
      within('acme', (db) => sql.raw('CREATE TABLE mine ()').execute(db)),
      /permission denied/,
    )
    await assert.rejects(
      within('acme', (db) => sql.raw('ALTER TABLE notes DISABLE ROW LEVEL SECURITY').execute(db)),
      /owner/,
    )
  })

  test('holds even if the address asks for another role', async () => {
    const sly = new URL(database.url)
    sly.searchParams.set('options', '-c role=none')
    const other = await storeAt(sly.href)
    try {
      const transaction = other.transaction('acme')
      assert.equal((await read(transaction.db)).includes('of rival'), false)
      await transaction.rollback()
    } finally {
      await other.close()
    }
  })
})

describe('the pool', () => {
  const gave_all_back = () =>
    eventually(() => {
      const { open, idle, waiting } = store.connections().app
      assert.deepEqual([open - idle, waiting], [0, 0])
    })

  test('has no leak after a hundred failing transactions', async () => {
    const failures = Array.from({ length: 100 }, async (_, n) => {
      const transaction = store.transaction('acme')
      try {
        await sql`SELECT 1 / ${n - n}::int`.execute(transaction.db)
      } catch {
        if (n % 2) return await transaction.rollback()
      }
      await assert.rejects(transaction.commit([]), /nothing of it was committed/)
    })
    await Promise.all(failures)
    await gave_all_back()
  })

  test('closes broken connections, and continues with new ones', async () => {
    const transaction = store.transaction('acme')
    const pid = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(transaction.db)
    await owner.query('SELECT pg_terminate_backend($1)', [pid.rows[0]?.pid])
    // Nobody ends this transaction: losing the connection alone must free its slot.
    await gave_all_back()
    await assert.rejects(read(transaction.db), { code: 'unavailable' })
    await within('acme', read)
  })

  test('does not wait for a running query when its operation is abandoned', async () => {
    const transaction = store.transaction('acme')
    const slow = assert.rejects(sql`SELECT pg_sleep(600)`.execute(transaction.db), /terminated/)
    const asleep =
      "query LIKE 'SELECT pg_sleep%' AND state = 'active' AND usename = current_user AND pid <> pg_backend_pid()"
    await eventually(async () => assert.equal(await count('pg_stat_activity', asleep), 1))
    await transaction.rollback()
    await slow
    await gave_all_back()
  })

  test('ends what an abandoned operation waits for in the database, whatever the server is set to', async () => {
    const address = new URL(database.url)
    address.searchParams.set('options', '-c client_connection_check_interval=0')
    const other = await storeAt(address.href)
    const transaction = other.transaction('acme')
    await sql.raw('SET LOCAL statement_timeout = 0').execute(transaction.db)
    await owner.query('SELECT pg_advisory_lock(1)')
    const waiting = assert.rejects(sql`SELECT pg_advisory_xact_lock(1)`.execute(transaction.db), /terminated/)
    const stuck = "query LIKE 'SELECT pg_advisory_xact_lock%' AND wait_event_type = 'Lock'"
    await eventually(async () => assert.equal(await count('pg_stat_activity', stuck), 1))
    await transaction.rollback()
    await waiting
    await eventually(async () => assert.equal(await count('pg_stat_activity', stuck), 0))
    await other.close()
  })

  test('refuses clearly when no connection becomes free, and forgets callers that gave up', async () => {
    const small = await storeAt(database.url, { app_pool_max: 1, wait_ms_max: 200 })
    try {
      const holder = small.transaction('acme')
      await read(holder.db)
      const late = small.transaction('acme')
      await assert.rejects(read(late.db), { code: 'no_endpoint_available' })
      await late.rollback()
      const gone = small.transaction('acme')
      const never = assert.rejects(read(gone.db), /was rolled back/)
      await gone.rollback()
      await holder.rollback()
      await never
      const next = small.transaction('acme')
      await read(next.db)
      await next.commit([])
      assert.deepEqual(small.connections().app, { open: 1, idle: 1, waiting: 0 })
    } finally {
      await small.close()
    }
  })
})

describe('the store', () => {
  test('reports whether the database answers, with one query for concurrent callers', async () => {
    assert.deepEqual(await Promise.all([store.healthy(), store.healthy()]), [true, true])
    assert.equal(store.healthy(), store.healthy())
    const own = await testDatabase()
    const other = await storeAt(own.url)
    await own.close()
    assert.equal(await other.healthy(), false)
    await other.close()
  })

  test('does not open if it may not take its roles', async () => {
    const user = `svc_weak_${crypto.randomUUID().slice(0, 8)}`
    await owner.query(`CREATE ROLE ${user} LOGIN PASSWORD 'weak'`)
    try {
      const url = new URL(database.url)
      url.username = user
      url.password = 'weak'
      await assert.rejects(
        storeAt(url.href),
        /does not let this user work as svc_(app|engine) \(permission denied/,
      )
    } finally {
      await owner.query(`DROP ROLE ${user}`)
    }
  })
})

test('a connection that breaks while in use fails its query, not the process', async () => {
  const client = await store.engine_pool.connect()
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const broken = new Promise((resolve) => client.once('end', resolve))
  await owner.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
  await arrives('the end of the connection', broken)
  await assert.rejects(client.query('SELECT 1'))
  client.release(true)
})
