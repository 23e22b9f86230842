import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LineageStatement } from '@svc/contract/identity/lineage'
import { Client } from 'pg'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { keepLineage, lineageOf } from './lineage-store.ts'

let opened: TestStore
before(async () => {
  opened = await openTestStore()
})
after(() => opened.close())

const as: TestStore['as'] = (tenant_id, work) => opened.as(tenant_id, work)

function statementOf(child_did: string, parent_did: string): LineageStatement {
  return {
    child_did,
    child_public_key: 'A'.repeat(43),
    parent_did,
    parent_public_key: 'B'.repeat(43),
    entity_kind: 'Agent',
    label: 'one',
    index: 0,
    created_at: '2026-11-15T10:00:00.000Z',
    signature: 'C'.repeat(86),
  }
}

const didOf = (letter: string) => `did:oas:acme:agent:${letter.repeat(64)}`
const [a, b, c] = [didOf('a'), didOf('b'), didOf('c')]

test('a proven chain is found only by its subject, in order, and the newest counts', async () => {
  const chain = [statementOf(a, b), statementOf(b, c)]
  await as('acme', (db) => keepLineage(db, 'acme', chain))
  assert.deepEqual(await as('acme', (db) => lineageOf(db, a)), chain)
  assert.deepEqual(await as('acme', (db) => lineageOf(db, b)), [], 'a child says nothing of its parent')
  await as('acme', (db) => keepLineage(db, 'acme', [statementOf(a, c)]))
  assert.deepEqual(await as('acme', (db) => lineageOf(db, a)), [statementOf(a, c)])
})

test('an empty chain is not stored', async () => {
  await as('empty', (db) => keepLineage(db, 'empty', []))
  assert.deepEqual(await as('empty', (db) => lineageOf(db, a)), [])
})

test("another tenant's rows are neither seen nor written, and the engine sees all", async () => {
  const [mine, own] = [didOf('d'), [statementOf(didOf('d'), c)]]
  await as('owner', (db) => keepLineage(db, 'owner', own))
  assert.deepEqual(await as('stranger', (db) => lineageOf(db, mine)), [])
  assert.deepEqual(await lineageOf(opened.store.engine, mine), own)
  await assert.rejects(
    as('stranger', (db) => keepLineage(db, 'owner', own)),
    /row-level security/,
  )
})

test('replicas are notified of changes only', async () => {
  const listener = new Client({ connectionString: opened.database.url })
  await listener.connect()
  const messages: string[] = []
  listener.on('notification', ({ payload = '' }) => messages.push(payload))
  await listener.query('LISTEN svc_changed')
  const chain = [statementOf(didOf('e'), c)]
  for (let time = 0; time < 3; time++) await as('told', (db) => keepLineage(db, 'told', chain))
  await listener.query('SELECT 1')
  await listener.end()
  assert.deepEqual(messages, [`identity:${didOf('e')}`])
})
