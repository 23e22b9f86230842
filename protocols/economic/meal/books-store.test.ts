import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ensureTenant } from '@svc/adapters/access/tenants'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { ensureUsd, payIntoRunway } from '../ledger/store.ts'
import { addVersion, type EnvelopeVersion, replaceThrottles } from '../mana/envelope-store.ts'
import { insertHold, releaseHolds } from '../mana/hold-store.ts'
import { readBooks } from './books-store.ts'
import { countLowRunways, noteRunway } from './runway-store.ts'

const at = '2026-11-15T10:00:00.000Z'
const ids = ['1', '2', '3'].map((digit) => `5f0c1d6e-8a52-4b8f-9d5e-00000000000${digit}`) as [
  string,
  string,
  string,
]
let opened: TestStore
let engine: Database

before(async () => {
  opened = await openTestStore()
  engine = opened.store.engine
  for (const tenant of ['operator', 'acme']) await ensureTenant(engine, tenant, tenant, 'charter')
  await ensureUsd(engine, 'operator')
})
after(() => opened.close())

const pay = (micro_usd: bigint) =>
  payIntoRunway(engine, {
    tenant_id: 'acme',
    operator_tenant_id: 'operator',
    micro_usd,
    kind: 'test',
    ref: 'test',
    correlation_id: ids[0],
    at,
  })

function version(
  envelope_id: string,
  department: string,
  more: Partial<EnvelopeVersion> = {},
): EnvelopeVersion {
  return {
    envelope_id,
    version: 1,
    department,
    state: 'ACTIVE',
    day_limit_micro_usd: 1n,
    month_limit_micro_usd: 2n,
    granted: ['svc.mars.*'],
    members: ['did:a', 'did:b'],
    authority: 'mace://verdict/x',
    allocated_by: 'did:c',
    created_at: new Date(at),
    effective_at: new Date(at),
    ...more,
  }
}

test('books contain the newest active versions, the rules in force, and unreleased holds', async () => {
  assert.deepEqual(await readBooks(engine, 'acme'), {
    rates: [],
    paid_in_micro_usd: 0n,
    credit_line_micro_usd: null,
    level: 'ample',
    envelopes: [],
    holds: [],
  })
  const [first, second, third] = ids
  const later = { created_at: new Date(Date.parse(at) - 1) }
  await opened.as('acme', async (db) => {
    await addVersion(db, 'acme', version(first, 'research'))
    await addVersion(
      db,
      'acme',
      version(first, 'research', { version: 2, members: ['did:b'], day_limit_micro_usd: 2n }),
    )
    await addVersion(db, 'acme', version(second, 'sales', later))
    await addVersion(db, 'acme', version(third, 'old'))
    await addVersion(db, 'acme', version(third, 'old', { version: 2, state: 'CLOSED' }))
    const set = { envelope_id: first, set_by: 'did:c', in_force_from: new Date(at) }
    await replaceThrottles(db, 'acme', { ...set, throttle_id: first, rules: [{ match: '*', factor_bps: 1 }] })
    await replaceThrottles(db, 'acme', {
      ...set,
      throttle_id: second,
      rules: [{ match: '*', factor_bps: 2 }],
    })
    const hold = {
      scope: 'tenant',
      reason: 'r',
      placed_by: 'did:c',
      placed_at: new Date(at),
      until: new Date(Date.parse(at) + 1),
    }
    await insertHold(db, 'acme', { ...hold, hold_id: first })
    await insertHold(db, 'acme', { ...hold, hold_id: second })
    await releaseHolds(db, 'acme', [second], 'did:c', at)
  })
  await pay(7n)
  const books = await readBooks(engine, 'acme')
  assert.equal(books.paid_in_micro_usd, 7n)
  assert.deepEqual(
    books.envelopes.map(({ department, day_limit_micro_usd, members, throttles }) => [
      department,
      day_limit_micro_usd,
      [...members],
      throttles,
    ]),
    [
      ['sales', 1n, ['did:a', 'did:b'], []],
      ['research', 2n, ['did:b'], [{ match: '*', factor_bps: 2 }]],
    ],
  )
  assert.deepEqual(
    books.holds.map(({ hold_id, until_ms }) => [hold_id, until_ms]),
    [[first, Date.parse(at) + 1]],
  )
})

test('a department has one active envelope, even with a faulty application, and versions are never rewritten', async () => {
  await assert.rejects(
    opened.as('acme', (db) =>
      addVersion(db, 'acme', version('5f0c1d6e-8a52-4b8f-9d5e-000000000009', 'sales')),
    ),
    /envelopes_active/,
  )
  for (const attempt of [
    sql`UPDATE envelopes SET day_limit_micro_usd = 0`,
    sql`DELETE FROM envelopes`,
    sql`UPDATE envelope_members SET did = 'x'`,
    sql`UPDATE throttles SET rules = '[]'`,
    sql`UPDATE holds SET until = now()`,
    sql`UPDATE bids SET price = 1`,
    sql`SELECT * FROM runway_state`,
  ])
    await assert.rejects(
      opened.as('acme', (db) => attempt.execute(db)),
      /permission denied/,
    )
})

const eventsOf = async () => {
  const rows = await sql<{ event: string }>`
    SELECT (entry::jsonb ->> 'event_type') || ' ' || (entry::jsonb #>> '{meta,level}') AS event
    FROM audit_outbox WHERE entry::jsonb ->> 'event_type' LIKE 'Runway%' ORDER BY id`.all(engine)
  return rows.map(({ event }) => event)
}

test('a runway level is reported once, and again only after a payment', async () => {
  const note = (room_micro_usd: bigint, spent_micro_usd = 0n, tenant_id = 'acme') =>
    noteRunway(engine, tenant_id, { limit_micro_usd: 100n, room_micro_usd, spent_micro_usd }, testTick(at))
  assert.equal(await note(100n), 'ample')
  assert.deepEqual(await Promise.all([note(20n), note(20n), note(20n)]), ['low', 'low', 'low'])
  assert.deepEqual(await eventsOf(), ['RunwayLow low'])
  assert.equal(await countLowRunways(engine), 1)
  assert.equal(await note(30n), 'ample')
  assert.equal(await countLowRunways(engine), 0)
  assert.equal(await note(20n), 'low')
  assert.equal(await note(0n), 'exhausted')
  assert.equal((await readBooks(engine, 'acme')).level, 'exhausted')
  assert.deepEqual(await eventsOf(), ['RunwayLow low', 'RunwayLow critical', 'RunwayExhausted exhausted'])
  await pay(50n)
  assert.equal(await note(50n), 'ample')
  assert.equal(await note(10n), 'low')
  assert.deepEqual((await eventsOf()).slice(3), ['RunwayLow low'])
  await pay(90n)
  assert.equal(await note(10n, 90n), 'low', 'what came in was spent before anybody looked')
  assert.deepEqual((await eventsOf()).slice(4), ['RunwayLow low'])
  assert.equal(await note(10n, 0n, 'operator'), 'low', 'nothing of it is in the database yet')
})
