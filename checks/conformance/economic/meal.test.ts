// MEAL over HTTP: scenario 23, and every way the books can be out of balance.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exportLines } from '@svc/audit/test-audit-log'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import { payIntoRunway } from '@svc/protocols/economic/ledger/store'
import { billingOf } from '@svc/protocols/economic/meal/billing-store'
import { rollUp } from '@svc/protocols/economic/meal/roll-up'
import { keepHours } from '@svc/protocols/economic/usage/usage-hours'
import { dispatch } from '../../engines/running-engine.ts'
import { is_long, openChance } from '../../faults/scene/chance.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { askMeal, meal as askMealOf, type MealScene, openMealScene } from '../../scenes/meal-scene.ts'
import { recomputeStatement } from '../../scenes/recompute-statement.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

const calls = is_long ? 1000 : 90
const hour_ms = 3_600_000
const month = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' }
const statement_input = { tenant_id: 'acme', period: month }
let scene: MealScene

before(async () => {
  scene = await openMealScene('2026-11-01T00:00:00.000Z')
})
after(() => scene.service.stop())

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
const meal = (operation: string, input: unknown): Promise<any> => askMealOf(scene.service, operation, input)
const reconcile = (more: object = {}) => meal('reconcile', { period: month, ...more })
const kindsOf = ({ drift }: { drift: { kind: string }[] }) => drift.map(({ kind }) => kind)

/** A month of mixed usage; prices change halfway. */
async function useForAMonth(): Promise<void> {
  const chance = openChance()
  const step_ms = Math.floor((29 * 24 * hour_ms) / calls)
  const use = async () => {
    const tokens = { tokens_in: chance.below(40_000), tokens_out: chance.below(4_000) }
    const [operation, input] = chance.pick([
      ['think', tokens],
      ['tick', {}],
      ['glow', {}],
    ] as const)
    const protocol = chance.pick(['GAUGE', 'FORGE'])
    return assertSuccess(await dispatch(scene.service, { protocol, operation, input })).metadata
  }
  for (let call = 0; call < calls; call++) {
    await use()
    scene.clock.advance(step_ms)
    if (call !== Math.floor(calls / 2)) continue
    const effective_from = new Date(scene.clock.now_ms() + 1).toISOString()
    const overrides = { tokens_per_million_usd: '2.718281', watts_per_kwh_usd: 0.1 }
    const input = { tenant_id: 'acme', overrides, effective_from, authority: 'mace://sole-member' }
    const set = await askMealOf(scene.operator, 'admin_set_rate', input)
    assert.deepEqual(set, { rate_version: 1, previous: 0, effective_from })
    scene.clock.advance(1)
    await eventually(async () => {
      const { correlation_id } = await use()
      const [record] = await scene.service.records('acme', { correlation_ids: [correlation_id] })
      assert.equal((record!.meta.usage as { rate: number }).rate, 1)
    })
  }
}

async function fromChain() {
  await scene.service.service.audit_log.flush()
  const lines = await exportLines(scene.service.db_url, 'acme')
  return recomputeStatement(lines, month.from, month.to)
}

test('scenario 23: a script with only the audit log computes the same statement, to the last unit', async () => {
  await useForAMonth()
  const recomputed = await fromChain()
  const stated = await meal('statement', { ...statement_input, group_by: ['operation', 'agent', 'day'] })
  assert.equal(stated.statement_hash, recomputed.statement_hash)
  assert.equal(stated.events_root, recomputed.events_root)
  assert.equal(stated.event_count, Number(recomputed.event_count))
  assert.equal(stated.totals.quanta, String(recomputed.totals.quanta))
  assert.equal(stated.totals.amount_micro_usd, String(recomputed.totals.amount_micro_usd))
  assert.deepEqual(
    stated.by_protocol.map((line: Record<string, unknown>) => [line.protocol, line.amount_micro_usd]),
    recomputed.by_protocol.map((line) => [line.protocol, String(line.amount_micro_usd)]),
  )
  assert.deepEqual(
    stated.rate_versions.map(({ version }: { version: number }) => version),
    [0, 1],
  )
  const added = (lines: { amount_micro_usd: string }[]) =>
    lines.reduce((sum, line) => sum + BigInt(line.amount_micro_usd), 0n)
  assert.equal(added(stated.by_protocol), recomputed.totals.amount_micro_usd)
  assert.equal(added(stated.groups), recomputed.totals.amount_micro_usd)
  assert.deepEqual([stated.settlement_status, stated.next_invoice_at], ['open', '2026-12-01T00:00:00.000Z'])
})

test('a statement does not change when its hours are stored, and correct books balance', async () => {
  const { engine } = scene.service.service.store
  const before = await fromChain()
  const at = new Date(scene.clock.now_ms()).toISOString()
  const paid = { tenant_id: 'acme', operator_tenant_id: scene.operator.tenant_id, micro_usd: 10n ** 9n }
  const correlation_id = crypto.randomUUID()
  await payIntoRunway(engine, { ...paid, kind: 'test', ref: 'test', correlation_id, at })
  await scene.service.service.audit_log.flush()
  await rollUp(engine, scene.operator.tenant_id, testTick(scene.clock.now_ms()))
  assert.ok((await billingOf(engine, 'acme')).rolled_micro_usd > 0n)
  const report = await reconcile()
  assert.deepEqual([report.balanced, report.drift, report.drift_micro_usd], [true, [], '0'])
  assert.deepEqual(
    report.checks.map(({ ok }: { ok: boolean }) => ok),
    [true, true, true, true, true, true],
  )
  assert.ok((await fromChain()).event_count > before.event_count, 'these calls are metered too')
  const { statement_hash } = await fromChain()
  assert.equal((await meal('statement', statement_input)).statement_hash, statement_hash)
})

const one = `ctid = (SELECT s.ctid FROM meter_sums s JOIN meter_names n USING (tenant_id, name_id)
  WHERE tenant_id = 'acme' AND n.protocol = 'GAUGE' AND s.quanta > 0 AND s.repair = 0 ORDER BY s.hour DESC, s.quanta LIMIT 1)`

test('scenario 23: lost usage is noticed, reported, and restored from the audit log', async () => {
  const whole = (await fromChain()).totals.quanta
  await scene.tamper(`DELETE FROM meter_sums WHERE ${one}`)
  const report = await reconcile()
  assert.deepEqual([report.balanced, kindsOf(report)], [false, ['missing_meter']])
  assert.ok(BigInt(report.drift_micro_usd) > 0n)
  const records = await scene.service.records('acme', { event_types: ['Unbalanced'] })
  assert.deepEqual(
    records.map(({ record_hash }) => `max://acme/record/${record_hash}`),
    [report.unbalanced_record],
  )
  assert.deepEqual(records[0]?.meta.kinds, { missing_meter: 1 })
  const metrics = await (await fetch(scene.service.metrics_url)).text()
  assert.match(metrics, /^svc_meal_unbalanced_total 1$/m)
  const repaired = await reconcile({ repair: true })
  assert.deepEqual([repaired.balanced, repaired.repaired], [false, 1])
  assert.equal((await reconcile()).balanced, true)
  const [{ n } = { n: '' }] = await scene.rows<{ n: string }>(
    `SELECT count(*) AS n FROM meter_sums WHERE repair > 0`,
  )
  assert.equal(n, '1')
  assert.ok((await fromChain()).totals.quanta > whole)
  const { statement_hash } = await fromChain()
  assert.equal((await meal('statement', statement_input)).statement_hash, statement_hash)
})

test('the repair counts usage that was never counted, and does so again', async () => {
  await scene.service.service.audit_log.flush()
  await scene.tamper(
    `UPDATE spend SET (quanta, calls) = (SELECT spend.quanta - quanta, spend.calls - calls FROM meter_sums WHERE ${one})
     WHERE tenant_id = 'acme' AND budget_counter = 'runway'`,
    `DELETE FROM meter_sums WHERE ${one}`,
  )
  assert.deepEqual(new Set(kindsOf(await reconcile())), new Set(['missing_meter', 'journal_mismatch']))
  assert.equal((await reconcile({ repair: true })).repaired, 1)
  assert.deepEqual((await reconcile()).drift, [])
  await scene.tamper(`UPDATE meter_sums SET quanta = quanta - 1 WHERE ${one}`)
  assert.deepEqual(kindsOf(await reconcile({ repair: true })), ['charge_mismatch'])
  assert.deepEqual((await reconcile()).drift, [])
})

test('the repair makes a changed hash of an hour again', async () => {
  await keepHours(scene.service.service.store.engine, 'acme', scene.clock.now_ms())
  await scene.tamper(`UPDATE meter_hours SET root = sha256(root) WHERE tenant_id = 'acme' AND events > 0`)
  const { drift, repaired } = await reconcile({ repair: true })
  assert.ok(repaired > 0)
  assert.deepEqual(
    drift.map(({ kind, ref }: { kind: string; ref: string }) => [kind, ref.split('/')[2]]),
    Array(repaired).fill(['balance_cache', 'hour']),
  )
  assert.deepEqual((await reconcile()).drift, [])
  const { statement_hash } = await fromChain()
  assert.equal((await meal('statement', statement_input)).statement_hash, statement_hash)
})

interface Fault {
  readonly kinds: readonly string[]
  readonly plant: readonly string[]
  readonly undo: readonly string[]
}
const journal = `(SELECT id FROM ledger_journals WHERE tenant_id = 'acme' LIMIT 1)`
const runway = `account_id IN (SELECT id FROM ledger_accounts WHERE tenant_id = 'acme' AND type = 'runway')`
const faults: Readonly<Record<string, Fault>> = {
  'a call without a record': {
    kinds: ['orphan_meter'],
    plant: [`UPDATE meter_sums SET calls = calls + 1, quanta = quanta + 7 WHERE ${one}`],
    undo: [`UPDATE meter_sums SET calls = calls - 1, quanta = quanta - 7 WHERE ${one}`],
  },
  'a changed charge': {
    kinds: ['charge_mismatch'],
    plant: [`UPDATE meter_sums SET quanta = quanta + 1 WHERE ${one}`],
    undo: [`UPDATE meter_sums SET quanta = quanta - 1 WHERE ${one}`],
  },
  'usage under another name': {
    kinds: ['missing_meter', 'orphan_meter'],
    plant: [
      `INSERT INTO meter_names SELECT tenant_id, gen_random_uuid(), protocol, operation, 'did:other', grant_name, origin,
        envelope_id, rate FROM meter_names WHERE name_id = (SELECT name_id FROM meter_sums WHERE ${one})`,
      `UPDATE meter_sums SET name_id = (SELECT name_id FROM meter_names WHERE caller_did = 'did:other') WHERE ${one}`,
    ],
    undo: [
      `UPDATE meter_sums s SET name_id = n.name_id FROM meter_names n, meter_names o
       WHERE o.name_id = s.name_id AND o.caller_did = 'did:other' AND n.caller_did <> 'did:other'
         AND (n.tenant_id, n.protocol, n.operation, n.rate, n.origin, n.grant_name)
           = (o.tenant_id, o.protocol, o.operation, o.rate, o.origin, o.grant_name)`,
    ],
  },
  'usage at another time': {
    kinds: ['orphan_meter'],
    plant: [
      `INSERT INTO meter_moved SELECT tenant_id, seq, '${month.from}' FROM spend WHERE tenant_id = 'acme' AND budget_counter = 'runway'`,
    ],
    undo: [`DELETE FROM meter_moved WHERE tenant_id = 'acme'`],
  },
  'an unbalanced journal': {
    kinds: ['journal_mismatch'],
    plant: [
      `UPDATE ledger_entries SET amount = amount + 1 WHERE journal_id = ${journal} AND tenant_id <> 'acme'`,
    ],
    undo: [
      `UPDATE ledger_entries SET amount = amount - 1 WHERE journal_id = ${journal} AND tenant_id <> 'acme'`,
    ],
  },
  'a booking without a journal': {
    kinds: ['journal_mismatch'],
    plant: [`UPDATE billing SET rolled_micro_usd = rolled_micro_usd + 3 WHERE tenant_id = 'acme'`],
    undo: [`UPDATE billing SET rolled_micro_usd = rolled_micro_usd - 3 WHERE tenant_id = 'acme'`],
  },
  'a balance without a posting': {
    kinds: ['balance_cache'],
    plant: [`UPDATE ledger_balances SET balance = balance + 1 WHERE ${runway}`],
    undo: [`UPDATE ledger_balances SET balance = balance - 1 WHERE ${runway}`],
  },
}

for (const [name, { kinds, plant, undo }] of Object.entries(faults)) {
  test(`reconcile names ${name}: ${kinds}, and nothing else`, async () => {
    // Hash all hours first: the engine must not hash one while the fault is in it.
    await keepHours(scene.service.service.store.engine, 'acme', scene.clock.now_ms())
    await scene.tamper(...plant)
    const report = await reconcile()
    await scene.tamper(...undo)
    assert.deepEqual([report.balanced, kindsOf(report).sort()], [false, [...kinds].sort()])
    assert.ok(report.checks.some(({ ok }: { ok: boolean }) => !ok))
    assert.deepEqual((await reconcile()).drift, [])
  })
}

test('the repair posts usage that is marked as booked but is in no journal', async () => {
  const paid = { tenant_id: 'acme', operator_tenant_id: scene.operator.tenant_id, micro_usd: 50n }
  const correlation_id = crypto.randomUUID()
  const at = new Date(scene.clock.now_ms()).toISOString()
  await payIntoRunway(scene.service.service.store.engine, {
    ...paid,
    kind: 't',
    ref: 't',
    correlation_id,
    at,
  })
  // The engine's own roll-up may take everything between the call and the fault; then there is nothing to mark.
  await eventually(async () => {
    const input = { tokens_in: 40_000, tokens_out: 4_000 }
    assertSuccess(await dispatch(scene.service, { protocol: 'GAUGE', operation: 'think', input }))
    await scene.service.service.audit_log.flush()
    const marked = await scene.rows(`UPDATE billing b SET rolled_micro_usd = rolled_micro_usd + 3 FROM spend s
      WHERE b.tenant_id = 'acme' AND s.tenant_id = 'acme' AND s.budget_counter = 'runway'
        AND s.quanta / ${quanta_per_micro_usd} >= rolled_micro_usd + 3 RETURNING b.tenant_id`)
    assert.equal(marked.length, 1)
  })
  assert.equal((await reconcile({ repair: true })).repaired, 1)
  assert.deepEqual((await reconcile()).drift, [])
})

test('invalid periods and tenants other than the caller’s are refused', async () => {
  const invalid = (operation: string, input: object) =>
    askMeal(scene.service, operation, input).then((answer) =>
      assertRefusal(answer, { code: 'invalid_payload', stage: 7 }),
    )
  await invalid('statement', { tenant_id: 'acme', period: { from: month.to, to: month.from } })
  await invalid('statement', { tenant_id: 'acme', period: { from: '2026-02-30T00:00:00Z', to: month.to } })
  await invalid('statement', { tenant_id: 'acme', period: { from: '2024-01-01T00:00:00Z', to: month.to } })
  await invalid('reconcile', { period: { from: month.from, to: month.from } })
  const foreign = await askMeal(scene.service, 'statement', { tenant_id: 'rival', period: month })
  assert.equal(foreign.status, 422, JSON.stringify(foreign.body))
  assert.equal(foreign.body.error.reason, 'payload tenant does not match context tenant')
})
