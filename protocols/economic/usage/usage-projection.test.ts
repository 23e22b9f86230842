import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { AuditLog } from '@svc/audit/audit-log'
import { asOwner, entryOf, exportLines } from '@svc/audit/test-audit-log'
import type { AuditEntry, AuditRecord } from '@svc/contract/audit/audit-record'
import { grantHour, grantWeek } from '@svc/contract/money/budget-counter'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { spentOf } from './spend-store.ts'
import { openUsageLog, record, usageMeta } from './test-usage.ts'
import { eventsOf } from './usage-store.ts'

let test_store: TestStore
let books: AuditLog[]
const did = entryOf('acme').caller_did

before(async () => {
  test_store = await openTestStore()
  books = await Promise.all([1, 2].map(() => openUsageLog(test_store.database.url)))
})
after(async () => {
  await Promise.all(books.map((audit_log) => audit_log.close()))
  await test_store.close()
})

function rowsOf<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asOwner(test_store.database.url, async (client) => (await client.query(text, values)).rows as Row[])
}

test('each success is metered once, as its record says; refusals and replays are not', async () => {
  const meta = { ...usageMeta('180000000000000', { tokens_in: 3 }), envelope: 'e1' }
  const paid = entryOf('acme', { meta })
  await record(books[0]!, [
    paid,
    entryOf('acme', { meta: {} }),
    entryOf('acme', { meta: usageMeta('7'), outcome: 'refused' }),
    entryOf('acme', { meta: usageMeta('7'), event_type: 'AuthorizationCheck' }),
    entryOf('acme', { meta: { usage: { ms: 1, quanta: '5', tokens_in: 0, tokens_out: 0, uwh: 1 } } }),
    entryOf('acme', { meta: usageMeta('-7') }),
    entryOf('acme', { meta: usageMeta('7', { ms: 0.5 }) }),
  ])
  const again = entryOf('acme', {
    timestamp: '2026-11-15T10:59:59.999Z',
    meta: { ...usageMeta('20', { tokens_out: 4, ms: 5 }), envelope: 'e1' },
  })
  await record(books[0]!, [again])
  const rows = await rowsOf<Record<string, unknown>>(
    `SELECT s.*, n.* FROM meter_sums s JOIN meter_names n USING (name_id) WHERE s.tenant_id = 'acme'`,
  )
  assert.equal(rows.length, 1)
  const { name_id: _, ...row } = rows[0]!
  assert.deepEqual(row, {
    tenant_id: 'acme',
    hour: new Date('2026-11-15T10:00:00Z'),
    repair: 0,
    calls: '2',
    tokens: '7',
    ms: '6',
    uwh: '2',
    quanta: '180000000000020',
    protocol: 'MAX',
    operation: 'audit_query',
    caller_did: did,
    grant_name: 'svc.max.*',
    origin: 'http',
    envelope_id: 'e1',
    rate: 0,
  })
})

test('an event is read from its record', async () => {
  const [paid] = await storedIn('acme')
  assert.deepEqual(
    (await eventsIn('acme', '2026-11-15T10:00:00Z', '2026-11-15T10:00:00.001Z')).map(({ event }) => event),
    [
      {
        tenant_id: 'acme',
        seq: 1,
        event_id: paid!.id,
        at_ms: Date.parse(paid!.timestamp),
        recorded_ms: Date.parse(paid!.timestamp),
        protocol: 'MAX',
        operation: 'audit_query',
        caller_did: did,
        grant_name: 'svc.max.*',
        origin: 'http',
        envelope_id: 'e1',
        treaty_root: '',
        grant_chain: [],
        tokens_in: 3,
        tokens_out: 0,
        ms: 1,
        uwh: 1,
        bps: [0, 10_000, 0],
        rate: 0,
        quanta: 180000000000000n,
      },
    ],
  )
})

async function storedIn(tenant_id: string): Promise<AuditRecord[]> {
  return (await exportLines(test_store.database.url, tenant_id)).flatMap(
    (line) => JSON.parse(line).record ?? [],
  )
}

function eventsIn(tenant_id: string, from: string, to: string) {
  const span = { from_ms: Date.parse(from), to_ms: Date.parse(to) }
  return test_store.as(tenant_id, async (db) => (await Array.fromAsync(eventsOf(db, tenant_id)(span))).flat())
}

test('budget counters have the exact spending with several engines', async () => {
  const tenants = ['spender-a', 'spender-b', 'spender-c']
  const at = '2026-11-15T10:00:00.000Z'
  const entries = Array.from({ length: 120 }, (_, place) =>
    entryOf(tenants[place % 3]!, {
      timestamp: at,
      meta: { ...usageMeta(String(place + 1)), ...(place % 2 ? { envelope: 'e' } : {}) },
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
    const foreign = await test_store.as('spender-x', (db) => spentOf(db, tenant_id, 'runway'))
    assert.deepEqual(foreign, { quanta: 0n, calls: 0n })
  }
})

test('what was used by delegation counts at every holder of its chain, beside their own use', async () => {
  const [tenant_id, at, token] = ['chained', '2026-11-15T10:00:00.000Z', `sha256:${'1'.repeat(64)}`]
  const delegated = (quanta: string, grant_chain: unknown) =>
    entryOf(tenant_id, { timestamp: at, meta: { ...usageMeta(quanta), grant_chain } })
  const own = entryOf(tenant_id, { timestamp: at, meta: usageMeta('5') })
  const chain = [`${token}/svc.max.read`, `${own.caller_did}/svc.max.*`]
  await record(books[0]!, [
    { ...own, caller_did: own.caller_did },
    { ...delegated('7', chain), caller_did: 'did:oas:chained:agent:first' },
    { ...delegated('9', chain.slice(1)), caller_did: 'did:oas:chained:agent:another' },
    { ...delegated('1', 'no list'), caller_did: 'did:oas:chained:agent:another' },
  ])
  const spent = (budget_counter: string) =>
    test_store.as(tenant_id, async (db) => Object.values(await spentOf(db, tenant_id, budget_counter)))
  for (const counter of [
    grantHour(token, 'svc.max.read', at),
    grantWeek(token, 'svc.max.read', Date.parse(at)),
  ])
    assert.deepEqual(await spent(counter), [7n, 1n])
  for (const [hour_from, sums] of [
    [at, [21n, 3n]],
    ['2026-11-15T11', [0n, 0n]],
  ] as const)
    assert.deepEqual(await spent(grantHour(own.caller_did, 'svc.max.*', hour_from)), sums)
  assert.deepEqual(await spent(grantWeek(own.caller_did, 'svc.max.*', Date.parse(at))), [21n, 3n])
})

const iso = (ms: number) => new Date(ms).toISOString()

test('reported usage counts at its own time; after its period is closed it is late', async () => {
  await rowsOf(`INSERT INTO billing (tenant_id, closed_until, kept_until)
    VALUES ('late', '2026-11-01T00:00:00Z', '2026-11-15T11:00:00Z')`)
  const reported = { event_id: randomUUID(), protocol: 'FORGE', operation: 'smelt' }
  const entry = (occurred_at: string, more: object = {}) =>
    entryOf('late', {
      event_type: 'UsageMetered',
      meta: { ...usageMeta('9'), reported: { ...reported, occurred_at }, ...more },
    })
  await record(books[0]!, [
    entry('2026-10-03T01:00:00Z'),
    entry('2026-11-15T09:30:00Z'),
    entry('2026-11-15T11:30:00Z', { from_tenant: 'rival' }),
    entryOf('late', { timestamp: '2026-10-31T23:59:59.999Z', meta: usageMeta('1') }),
  ])
  const events = await eventsIn('late', '2026-11-01T00:00:00Z', '2026-11-15T11:00:00Z')
  assert.deepEqual(
    events.map(({ event, counted_ms }) => [iso(counted_ms), iso(event.at_ms), event.protocol]).sort(),
    [
      ['2026-11-01T00:00:00.000Z', '2026-10-03T01:00:00.000Z', 'FORGE'],
      ['2026-11-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z', 'MAX'],
      ['2026-11-15T09:30:00.000Z', '2026-11-15T09:30:00.000Z', 'FORGE'],
    ],
  )
  assert.deepEqual(await eventsIn('late', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'), [])
  assert.deepEqual(await eventsIn('late', '2026-11-01T00:00:00.001Z', '2026-11-15T09:30:00Z'), [])
  assert.deepEqual(
    await rowsOf(
      `SELECT hour, sum(calls) AS calls FROM meter_sums WHERE tenant_id = 'late' GROUP BY 1 ORDER BY 1`,
    ),
    [
      { hour: new Date('2026-11-01T00:00:00Z'), calls: '2' },
      { hour: new Date('2026-11-15T09:00:00Z'), calls: '1' },
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

test('the application adds repairs only, and changes nothing', async () => {
  for (const table of ['meter_names', 'meter_moved'])
    await assert.rejects(rowsOf(`DELETE FROM ${table}`), /takes new rows only/)
  const asApplication = (text: string) =>
    asOwner(test_store.database.url, async (client) => {
      await client.query(`BEGIN; SET LOCAL ROLE svc_app; SET LOCAL svc.tenant_id = 'acme'`)
      await client.query(text)
    })
  const insert = (repair: number, quanta: number) => `
    INSERT INTO meter_sums SELECT tenant_id, hour, name_id, ${repair}, 1, 0, 0, 0, ${quanta} FROM meter_sums`
  await assert.rejects(asApplication(insert(0, 1)), /row-level security/)
  await assert.rejects(asApplication(insert(1, -1)), /violates check constraint/)
  await asApplication(insert(1, 1))
  for (const text of ['UPDATE meter_sums SET quanta = 0', 'DELETE FROM meter_sums'])
    await assert.rejects(asApplication(text), /permission denied/)
})
