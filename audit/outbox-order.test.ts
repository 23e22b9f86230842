import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type AuditEntry, entryText } from '@svc/contract/audit/audit-record'
import { type TestDatabase, testDatabase } from '../checks/rehearsal/test-database.ts'
import type { PendingEntry } from './chain/chain.ts'
import { asOwner, entryOf, newFolder, openTestAuditLog, recordIds } from './test-audit-log.ts'
import { mergeEvents } from './writer/merge-events.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

test('a batch keeps the order in which calls and their events happened', () => {
  const at = (second: number) => ({ timestamp: `2026-11-19T10:00:0${second}.000Z` })
  const pendingOf = (name: string, more: Partial<AuditEntry>) => {
    const entry = { ...entryOf('merged', more), meta: { name } }
    return { entry, text: entryText(entry) }
  }
  const request = { ...at(1), correlation_id: randomUUID() }
  const records = [
    pendingOf('begins', { ...at(0), operation: 'begin_call' }),
    pendingOf('ends', { ...request, operation: 'end_call' }),
    pendingOf('again', { ...at(1), operation: 'end_call' }),
    pendingOf('late', { ...at(3), operation: 'begin_call' }),
  ]
  const events = [
    pendingOf('of again', {
      ...at(1),
      correlation_id: records[2]!.entry.correlation_id,
      operation: 'end_call',
    }),
    pendingOf('of ends', { ...request, operation: 'end_call' }),
    pendingOf('second of ends', { ...request, operation: 'end_call' }),
    pendingOf('beside calls', { ...at(2), operation: undefined }),
    pendingOf('about another request', { ...at(3), operation: 'begin_call' }),
    pendingOf('of a call that goes on', { ...at(5), operation: 'end_call' }),
  ]
  assert.deepEqual(
    mergeEvents(events, records).map(({ entry }) => entry.meta.name),
    [
      'begins',
      'of ends',
      'second of ends',
      'ends',
      'of again',
      'again',
      'beside calls',
      'about another request',
      'late',
      'of a call that goes on',
    ],
  )
})

test('events of one moment keep their order, and stand before the record of their request whatever operation they name', () => {
  const pendingOf = (name: string, more: Partial<AuditEntry>) => {
    const entry = { ...entryOf('merged', more), timestamp: '2026-11-19T10:00:00.000Z', meta: { name } }
    return { entry, text: entryText(entry) }
  }
  const waits = { correlation_id: randomUUID(), protocol: 'PAY', operation: 'send' }
  const decides = { correlation_id: randomUUID(), protocol: 'MAXIM', operation: 'approval_decide' }
  const request_event = pendingOf('ApprovalRequested', { ...waits, protocol: 'MAXIM', operation: undefined })
  const decision_event = pendingOf('ApprovalGiven', decides)
  const [waiting, deciding] = [pendingOf('send', waits), pendingOf('approval_decide', decides)]
  const merged = (records: readonly PendingEntry[]) =>
    mergeEvents([request_event, decision_event], records).map(({ entry }) => entry.meta.name)
  assert.deepEqual(merged([waiting, deciding]), [
    'ApprovalRequested',
    'send',
    'ApprovalGiven',
    'approval_decide',
  ])
  // The first call's record was written with the batch before.
  assert.deepEqual(merged([deciding]), ['ApprovalRequested', 'ApprovalGiven', 'approval_decide'])
})

test('events of an operation directly precede its record also where the batch was being gathered already', async (t) => {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  t.after(() => audit_log.close())
  const tenant_id = 'gathered'
  const expected: string[] = []
  for (let turn = 0; turn < 10; turn++) {
    // The writer begins to gather, and the operation ends meanwhile.
    const first = entryOf(tenant_id)
    const invocation = entryOf(tenant_id)
    const { correlation_id } = invocation
    const event = entryOf(tenant_id, { event_type: 'TreatySigned', correlation_id })
    audit_log.record(first)
    await audit_log.written()
    await asOwner(database.url, (client) =>
      client.query('INSERT INTO audit_outbox (tenant_id, entry) VALUES ($1, $2)', [
        tenant_id,
        entryText(event),
      ]),
    )
    audit_log.outboxChanged()
    audit_log.record(invocation)
    await audit_log.flush()
    expected.push(first.id, event.id, invocation.id)
  }
  assert.deepEqual(await recordIds(database.url, tenant_id), expected)
  await audit_log.close()
})
