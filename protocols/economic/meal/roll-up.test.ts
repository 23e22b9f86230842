import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nameOperator } from '@svc/adapters/access/operator-tenant'
import { ensureTenant } from '@svc/adapters/access/tenants'
import type { AuditLog } from '@svc/audit/audit-log'
import { quanta_per_micro_usd, usd_asset } from '@svc/contract/money/money'
import { sql } from '@svc/database/sql'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { balanceOf, ensureUsd, payIntoRunway } from '../ledger/store.ts'
import { spentOf } from '../usage/spend-store.ts'
import { openUsageLog, use } from '../usage/test-usage.ts'
import { billingOf } from './billing-store.ts'
import { bookable, rollUp } from './roll-up.ts'
import { statementOf } from './statement.ts'
import { readUsage } from './statement-store.ts'

let store: TestStore
let audit_log: AuditLog
const operator_tenant_id = 'operator'
const day = { from_ms: Date.parse('2026-11-15T00:00:00Z'), to_ms: Date.parse('2026-11-16T00:00:00Z') }

before(async () => {
  store = await openTestStore()
  const { engine } = store.store
  await ensureTenant(engine, operator_tenant_id, 'Operator', 'sovereign')
  await nameOperator(engine, operator_tenant_id)
  await ensureUsd(engine, operator_tenant_id)
  audit_log = await openUsageLog(store.database.url)
})
after(async () => {
  await audit_log.close()
  await store.close()
})

/** Calls `step_ms` apart, with quanta growing by one. */
async function meter(tenant_id: string, from: string, events: number, step_ms: number, quanta: bigint) {
  const calls = Array.from({ length: events }, (_, place) => ({
    at: new Date(Date.parse(from) + place * step_ms).toISOString(),
    quanta: quanta + BigInt(place + 1),
    ms: place + 1,
    tokens_in: place + 1,
    entry: { protocol: ['MAX', 'MARS', 'MARC'][place % 3]!, caller_did: `did:${place % 2}` },
  }))
  await use(audit_log, tenant_id, calls)
}

function pay(tenant_id: string, micro_usd: bigint): Promise<string> {
  const at = '2026-11-15T00:00:00Z'
  const correlation_id = crypto.randomUUID()
  return payIntoRunway(store.store.engine, {
    tenant_id,
    operator_tenant_id,
    micro_usd,
    kind: 'grant',
    ref: 'test',
    correlation_id,
    at,
  })
}

async function position(tenant_id: string) {
  const { engine } = store.store
  const { quanta } = await spentOf(engine, tenant_id, 'runway')
  const { rolled_micro_usd } = await billingOf(engine, tenant_id)
  const runway = await balanceOf(engine, { tenant_id, asset_id: usd_asset, type: 'runway' })
  return { runway, rolled: rolled_micro_usd, carry: quanta - rolled_micro_usd * quanta_per_micro_usd }
}

test('only whole micro-USD are booked, and never more than the balance', () => {
  const one = quanta_per_micro_usd
  assert.equal(bookable(5n * one + 9n, 2n, 100n), 3n)
  assert.equal(bookable(5n * one - 1n, 0n, 100n), 4n)
  assert.equal(bookable(5n * one, 0n, 2n), 2n)
  assert.equal(bookable(5n * one, 5n, 2n), 0n)
  assert.equal(bookable(one, 0n, 0n), 0n)
})

test('journals plus carry equal usage, through shortage and refill, with several engines', async () => {
  const { engine } = store.store
  const now = new Date('2026-11-15T05:30:00Z')
  await meter('saver', '2026-11-15T01:00:00Z', 10, 60_000, quanta_per_micro_usd / 2n)
  await pay('saver', 3n)
  await Promise.all([1, 2, 3].map(() => rollUp(engine, operator_tenant_id, testTick(now))))
  const used = 5n * quanta_per_micro_usd + 55n
  assert.deepEqual(await position('saver'), {
    runway: 0n,
    rolled: 3n,
    carry: used - 3n * quanta_per_micro_usd,
  })
  assert.equal(await rollUp(engine, operator_tenant_id, testTick(now)), 0)
  await pay('saver', 10n)
  assert.equal(await rollUp(engine, operator_tenant_id, testTick(now)), 1)
  assert.deepEqual(await position('saver'), { runway: 8n, rolled: 5n, carry: 55n })
  const revenue = { tenant_id: operator_tenant_id, asset_id: usd_asset, type: 'revenue' } as const
  assert.equal(await balanceOf(engine, revenue), 5n)
})

test('a statement is the same with stored hours, stale hours, or single events', async () => {
  const { engine } = store.store
  const read = async (period = day, whole = false) =>
    statementOf(await store.as('kept', (db) => readUsage(db, 'kept', period, { whole })))
  await meter('kept', '2026-11-15T00:10:00Z', 300, 120_000, 10n ** 12n)
  const fresh = await read()
  assert.equal(fresh.event_count, 300n)
  await rollUp(engine, operator_tenant_id, testTick('2026-11-15T08:10:00Z'))
  const countEntries = async () =>
    sql<{
      n: string
    }>`SELECT count(*) AS n FROM meter_hours WHERE tenant_id = 'kept' AND root IS NOT NULL`.execute(engine)
  assert.equal((await countEntries()).rows[0]?.n, '8')
  assert.deepEqual(await read(), fresh)
  await Promise.all([1, 2].map(() => rollUp(engine, operator_tenant_id, testTick('2026-11-15T23:10:00Z'))))
  assert.deepEqual(await read(), fresh)
  const part = { from_ms: day.from_ms + 5_400_000, to_ms: day.to_ms - 16 * 3_600_000 + 1 }
  assert.deepEqual(await read(part), await read(part, true))
  await meter('kept', '2026-11-15T03:59:59.999Z', 1, 1000, 7n)
  const late = await read()
  assert.equal(late.event_count, 301n)
  assert.deepEqual(await read(day, true), late)
  await Promise.all([1, 2].map(() => rollUp(engine, operator_tenant_id, testTick('2026-11-15T23:20:00Z'))))
  assert.deepEqual(await read(), late)
  assert.deepEqual(await read(day, true), late)
})

test('a period is the sum of its parts', async () => {
  const parts = [day.from_ms, day.from_ms + 7_777_777, day.from_ms + 30_000_001, day.to_ms]
  const quanta = async (from_ms: number, to_ms: number) =>
    statementOf(await store.as('kept', (db) => readUsage(db, 'kept', { from_ms, to_ms }))).totals.quanta
  let sum = 0n
  for (const [place, from] of parts.slice(0, -1).entries()) sum += await quanta(from, parts[place + 1]!)
  assert.equal(await quanta(day.from_ms, day.to_ms), sum)
})

test('the operator reads the sums of all tenants, another tenant none', async () => {
  const count = (tenant_id: string) =>
    store.as(tenant_id, async (db) => statementOf(await readUsage(db, 'kept', day)).event_count)
  assert.deepEqual([await count('operator'), await count('rival')], [301n, 0n])
})

test('a tenant cannot write its own prices, credit or invoices, even with a faulty handler', async () => {
  const invoice = (tenant_id: string) => sql`
    INSERT INTO invoices VALUES (${tenant_id}, '2026-01-01', '2026-02-01', 'SETTLED', 0, 0, 0, 0, 'x', 'x', 0, now(), now())`
  const rate = (tenant_id: string) => sql`
    INSERT INTO rates VALUES (${tenant_id}, 1, now(), 0, 0, 0, 'x', 'x', now())`
  const line = (tenant_id: string) => sql`
    INSERT INTO billing (tenant_id, credit_line_micro_usd) VALUES (${tenant_id}, 1)`
  const hour = (tenant_id: string) => sql`
    INSERT INTO meter_hours VALUES (${tenant_id}, '2026-01-01', 1, decode(repeat('00', 32), 'hex'))`
  const spent = (tenant_id: string) => sql`INSERT INTO spend VALUES (${tenant_id}, 'x', 1, 1, 1)`
  const refused = /row-level security/
  for (const tenant_id of ['tempted', 'rival'])
    for (const write of [invoice, rate, line, hour])
      await assert.rejects(
        store.as('tempted', (db) => write(tenant_id).execute(db)),
        refused,
      )
  await assert.rejects(
    store.as('tempted', (db) => spent('rival').execute(db)),
    refused,
  )
  for (const write of [invoice, rate, line]) await store.as('operator', (db) => write('tempted').execute(db))
  await store.as('tempted', async (db) => {
    for (const table of ['invoices', 'rates', 'billing'])
      assert.equal((await sql`SELECT tenant_id FROM ${sql.table(table)}`.all(db)).length, 1, table)
    const { numAffectedRows } = await sql`UPDATE billing SET credit_line_micro_usd = 9`.execute(db)
    assert.equal(numAffectedRows, 0n)
  })
})
