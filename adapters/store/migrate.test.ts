import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { migrations } from '@svc/service/assembly/migrations'
import { Client } from 'pg'
import { emptyTestDatabase, type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { migrate, replaced } from './migrate.ts'
import { store_migrations } from './roles.ts'

// Applied by name, not by list order.
const names = migrations.map((migration) => migration.name).toSorted()
let server: TestDatabase
let owner: Client
const empty_ones: TestDatabase[] = []

before(async () => {
  server = await testDatabase()
  owner = new Client({ connectionString: server.url })
  await owner.connect()
})
after(async () => {
  for (const database of empty_ones) await database.close()
  await owner?.end()
  await server?.close()
})

async function emptyDatabase(): Promise<string> {
  const database = await emptyTestDatabase()
  empty_ones.push(database)
  return database.url
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const result = (await client.query(text)) as
      | { rows: Record<string, unknown>[] }
      | { rows: Record<string, unknown>[] }[]
    return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows
  } finally {
    await client.end()
  }
}

describe('the migrations of the service', () => {
  test('apply to an empty database, and then there is nothing left to do', async () => {
    const url = await emptyDatabase()
    assert.deepEqual(await migrate(url, migrations), names)
    assert.deepEqual(await migrate(url, migrations), [])
  })

  test('apply once under concurrency, in one database and in several', async () => {
    const urls = [await emptyDatabase(), await emptyDatabase()]
    const applied = await Promise.all([...urls, ...urls].map((url) => migrate(url, migrations)))
    for (const [n] of urls.entries()) {
      assert.deepEqual([...(applied[n] ?? []), ...(applied[n + 2] ?? [])].toSorted(), names)
    }
  })

  test('leave no table open to every tenant', async () => {
    const bare = await ask(
      server.url,
      `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
       WHERE c.relkind IN ('r', 'p') AND NOT a.attisdropped AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`,
    )
    assert.deepEqual(bare, [])
  })
})

describe('functions with the rights of their owner', () => {
  test('ignore temporary tables of their caller', async () => {
    const url = await emptyDatabase()
    await migrate(url, migrations)
    const strays = await ask(
      url,
      `SELECT proname::text AS name FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace
         AND NOT 'search_path=pg_catalog, public, pg_temp' = ANY (coalesce(proconfig, '{}'))`,
    )
    assert.deepEqual(strays, [])
    for (const role of [app_role, engine_role])
      await assert.rejects(
        ask(url, `SET ROLE ${role}; CREATE TEMPORARY TABLE tenants (tenant_id text)`),
        /permission denied to create temporary tables/,
      )
  })
})

describe('migrate', () => {
  const table: Migration = {
    name: '2026-12-01-01-notes',
    sql: `CREATE TABLE notes (tenant_id text, body text); ${isolateByTenant('notes', ['SELECT'], ['SELECT'])}
      INSERT INTO notes VALUES ('acme', 'old');`,
  }
  const column: Migration = {
    name: '2026-12-02-01-notes-length',
    sql: `ALTER TABLE notes ADD COLUMN length integer; UPDATE notes SET length = char_length(body);
      ALTER TABLE notes ALTER COLUMN length SET NOT NULL;`,
  }

  test('migrates a filled database and keeps its data', async () => {
    const url = await emptyDatabase()
    await migrate(url, [...store_migrations, table])
    assert.deepEqual(await migrate(url, [...store_migrations, table, column]), [column.name])
    assert.deepEqual(await ask(url, 'SELECT body, length FROM notes'), [{ body: 'old', length: 3 }])
  })

  test('keeps the migrations before a failing one and nothing of the failing one; of a new database nothing', async () => {
    const url = await emptyDatabase()
    const failing = { name: '2026-12-03-01-failing', sql: 'CREATE TABLE half (); SELECT 1 / 0;' }
    const fail = () =>
      assert.rejects(
        migrate(url, [...store_migrations, table, failing]),
        /2026-12-03-01-failing failed .*division by zero/,
      )
    const tables = () =>
      ask(url, "SELECT to_regclass('notes')::text AS notes, to_regclass('half')::text AS half")
    await fail()
    assert.deepEqual(await tables(), [{ notes: null, half: null }])
    await migrate(url, store_migrations)
    await fail()
    assert.deepEqual(await tables(), [{ notes: 'notes', half: null }])
  })

  test('applies a migration whose name sorts before an applied one', async () => {
    const url = await emptyDatabase()
    const early = { name: '2026-11-30-01-early', sql: 'CREATE TABLE early ();' }
    await migrate(url, [...store_migrations, table])
    assert.deepEqual(await migrate(url, [...store_migrations, early, table]), [early.name])
  })

  test('goes on with migrations of newer code, unless one needs what it does not know', async () => {
    const url = await emptyDatabase()
    const dropping = {
      name: '2026-12-04-01-notes-body',
      sql: 'ALTER TABLE notes DROP COLUMN body',
      requires: column.name,
    }
    await migrate(url, [...store_migrations, table, column])
    assert.deepEqual(await migrate(url, store_migrations), [])
    const early = { name: '2026-11-30-01-early', sql: 'CREATE TABLE early ();' }
    assert.deepEqual(await migrate(url, [...store_migrations, early]), [early.name])
    await migrate(url, [...store_migrations, table, column, dropping])
    assert.deepEqual(await migrate(url, [...store_migrations, table, column]), [])
    await assert.rejects(
      migrate(url, [...store_migrations, table]),
      /2026-12-04-01-notes-body.*newer version/,
    )
  })

  test('refuses unknown migrations of a build that did not say who goes on', async () => {
    const url = await emptyDatabase()
    await migrate(url, [...store_migrations, table])
    await ask(url, `ALTER TABLE kysely_migration DROP COLUMN requires`)
    await assert.rejects(migrate(url, store_migrations), /2026-12-01-01-notes.*written by a newer version/)
    assert.deepEqual(await migrate(url, [...store_migrations, table, column]), [column.name])
    await assert.rejects(migrate(url, store_migrations), /2026-12-01-01-notes.*written by a newer version/)
    assert.deepEqual(await migrate(url, [...store_migrations, table]), [])
  })

  test('refuses two migrations of one name', async () => {
    await assert.rejects(migrate(server.url, [table, table]), /Two migrations are called/)
  })

  for (const name of replaced)
    test(`refuses a database with ${name}, and changes nothing`, async () => {
      const url = await emptyDatabase()
      await migrate(url, [...store_migrations, { name, sql: 'CREATE TABLE older ();' }])
      await assert.rejects(migrate(url, [...store_migrations, table]), /written by version 0.10 or older/)
      const client = new Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query(`SELECT to_regclass('notes') AS notes`)
      await client.end()
      assert.deepEqual(rows, [{ notes: null }])
    })

  test('says what is missing if the user may not create roles or tables', async () => {
    const url = new URL(await emptyDatabase())
    const user = `svc_weak_${randomBytes(4).toString('hex')}`
    await owner.query(`CREATE ROLE ${user} LOGIN PASSWORD 'weak'`)
    try {
      url.username = user
      url.password = 'weak'
      await assert.rejects(migrate(url.href, migrations), /may not apply the migration .* with CREATEROLE/)
    } finally {
      await owner.query(`DROP ROLE ${user}`)
    }
  })

  test('gives a plain owner the roles it needs, without further rights', async () => {
    const user = `svc_owner_${randomBytes(4).toString('hex')}`
    const url = new URL(await emptyDatabase())
    await owner.query(`CREATE ROLE ${user} LOGIN PASSWORD 'plain' NOSUPERUSER CREATEROLE`)
    await owner.query(
      `GRANT ${app_role}, ${engine_role} TO ${user} WITH ADMIN OPTION, SET FALSE, INHERIT FALSE`,
    )
    await owner.query(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${user}`)
    try {
      url.username = user
      url.password = 'plain'
      assert.deepEqual(await migrate(url.href, migrations), names)
      const as_app = await ask(url.href, `SET ROLE ${app_role}; SELECT current_user::text AS name`)
      assert.deepEqual(as_app, [{ name: app_role }])
    } finally {
      await owner.query(`DROP DATABASE ${url.pathname.slice(1)} WITH (FORCE)`)
      await owner.query(`DROP ROLE ${user}`)
    }
  })
})

describe('the test database', () => {
  test('is migrated, isolated, and gone after close', async () => {
    const [one, other] = await Promise.all([testDatabase(), testDatabase()])
    await ask(one.url, 'CREATE TABLE only_here ()')
    assert.deepEqual(await ask(other.url, "SELECT to_regclass('only_here')::text AS found"), [
      { found: null },
    ])
    assert.deepEqual(await migrate(one.url, migrations), [])
    await Promise.all([one.close(), other.close()])
    await assert.rejects(ask(one.url, 'SELECT 1'), /does not exist/)
  })
})
