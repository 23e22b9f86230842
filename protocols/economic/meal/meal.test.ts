import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember, endMembership } from '@svc/adapters/access/charter'
import { newIdentity } from '@svc/adapters/access/tenants'
import { entryOf, exportLines } from '@svc/audit/test-audit-log'
import { usd_asset } from '@svc/contract/money/money'
import { assertRefusal, type Expected } from '../../../checks/conformance/dispatch/expectations.ts'
import { type Addresses, dispatch } from '../../../checks/engines/running-engine.ts'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { askMeal, type MealScene, meal, openMealScene } from '../../../checks/scenes/meal-scene.ts'
import { recomputeStatement } from '../../../checks/scenes/recompute-statement.ts'
import { eventually } from '../../../checks/suite/eventually.ts'
import { balanceOf } from '../ledger/store.ts'
import { record, usageMeta } from '../usage/test-usage.ts'
import { paidInOf } from './books-store.ts'
import { rollUp } from './roll-up.ts'

const authority = 'mace://sole-member'
const day_ms = 86_400_000
const october = { from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' }
const november = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' }
let scene: MealScene
let operator: Addresses

before(async () => {
  scene = await openMealScene('2026-10-20T12:00:00.000Z')
  operator = scene.operator
})
after(() => scene.service.stop())

const admin = (input: object) => meal(operator, 'admin', { tenant_id: 'acme', authority, ...input })
const think = { protocol: 'GAUGE', operation: 'think', input: { tokens_in: 40_000, tokens_out: 2_000 } }
const now = () => new Date(scene.clock.now_ms()).toISOString()
async function use(times: number): Promise<string> {
  let correlation_id = ''
  for (let call = 0; call < times; call++) {
    const { status, body } = await dispatch(scene.service, think)
    assert.equal(status, 200, JSON.stringify(body))
    correlation_id = body.metadata.correlation_id
  }
  return correlation_id
}
async function refused(
  caller: Addresses,
  operation: string,
  input: object,
  expected: Partial<Expected> & { reason: string },
): Promise<void> {
  assertRefusal(await askMeal(caller, operation, input), { code: 'policy_denied', stage: 7, ...expected })
}
const runway = () =>
  balanceOf(scene.service.service.store.engine, { tenant_id: 'acme', asset_id: usd_asset, type: 'runway' })
/** Independent of bookings in between. */
const paidIn = async () => (await paidInOf(scene.service.service.store.engine, 'acme')).paid_in_micro_usd
async function rollUpNow(): Promise<void> {
  await scene.service.service.audit_log.flush()
  await rollUp(scene.service.service.store.engine, operator.tenant_id, testTick(scene.clock.now_ms()))
}
async function eventsOf(tenant_id: string, event_type: string) {
  return (await scene.service.records(tenant_id, { event_types: [event_type] })).map(({ meta }) => meta)
}

test('only the operator’s charter bills: no other organization, and not without its authority', async () => {
  const input = { action: 'set_tier', tenant_id: 'acme', tier: 'charter', authority }
  await refused(scene.service, 'admin', input, { reason: 'operator only' })
  const rate = { tenant_id: 'acme', overrides: { watts_per_kwh_usd: '1' }, effective_from: november.to }
  await refused(scene.service, 'admin_set_rate', { ...rate, authority }, { reason: 'operator only' })
  const clerk = await scene.service.newCaller({ tenant_id: operator.tenant_id })
  await refused(clerk, 'admin', input, { reason: 'charter quorum required' })
  const { engine } = scene.service.service.store
  const second = newIdentity(operator.tenant_id, 'agent').did
  await addMember(engine, operator.tenant_id, second, new Date(0))
  await refused(operator, 'admin', input, { reason: 'charter quorum required' })
  await endMembership(engine, operator.tenant_id, second, new Date(1))
  const gone = { ...input, tenant_id: 'nobody-at-all' }
  await refused(operator, 'admin', gone, { code: 'invalid_payload', reason: 'not_found' })
})

test('each action requires its fields, and amounts are exact or refused', async () => {
  const wrong = (input: object, reason: string) =>
    refused(
      operator,
      'admin',
      { tenant_id: 'acme', authority, ...input },
      { code: 'invalid_payload', reason },
    )
  for (const action of ['set_tier', 'grant_credit', 'mark_settled', 'write_off'])
    await wrong({ action }, 'missing_field')
  await wrong({ action: 'grant_credit', amount_usd: '0' }, 'bad_amount')
  await wrong({ action: 'grant_credit', amount_usd: 0.1 + 0.2 }, 'bad_amount')
  await wrong({ action: 'write_off', period: october }, 'not_found')
})

test('tier, credit and credit line are set, recorded in both audit logs, and applied by the engine', async () => {
  const before = await paidIn()
  assert.deepEqual([(await admin({ action: 'set_tier', tier: 'institution' })).previous_tier], ['sovereign'])
  const granted = await admin({ action: 'grant_credit', amount_usd: '0.25' })
  assert.deepEqual([granted.amount_usd, granted.amount_micro_usd], ['0.250000', '250000'])
  assert.equal(await paidIn(), before + 250_000n)
  const line = await admin({ action: 'set_credit_line', amount_usd: 3 })
  assert.equal(line.credit_line_usd, '3.000000')
  const budget = async () => {
    const input = { tenant_id: 'acme', dimension: 'usd' }
    const { body } = await dispatch(scene.service, { protocol: 'MANA', operation: 'budget', input })
    return body.output.credit_line
  }
  await eventually(async () => assert.match(String(await budget()), /^3\.000000$/))
  assert.equal((await admin({ action: 'set_credit_line' })).credit_line_usd, null)
  for (const tenant_id of ['acme', operator.tenant_id]) {
    const [tier] = await eventsOf(tenant_id, 'RateChanged')
    assert.deepEqual([tier?.tier, tier?.previous_tier], ['institution', 'sovereign'])
    const [credit] = await eventsOf(tenant_id, 'CreditGranted')
    assert.deepEqual([credit?.amount_usd, credit?.journal_id], ['0.250000', granted.journal_id])
  }
  const [invocation] = await scene.service.records(operator.tenant_id, {
    event_types: ['ProtocolInvocation'],
    protocol: 'MEAL',
  })
  assert.match(String((invocation!.meta.module as { verdict: string }).verdict), /^mace:\/\/verdict\/sha256:/)
  await admin({ action: 'set_tier', tier: 'sovereign' })
})

test('prices are never set for the past; omitted ones stay', async () => {
  const set = (overrides: object, effective_from: string) =>
    meal(operator, 'admin_set_rate', { tenant_id: 'acme', overrides, effective_from, authority })
  const past = { tenant_id: 'acme', overrides: { watts_per_kwh_usd: '1' }, authority }
  await refused(
    operator,
    'admin_set_rate',
    { ...past, effective_from: '2026-10-20T11:59:59.999Z' },
    { reason: 'rates are never retroactive' },
  )
  for (const watts_per_kwh_usd of ['1000000000.000001', 0.1 + 0.2]) {
    const wrong = { ...past, overrides: { watts_per_kwh_usd }, effective_from: '2026-12-24T00:00:00Z' }
    await refused(operator, 'admin_set_rate', wrong, { code: 'invalid_payload', reason: 'bad_amount' })
  }
  assert.deepEqual(await set({ watts_per_kwh_usd: '1' }, '2026-12-24T00:00:00Z'), {
    rate_version: 1,
    previous: 0,
    effective_from: '2026-12-24T00:00:00.000Z',
  })
  const second = await set({ tokens_per_million_usd: 2 }, '2026-12-26T00:00:00Z')
  assert.deepEqual([second.rate_version, second.previous], [2, 1])
  const [row] = await scene.rows<Record<string, string>>(
    `SELECT tokens, seconds, watts FROM rates WHERE tenant_id = 'acme' AND version = 2`,
  )
  assert.deepEqual(row, { tokens: '2000000', seconds: '18000000000', watts: '1000000' })
  const events = await eventsOf('acme', 'RateChanged')
  assert.deepEqual(events.at(-1)?.rates, row)
})

test('a closed month becomes an invoice without authority, and later usage is late', async () => {
  const early = { tenant_id: 'acme', action: 'close_period', period: october, authority }
  await refused(operator, 'admin', early, { reason: 'period is OPEN; close_period needs an ended one' })
  await use(4)
  scene.clock.advance(13 * day_ms)
  const stated = await meal(scene.service, 'statement', { tenant_id: 'acme', period: october })
  assert.equal(stated.settlement_status, 'open')
  const input = { action: 'close_period', tenant_id: 'acme' }
  const gap = { ...input, period: { from: november.from, to: now() }, authority }
  await refused(operator, 'admin', gap, { reason: 'periods are closed in order' })
  const { invoice } = await meal(operator, 'admin', input)
  assert.deepEqual(
    [invoice.state, invoice.statement_hash, invoice.amount_usd, invoice.due_usd],
    ['CLOSED', stated.statement_hash, stated.totals.amount_usd, stated.totals.amount_usd],
  )
  const [issued] = await eventsOf('acme', 'InvoiceIssued')
  assert.deepEqual([issued?.statement_hash, issued?.from_tenant], [stated.statement_hash, 'operator'])
  await refused(operator, 'admin', input, { reason: 'periods are closed in order' })
  const again = await meal(scene.service, 'statement', { tenant_id: 'acme', period: october })
  assert.deepEqual([again.settlement_status, again.statement_hash], ['invoiced', stated.statement_hash])
})

async function registerForge(): Promise<Addresses> {
  const forge = await scene.service.newCaller({ tenant_id: 'acme' })
  await scene.rows(`INSERT INTO external_protocols (name, version, endpoint, timeout_ms, operations, did, weight)
    VALUES ('Gauge', 'v9.0.0', 'https://forge.example', 1000, '{smelt}', '${forge.agent_did}', 1)`)
  return forge
}

test('an external service reports usage once, for requests it answered', async () => {
  const forge = await registerForge()
  const correlation_id = await use(1)
  const report = {
    event_id: crypto.randomUUID(),
    tenant_id: 'acme',
    protocol: 'GAUGE',
    operation: 'smelt',
    correlation_id,
    tokens_in: 1000,
    tokens_out: 1,
    milliseconds: 7,
    energy_uwh: 11,
    occurred_at: now(),
    origin: 'batch',
  }
  const quanta = 1001n * 3_000_000n * 10_000_000n + 7n * 18_000_000_000n * 10_000n + 11n * 420_000n * 10_000n
  const first = await meal(forge, 'meter', report)
  const expected = { event_id: report.event_id, charge_quanta: String(quanta), accepted: true, late: false }
  assert.deepEqual(first, { ...expected, duplicate: false })
  assert.deepEqual(await meal(forge, 'meter', report), { ...expected, duplicate: true })
  const say = (more: object, expected: Partial<Expected> & { reason: string }, caller = forge) =>
    refused(caller, 'meter', { ...report, event_id: crypto.randomUUID(), ...more }, expected)
  await say({ event_id: report.event_id, milliseconds: 8 }, { reason: 'event id reused' })
  await say({}, { reason: 'not the meter of this protocol' }, scene.service)
  await say({ protocol: 'FORGE' }, { reason: 'not the meter of this protocol' })
  const unknown = { correlation_id: crypto.randomUUID() }
  await say(unknown, { code: 'invalid_payload', reason: 'not_found' })
  const ahead = { occurred_at: new Date(scene.clock.now_ms() + 60_001).toISOString() }
  await say(ahead, { code: 'invalid_payload', reason: 'bad_moment' })
  await say({ occurred_at: '2025-01-01T00:00:00Z' }, { code: 'invalid_payload', reason: 'bad_moment' })
  const late = { event_id: crypto.randomUUID(), occurred_at: '2026-10-25T00:00:00Z' }
  assert.equal((await meal(forge, 'meter', { ...report, ...late })).late, true)
  await scene.service.service.audit_log.flush()
  const rows = await scene.rows<Record<string, unknown>>(
    `SELECT s.hour, n.origin, s.calls, s.quanta FROM meter_sums s JOIN meter_names n USING (tenant_id, name_id)
     WHERE n.operation = 'smelt' ORDER BY s.hour`,
  )
  const hour = new Date(`${report.occurred_at.slice(0, 13)}:00:00Z`)
  const sum = { origin: 'batch', calls: '1', quanta: String(quanta) }
  assert.deepEqual(rows, [
    { hour: new Date(november.from), ...sum },
    { hour, ...sum },
  ])
})

test('late and reported usage is also recomputed from the audit log alone, and the books balance', async () => {
  await scene.service.service.audit_log.flush()
  const lines = await exportLines(scene.service.db_url, 'acme')
  for (const period of [october, november]) {
    const recomputed = recomputeStatement(lines, period.from, period.to)
    const stated = await meal(scene.service, 'statement', { tenant_id: 'acme', period })
    if (period === october) assert.equal(stated.statement_hash, recomputed.statement_hash)
    else assert.equal(stated.event_count, Number(recomputed.event_count) + 1)
  }
  // November alone, too: late usage of October counts in its first moment.
  for (const period of [{ from: october.from, to: november.to }, november])
    assert.deepEqual((await meal(scene.service, 'reconcile', { period })).drift, [])
})

test('a lost moment of late usage is noticed and restored', async () => {
  const period = { from: october.from, to: november.to }
  await scene.tamper(`DELETE FROM meter_moved WHERE tenant_id = 'acme' AND at = '${november.from}'`)
  const report = await meal(scene.service, 'reconcile', { period, repair: true })
  assert.deepEqual(
    report.drift.map(({ kind, expected }: { kind: string; expected: string }) => [kind, expected]),
    [['missing_meter', new Date(november.from).toISOString()]],
  )
  assert.equal(report.repaired, 1)
  assert.deepEqual((await meal(scene.service, 'reconcile', { period })).drift, [])
})

test('usage in two records is a duplicate, and a record with a wrong price a mismatch', async () => {
  const caller = await scene.service.newCaller({ tenant_id: 'twin' })
  const { audit_log } = scene.service.service
  const timestamp = now()
  const reported = {
    event_id: crypto.randomUUID(),
    protocol: 'OCR',
    operation: 'read',
    occurred_at: october.from,
  }
  const one = entryOf('twin', {
    timestamp,
    event_type: 'UsageMetered',
    meta: { ...usageMeta('180000000000000', { ms: 1 }), reported },
  })
  const wrong = entryOf('twin', { timestamp, meta: usageMeta('180000000000001') })
  await record(audit_log, [one, { ...one, id: crypto.randomUUID() }, wrong])
  const { drift } = await meal(caller, 'reconcile', { period: { from: october.from, to: november.to } })
  assert.deepEqual(drift, [
    { kind: 'duplicate', ref: `meal://event/${reported.event_id}`, expected: '1', actual: '2' },
    {
      kind: 'charge_mismatch',
      ref: `meal://event/${wrong.id}`,
      expected: '180000000000000',
      actual: '180000000000001',
    },
  ])
})

test('an invoice becomes overdue, is paid by roll-ups from the runway, and is then settled', async () => {
  scene.clock.advance(29 * day_ms)
  const status = async (period = october) =>
    (await meal(scene.service, 'statement', { tenant_id: 'acme', period })).settlement_status
  assert.equal(await status(), 'invoiced')
  scene.clock.advance(2 * day_ms)
  assert.equal(await status(), 'overdue')
  await rollUpNow()
  assert.deepEqual([await status(), await runway()], ['overdue', 0n])
  await admin({ action: 'grant_credit', amount_usd: '0.6' })
  await rollUpNow()
  assert.deepEqual([await status(), await runway()], ['settled', 0n])
  await eventually(async () => {
    const [settled] = await eventsOf('acme', 'InvoiceSettled')
    assert.equal(settled?.by, 'runway')
  })
  await refused(
    operator,
    'admin',
    { action: 'write_off', tenant_id: 'acme', period: october, authority },
    { code: 'invalid_payload', reason: 'not_found' },
  )
})

test('the operator may write off an unpaid invoice: the runway gets exactly the amount due', async () => {
  const { invoice } = await admin({ action: 'close_period', period: november })
  const [amount, due] = [BigInt(invoice.amount_micro_usd), BigInt(invoice.due_micro_usd)]
  assert.ok(due > 0n && due < amount, 'a part was paid in advance')
  const before = await paidIn()
  const forgiven = await admin({ action: 'write_off', period: november })
  assert.deepEqual(
    [forgiven.invoice.state, forgiven.invoice.written_off, forgiven.invoice.due_micro_usd],
    ['SETTLED', true, '0'],
  )
  assert.equal(await paidIn(), before + due)
  await rollUpNow()
  const period = { from: october.from, to: '2027-01-01T00:00:00Z' }
  assert.deepEqual((await meal(scene.service, 'reconcile', { period })).drift, [])
})

/** A fully paid contract, as MADE leaves it. */
async function settledContract(contract_id: string, payer: string, payee: string, micro_usd: string) {
  await scene.rows(`
    INSERT INTO contracts (contract_id, tenant_id, counterparty_tenant, proposer_did, counterparty_did, terms, escrow,
      state, signatures, expires_at, offered_at)
    VALUES ('${contract_id}', '${payer}', '${payee}', 'did:a', 'did:b', '{}', false, 'SETTLED', '[]', now(), now());
    INSERT INTO obligations (contract_id, obligation_id, place, tenant_id, counterparty_tenant, payer, payer_did,
      payee_did, asset_id, amount, due_at, condition, credit_to, settled, ended, ended_at)
    VALUES ('${contract_id}', 'o', 0, '${payer}', '${payee}', 'proposer', 'did:a', 'did:b', 'usd', ${micro_usd},
      '2026-12-01T00:00:00Z', '{"kind":"none"}', 'available', ${micro_usd}, 'SETTLED', now())`)
}

test('a contract for exactly the amount due settles an invoice, once, and the oldest first', async () => {
  await use(2)
  scene.clock.advance(30 * day_ms)
  const december = { from: november.to, to: '2027-01-01T00:00:00Z' }
  const { invoice } = await meal(operator, 'admin', { action: 'close_period', tenant_id: 'acme' })
  const early_january = { from: december.to, to: now() }
  await use(1)
  scene.clock.advance(1)
  await admin({ action: 'close_period', period: { ...early_january, to: now() } })
  const [due, other] = [invoice.due_micro_usd, String(BigInt(invoice.due_micro_usd) + 1n)]
  await settledContract('paid', 'acme', operator.tenant_id, due)
  await settledContract('too-much', 'acme', operator.tenant_id, other)
  await settledContract('stranger', 'rival', operator.tenant_id, due)
  const settle = { action: 'mark_settled', tenant_id: 'acme', authority, period: december }
  const no = (more: object, reason: string, code: 'policy_denied' | 'invalid_payload' = 'policy_denied') =>
    refused(operator, 'admin', { ...settle, ...more }, { code, reason })
  await no({ contract_id: 'none' }, 'not_found', 'invalid_payload')
  await no({ contract_id: 'too-much' }, 'contract does not pay the invoice')
  await no({ contract_id: 'stranger' }, 'contract does not pay the invoice')
  const next = { from: december.to, to: now() }
  await no({ contract_id: 'paid', period: next }, 'an older invoice is not settled')
  const before = await paidIn()
  const settled = await admin({ ...settle, contract_id: 'paid' })
  assert.deepEqual([settled.invoice.state, settled.invoice.contract_id], ['SETTLED', 'paid'])
  assert.equal(await paidIn(), before + BigInt(due))
  await no({ contract_id: 'paid' }, 'not_found', 'invalid_payload')
  await no({ contract_id: 'paid', period: next }, 'contract does not pay the invoice')
  const period = { from: october.from, to: '2027-02-01T00:00:00Z' }
  await rollUpNow()
  assert.deepEqual((await meal(scene.service, 'reconcile', { period })).drift, [])
})

test('a changed invoice and changed events are reported differently', async () => {
  const period = { from: october.from, to: november.from }
  const find = async () => {
    const { drift } = await meal(scene.service, 'reconcile', { period })
    return drift.map(({ kind, ref }: { kind: string; ref: string }) => [kind, ref.split('/')[2]])
  }
  const set = (sign: string) =>
    scene.tamper(`UPDATE invoices SET statement_hash = '${sign}' || substr(statement_hash, 2)
      WHERE tenant_id = 'acme' AND period_from = '${october.from}'`)
  await set('S')
  assert.deepEqual(await find(), [['charge_mismatch', 'invoice']])
  await set('s')
  assert.deepEqual(await find(), [])
})

test('a period closed during calls has each call once: counted in it, or late', async () => {
  const [{ closed } = { closed: new Date(0) }] = await scene.rows<{ closed: Date }>(
    `SELECT closed_until AS closed FROM billing WHERE tenant_id = 'acme'`,
  )
  const under_way = Array.from({ length: 40 }, () => use(1))
  await Promise.race(under_way)
  scene.clock.advance(1)
  const period = { from: closed.toISOString(), to: now() }
  const [{ invoice }] = await Promise.all([admin({ action: 'close_period', period }), ...under_way])
  await scene.service.service.audit_log.flush()
  const lines = await exportLines(scene.service.db_url, 'acme')
  const counted = recomputeStatement(lines, period.from, period.to)
  assert.equal(invoice.statement_hash, counted.statement_hash)
  const all = { from: october.from, to: '2027-02-01T00:00:00Z' }
  const { event_count, totals } = recomputeStatement(lines, all.from, all.to)
  const stated = await meal(scene.service, 'statement', { tenant_id: 'acme', period: all })
  assert.deepEqual([stated.event_count, stated.totals.quanta], [Number(event_count), String(totals.quanta)])
  assert.deepEqual((await meal(scene.service, 'reconcile', { period: all })).drift, [])
})
