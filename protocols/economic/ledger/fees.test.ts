// Fees in the database: exact over any payments, also at once, and out of reach of other organizations.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import fc from 'fast-check'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { untilWaiting } from '../../../checks/scenes/waiting-sessions.ts'
import { chargeFees, type FeeCharge, feeCeiling, feeOf } from './fees.ts'
import { availableTo, ensureUsd, payIntoRunway } from './store.ts'

let scene: TestStore
let payers = 0
before(async () => {
  scene = await openTestStore()
  await ensureUsd(scene.store.engine, 'operator')
})
after(() => scene.close())

const charge = (tenant_id: string, amount: bigint, more: Partial<FeeCharge> = {}): FeeCharge => {
  return { tenant_id, asset_id: 'usd', amount, bps: 25, ...more }
}
/** In a transaction of another organization, as when it releases an escrow. */
const charged = (...charges: FeeCharge[]) => scene.as('globex', (db) => chargeFees(db, 'globex', charges))
const sum = (fees: readonly bigint[]) => fees.reduce((all, fee) => all + fee, 0n)
const newPayer = () => `payer-${payers++}`

test('any payments cost what one of their sum costs; none is charged less than nothing or more than its own fee rounded up', async () => {
  const payment = fc.record({
    amount: fc.oneof(fc.bigInt({ min: 1n, max: 500n }), fc.bigInt({ min: 1n, max: 10n ** 31n })),
    bps: fc.constantFrom(0, 5, 15, 25, 10_000),
  })
  const runs = fc.asyncProperty(
    fc.array(fc.array(payment, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
    async (calls) => {
      const payer = newPayer()
      let [fees, exact] = [0n, 0n]
      for (const payments of calls) {
        const charges = payments.map(({ amount, bps }) => charge(payer, amount, { bps }))
        const answered = await charged(...charges)
        for (const [place, { amount, bps }] of charges.entries()) {
          const fee = answered[place]!
          assert.ok(fee >= 0n && fee <= feeCeiling(amount, bps), `${fee} of ${amount} at ${bps}`)
          exact += amount * BigInt(bps)
        }
        fees += sum(answered)
        assert.equal(fees, (exact + 5_000n) / 10_000n)
      }
    },
  )
  await fc.assert(runs, { numRuns: 40 })
})

test('payments at once are charged exactly, whichever comes first', async () => {
  const payer = newPayer()
  const pairs = Array.from({ length: 20 }, () => [charge(payer, 199n), charge('payer-both', 199n)])
  // In both orders within a call: they wait for each other, never in a circle.
  const answers = await Promise.all(
    pairs.map((pair, place) => charged(...(place % 2 ? pair : pair.toReversed()))),
  )
  assert.equal(sum(answers.flat()), 2n * feeOf(199n * 20n, 25))
  assert.deepEqual(await charged(), [])
})

test('what escrow had no room for is charged with later payments, each at most its own fee rounded up', async () => {
  const payer = newPayer()
  const small = charge(payer, 199n, { most: 0n })
  for (let count = 0; count < 4; count++) assert.deepEqual(await charged(small), [0n])
  // Nearly two are due.
  assert.deepEqual(await charged(charge(payer, 1n), charge(payer, 1n), charge(payer, 1n)), [1n, 1n, 0n])
})

test('a payment waits for a batch that has read what is available, and never in a circle', async () => {
  const payer = newPayer()
  const read = Promise.withResolvers<void>()
  const asOperator = <Result>(work: (db: Database) => Promise<Result>) => scene.as('operator', work)
  const batch = () =>
    asOperator(async (db) => {
      await availableTo(db, { tenant_id: payer, did: 'trader' }, ['usd'])
      read.resolve()
      return chargeFees(db, 'operator', [charge(payer, 200n)])
    })
  let later: ReturnType<typeof batch> | undefined
  const paid = await asOperator(async (db) => {
    const fees = await chargeFees(db, 'operator', [charge(payer, 200n)])
    later = batch()
    await Promise.race([read.promise, untilWaiting(scene.store.engine, 1)])
    const named = { kind: 'test', ref: 'test', correlation_id: randomUUID(), at: '2026-11-15T09:00:00.000Z' }
    const tenants = { tenant_id: payer, operator_tenant_id: 'operator' }
    await payIntoRunway(db, { ...named, ...tenants, micro_usd: 1n })
    return fees
  })
  assert.deepEqual([paid, await later], [[1n], [0n]])
})

test('a failed call charges nothing', async () => {
  const payer = newPayer()
  const failing = scene.as('globex', async (db) => {
    assert.deepEqual(await chargeFees(db, 'globex', [charge(payer, 300n)]), [1n])
    throw new Error('undone')
  })
  await assert.rejects(failing, /undone/)
  assert.deepEqual(await charged(charge(payer, 100n)), [0n])
})

test('sums are read by their organization only, and written by nobody but the function', async () => {
  const payer = newPayer()
  await charged(charge(payer, 1_000n))
  const read = sql<{ exact: string; charged: string }>`SELECT exact, charged FROM ledger_fee_sums
    WHERE tenant_id = ${payer}`
  assert.deepEqual(await scene.as(payer, (db) => read.all(db)), [{ exact: '25000', charged: '3' }])
  assert.deepEqual(await scene.as('globex', (db) => read.all(db)), [])
  const lowered = sql`UPDATE ledger_fee_sums SET exact = 1`
  await assert.rejects(
    scene.as(payer, (db) => lowered.execute(db)),
    { code: '42501' },
  )
  const over = sql`UPDATE ledger_fee_sums SET charged = charged + 1 WHERE tenant_id = ${payer}`
  await assert.rejects(over.execute(scene.store.engine), { code: '23514' })
  for (const wrong of [{ amount: '-5' }, { bps: 10_001 }, { most: '-1' }, { amount: null }]) {
    const line = { tenant_id: payer, asset_id: 'usd', amount: '5', bps: 25, most: '1', ...wrong }
    const charging = sql`SELECT svc_charge_fees(${JSON.stringify([line])}::jsonb)`
    await assert.rejects(
      scene.as(payer, (db) => charging.execute(db)),
      /Fees are charged on/,
    )
  }
})
