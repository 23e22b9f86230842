import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { keepReport, type Report, treeSizeOfReport } from './report-store.ts'

const report: Report = {
  report_id: `sha256:${'a'.repeat(64)}`,
  tree_size: 12,
  attestation: 'header.payload.signature',
  issued_at: '2026-11-15T10:00:00.000Z',
}
let opened: TestStore
before(async () => {
  opened = await openTestStore()
})
after(() => opened.close())

const as: TestStore['as'] = (tenant_id, work) => opened.as(tenant_id, work)

test('a stored report is found by its id, and no other is', async () => {
  await as('acme', (db) => keepReport(db, 'acme', report))
  assert.equal(await as('acme', (db) => treeSizeOfReport(db, 'acme', report.report_id)), 12)
  assert.equal(await as('acme', (db) => treeSizeOfReport(db, 'acme', `sha256:${'b'.repeat(64)}`)), undefined)
})

test('storing the same report twice keeps the first', async () => {
  await as('twice', (db) => keepReport(db, 'twice', report))
  await as('twice', (db) => keepReport(db, 'twice', { ...report, tree_size: 99 }))
  assert.equal(await as('twice', (db) => treeSizeOfReport(db, 'twice', report.report_id)), 12)
})

test('the report of another tenant can be neither read nor written', async () => {
  await as('owner', (db) => keepReport(db, 'owner', report))
  assert.equal(await as('stranger', (db) => treeSizeOfReport(db, 'owner', report.report_id)), undefined)
  await assert.rejects(
    as('stranger', (db) => keepReport(db, 'victim', report)),
    /row-level security/,
  )
})
