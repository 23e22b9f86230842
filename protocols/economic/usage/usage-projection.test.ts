import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { AuditLog } from '@svc/audit/audit-log'
import { asOwner, entryOf, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { grantHour, grantWeek } from '@svc/contract/money/budget-counter'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { spentOf } from './spend-store.ts'

let test_store: TestStore
let books: AuditLog[]
const projection_modules = [new URL('./usage-projection.ts', import.meta.url).href]
const did = entryOf('acme').caller_did

before(async () => {
  test_store = await openTestStore()
  const { url } = test_store.database
  books = await Promise.all(
    [1, 2].map(async () => openTestAuditLog(url, await newFolder(), { projection_modules })),
  )
})
after(async () => {
  await Promise.all(books.map((audit_log) => audit_log.close()))
  await test_store.close()
})

function usage(quanta: string, more: object = {}): AuditEntry['meta'] {
  return {
    usage: { bps: [0, 10_000, 0], ms: 1, quanta, rate: 0, tokens_in: 0, tokens_out: 0, uwh: 1, ...more },
    grant: 'svc.max.*',
    origin: 'http',
  }
}

async function record(audit_log: AuditLog, entries: readonly AuditEntry[]): Promise<void> {
  for (const entry of entries) {
    await audit_log.ready(entry.tenant_id)
    audit_log.record(entry)
  }
  await audit_log.flush()
}

function rowsOf<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asOwner(test_store.database.url, async (client) => (await client.query(text, values)).rows as Row[])
}

test('each success is metered once, as its record says; refusals and replays are not', async () => {
  const meta = { ...usage('180000000000000', { tokens_in: 3 }), envelope: 'e1' }
  const paid = entryOf('acme', { meta })
  await record(books[0]!, [
    paid,
    entryOf('acme', { meta: {} }),
    entryOf('acme', { meta: usage('7'), outcome: 'refused' }),
    entryOf('acme', { meta: usage('7'), event_type: 'AuthorizationCheck' }),
    entryOf('acme', { meta: { usage: { ms: 1, quanta: '5', tokens_in: 0, tokens_out: 0, uwh: 1 } } }),
    entryOf('acme', { meta: usage('-7') }),
    entryOf('acme', { meta: usage('7', { ms: 0.5 }) }),
  ])
  const rows = await rowsOf<Record<string, unknown>>(`SELECT * FROM meter_events WHERE tenant_id = 'acme'`)
  assert.deepEqual(rows, [
    {
      tenant_id: 'acme',
      at: new Date(paid.timestamp),
      seq: '1',
      event_id: paid.id,
      protocol: 'MAX',
      operation: 'audit_query',
      caller_did: did,
      grant_name: 'svc.max.*',
      origin: 'http',
      envelope_id: 'e1',
      tokens_in: '3',
      tokens_out: '0',
      ms: '1',
      uwh: '1',
      bps_tokens: 0,
      bps_seconds: 10_000,
      bps_watts: 0,
      rate: 0,
      quanta: '180000000000000',
      occurred_at: null,
      reconstructed: false,
    },
  ])
})

test('budget counters have the exact spending with several engines', async () => {
  const tenants = ['purse-a', 'purse-b', 'purse-c']
  const at = '2026-11-15T10:00:00.000Z'
  const entries = Array.from({ length: 120 }, (_, place) =>
    entryOf(tenants[place % 3]!, {
      timestamp: at,
      meta: { ...usage(String(place + 1)), ...(place % 2 ? { envelope: 'e' } : {}) },
    }),
  )
  await Promise.all(
    books.map((audit_log, half) =>
      record(
        audit_log,
        entries.filter((_, n) => n % 2 === half),
      ),
    ),
  )
  for (const [own, tenant_id] of tenants.entries()) {
    const mine = entries.filter((_, place) => place % 3 === own)
    const sum = (some: readonly AuditEntry[]) =>
      some.reduce((all, { meta }) => all + BigInt((meta.usage as { quanta: string }).quanta), 0n)
    const department = mine.filter(({ meta }) => meta.envelope)
    const spent = (budget_counter: string) =>
      test_store.as(tenant_id, async (db) => Object.values(await spentOf(db, tenant_id, budget_counter)))
    const caller = mine[0]!.caller_did
    assert.deepEqual(await spent('runway'), [sum(mine), 40n])
    assert.deepEqual(await spent('envelope/e/2026-11-15'), [sum(department), 20n])
    assert.deepEqual(await spent('envelope/e/2026-11'), [sum(department), 20n])
    assert.deepEqual(await spent(grantWeek(caller, 'svc.max.*', Date.parse(at))), [sum(mine), 40n])
    assert.deepEqual(await spent(grantHour(caller, 'svc.max.*', at)), [sum(mine), 40n])
    assert.deepEqual(await spent(grantHour(caller, 'svc.max.*', '2026-11-15T11')), [0n, 0n])
    assert.deepEqual(await spent(grantWeek(caller, 'svc.mars.*', Date.parse(at))), [0n, 0n])
    const foreign = await test_store.as('purse-x', (db) => spentOf(db, tenant_id, 'runway'))
    assert.deepEqual(foreign, { quanta: 0n, calls: 0n })
  }
})

test('reported usage counts at its own time; after its period is closed it is late', async () => {
  await rowsOf(`INSERT INTO billing (tenant_id, closed_until, kept_until)
    VALUES ('late', '2026-11-01T00:00:00Z', '2026-11-15T11:00:00Z')`)
  const reported = { event_id: randomUUID(), protocol: 'FORGE', operation: 'smelt' }
  const entry = (occurred_at: string, more: object = {}) =>
    entryOf('late', {
      event_type: 'UsageMetered',
      meta: { ...usage('9'), reported: { ...reported, occurred_at }, ...more },
    })
  await record(books[0]!, [
    entry('2026-10-03T01:00:00Z'),
    entry('2026-11-15T09:30:00Z'),
    entry('2026-11-15T11:30:00Z', { from_tenant: 'rival' }),
    entryOf('late', { timestamp: '2026-10-31T23:59:59.999Z', meta: usage('1') }),
  ])
  const rows = await rowsOf<{ at: Date; occurred_at: Date | null; protocol: string }>(
    `SELECT at, occurred_at, protocol FROM meter_events WHERE tenant_id = 'late' ORDER BY at, seq`,
  )
  assert.deepEqual(
    rows.map(({ at, occurred_at, protocol }) => [at.toISOString(), occurred_at?.toISOString(), protocol]),
    [
      ['2026-11-01T00:00:00.000Z', '2026-10-03T01:00:00.000Z', 'FORGE'],
      ['2026-11-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z', 'MAX'],
      ['2026-11-15T09:30:00.000Z', undefined, 'FORGE'],
    ],
  )
  const stale = await rowsOf<{ hour: Date; root: null }>(
    `SELECT hour, root FROM meter_hours WHERE tenant_id = 'late' ORDER BY hour`,
  )
  assert.deepEqual(
    stale.map(({ hour, root }) => [hour.toISOString(), root]),
    [
      ['2026-11-01T00:00:00.000Z', null],
      ['2026-11-15T09:00:00.000Z', null],
    ],
  )
})

test('metered rows cannot be changed or removed, nor added by the application', async () => {
  for (const text of [`UPDATE meter_events SET quanta = 0`, `DELETE FROM meter_events`])
    await assert.rejects(rowsOf(text), /takes new rows only/)
  const forge = `INSERT INTO meter_events SELECT m.* FROM meter_events m WHERE tenant_id = 'acme'`
  await assert.rejects(
    asOwner(test_store.database.url, async (client) => {
      await client.query(`BEGIN; SET LOCAL ROLE svc_app; SET LOCAL svc.tenant_id = 'acme'`)
      await client.query(forge)
    }),
    /row-level security/,
  )
})
