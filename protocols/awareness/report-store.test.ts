import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/operation-context'
import { type TestDatabase, testDatabase } from '../../checks/test-database.ts'
import { keepReport, type Report, treeSizeOfReport } from './report-store.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const report: Report = {
  report_id: `sha256:${'a'.repeat(64)}`,
  tree_size: 12,
  attestation: 'header.payload.signature',
  issued_at: '2026-11-15T10:00:00.000Z',
}
let database: TestDatabase
let store: PostgresStore

before(async () => {
  database = await testDatabase()
  store = await openStore({ url: database.url, log })
})
after(async () => {
  await store.close()
  await database.close()
})

async function as<Result>(tenant_id: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  const transaction = store.transaction(tenant_id)
  try {
    const result = await work(transaction.db)
    await transaction.commit([])
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

test('a kept report is found again by its id, and no other is', async () => {
  await as('acme', (db) => keepReport(db, 'acme', report))
  assert.equal(await as('acme', (db) => treeSizeOfReport(db, 'acme', report.report_id)), 12)
  assert.equal(await as('acme', (db) => treeSizeOfReport(db, 'acme', `sha256:${'b'.repeat(64)}`)), undefined)
})

test('the same report twice is one report, and the first stands', async () => {
  await as('twice', (db) => keepReport(db, 'twice', report))
  await as('twice', (db) => keepReport(db, 'twice', { ...report, tree_size: 99 }))
  assert.equal(await as('twice', (db) => treeSizeOfReport(db, 'twice', report.report_id)), 12)
})

test("another tenant's report is neither seen nor written", async () => {
  await as('owner', (db) => keepReport(db, 'owner', report))
  assert.equal(await as('stranger', (db) => treeSizeOfReport(db, 'owner', report.report_id)), undefined)
  await assert.rejects(
    as('stranger', (db) => keepReport(db, 'victim', report)),
    /row-level security/,
  )
})
