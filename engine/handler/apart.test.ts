import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isolateByTenant } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { Client } from 'pg'
import {
  askedOf,
  callBefore,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { openContext } from './open-context.ts'

let test_store: TestStore

before(async () => {
  test_store = await openTestStore()
  const owner = new Client({ connectionString: test_store.database.url })
  await owner.connect()
  await owner.query(`CREATE TABLE notes (tenant_id text NOT NULL, body text NOT NULL);
    ${isolateByTenant('notes', ['SELECT', 'INSERT'], ['SELECT'])}`)
  await owner.end()
})
after(() => test_store.close())

async function open() {
  const { store } = test_store
  const ports = testPorts([tryProtocol(() => ({}))], { store })
  return openContext(await callBefore(7, askedOf(), ports), ports, async () => ({}))
}

async function notes(): Promise<string[]> {
  const rows = await sql<{ body: string }>`SELECT body FROM notes ORDER BY body`.all(test_store.store.engine)
  return rows.map(({ body }) => body)
}

/** Writes its row, and waits until `go_on` is called. */
async function writeApart(body: string) {
  const context = await open()
  const written = Promise.withResolvers<void>()
  const { promise: over, resolve: go_on } = Promise.withResolvers<void>()
  const writing = context.apart(async ({ db }) => {
    await sql`INSERT INTO notes VALUES (${test_tenant}, ${body})`.execute(db)
    written.resolve()
    await over
  })
  await written.promise
  return { context, writing, go_on }
}

test('rows written apart stay where the operation fails later', async () => {
  const { context, writing, go_on } = await writeApart('intent')
  go_on()
  await writing
  await context.abandon(new Error('no'))
  assert.deepEqual(await notes(), ['intent'])
})

test('rows written apart are rolled back where the operation ends first, and their connection is free', async () => {
  const { context, writing, go_on } = await writeApart('late')
  const refused = assert.rejects(writing, /was rolled back/)
  await context.abandon(new Error('too late'))
  const { open: opened, idle } = test_store.store.connections().app
  go_on()
  await refused
  assert.deepEqual([opened - idle, (await notes()).includes('late')], [0, false])
})

test('an operation that waits for rows apart waits for the database', async () => {
  const lock = sql`SELECT pg_advisory_xact_lock(1)`
  const holder = test_store.store.transaction(test_tenant)
  await lock.execute(holder.db)
  const context = await open()
  const writing = context.apart(({ db }) => lock.execute(db))
  await eventually(() => assert.equal(context.waits_for_database, true))
  await holder.commit([])
  await writing
  assert.equal(context.waits_for_database, false)
})
