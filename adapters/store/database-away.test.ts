// The store while its database refuses, is silent or disconnects: what was not done, and what may be.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Refusal } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import { sql } from '@svc/database/sql'
import { type FaultProxy, startFaultProxy } from '../../checks/neighbours/fault-proxy.ts'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { openStore, type PostgresStore } from './postgres.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const entries: AuditEntry[] = []

let database: TestDatabase
let proxy: FaultProxy
let store: PostgresStore

before(async () => {
  database = await testDatabase()
  const url = new URL(database.url)
  proxy = await startFaultProxy(Number(url.port), url.hostname)
  url.host = `127.0.0.1:${proxy.port}`
  store = await openStore({ url: url.href, log: quiet, onOutbox: (events) => entries.push(...events) })
})
after(async () => {
  proxy.set({})
  await store?.close()
  await proxy?.close()
  await database?.close()
})

const event: AuditEntry = {
  id: crypto.randomUUID(),
  event_type: 'PolicyAuthored',
  correlation_id: crypto.randomUUID(),
  timestamp: '2026-11-15T00:00:00Z',
  tenant_id: 'acme',
  caller_did: 'did:oas:acme:agent:x',
  outcome: 'success',
  latency_ms: 1,
  meta: {},
}

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  return asRefusal(
    await work.then(
      () => assert.fail('it worked'),
      (thrown: unknown) => thrown,
    ),
  )
}

function gist({ code, details }: Refusal) {
  return [code, details.unavailable, details.outcome]
}

test('nothing was done if there was no connection, or it broke before the commit', async () => {
  const begun = store.transaction('acme')
  await sql`SELECT 1`.execute(begun.db)
  proxy.set({ refusing: true })
  proxy.cut('reset')
  const expected = ['unavailable', 'database', undefined]
  assert.deepEqual(gist(await refusalOf(sql`SELECT 1`.execute(begun.db))), expected)
  assert.deepEqual(gist(await refusalOf(begun.commit([event]))), expected)
  assert.deepEqual(gist(await refusalOf(store.transaction('acme').commit([event]))), expected)
  assert.deepEqual(gist(await refusalOf(sql`SELECT 1`.execute(store.engine))), expected)
  assert.deepEqual(entries, [])
  proxy.set({})
})

test('an unconfirmed commit may have succeeded, so caches of the previous state are notified', async () => {
  const transaction = store.transaction('acme')
  await sql`SELECT 1`.execute(transaction.db)
  proxy.set({ silent: true })
  const committing = refusalOf(transaction.commit([event]))
  await new Promise(setImmediate)
  proxy.cut('reset')
  assert.deepEqual(gist(await committing), ['unavailable', 'database', 'unknown'])
  assert.deepEqual(entries, [event])
  proxy.set({})
})

test('an operation that meets a demoted server is refused as unavailable, and the next one has another connection', async () => {
  const one = await openStore({ url: database.url, app_pool_max: 1, log: quiet })
  try {
    const first = one.transaction('acme')
    await sql`SELECT set_config('default_transaction_read_only', 'on', false)`.execute(first.db)
    await first.commit([])
    assert.deepEqual(gist(await refusalOf(one.transaction('acme').commit([event]))), [
      'unavailable',
      'database',
      undefined,
    ])
    await one.transaction('acme').commit([event])
  } finally {
    await one.close()
  }
})
