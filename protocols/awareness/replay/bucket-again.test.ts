// Which recorded calls took from the bucket of a refused call.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { AuditLog } from '@svc/audit/audit-log'
import { findRecords } from '@svc/audit/query/records'
import { entryOf, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import { callsBefore } from './bucket-again.ts'

const tenant_id = 'crowded'
const bucket = { capacity: 2, refill_per_s: 1 }
let database: TestDatabase
let store: PostgresStore
let audit_log: AuditLog
let folder: string

before(async () => {
  database = await testDatabase()
  folder = await newFolder()
  store = await storeAt(database.url)
  audit_log = await openTestAuditLog(database.url, folder)
})
after(async () => {
  await audit_log.close()
  await store.close()
  await database.close()
  await rm(dirname(folder), { recursive: true })
})

test('calls after a refusal do not hide those that emptied its bucket', async () => {
  const at = (second: number): Partial<AuditEntry> => ({
    protocol: 'TRY',
    timestamp: new Date(Date.parse('2026-11-15T08:00:00Z') + second * 1000).toISOString(),
  })
  const limited = { code: 'rate_limited', reason: 'bucket empty', stage: 3 }
  const entries: Partial<AuditEntry>[] = [
    at(0),
    at(1),
    { ...at(1), event_type: 'Error', outcome: 'refused', meta: limited },
    ...Array.from({ length: 600 }, (_, later) => at(10 + later)),
  ]
  await audit_log.ready(tenant_id)
  for (const entry of entries) audit_log.record(entryOf(tenant_id, { operation: 'run', ...entry }))
  await audit_log.flush()
  const transaction = store.transaction(tenant_id)
  const { db } = transaction
  const [refusal] = await findRecords(db, tenant_id, { after_seq: 2, limit: 1 })
  const context = {
    db,
    tenant_id,
    served: { bucketOf: () => bucket },
  } as unknown as OperationContext<'served'>
  const before_it = await callsBefore(refusal!, context)
  await transaction.rollback()
  assert.deepEqual(
    before_it?.calls.map(({ seq }) => seq),
    [1, 2],
  )
})
