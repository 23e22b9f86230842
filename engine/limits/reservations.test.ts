import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import fc from 'fast-check'
import type { Take } from '../call.ts'
import type { RegisteredOperation } from '../routing/routing.ts'
import type { BudgetCounters } from './budget-counters.ts'
import { openReservations } from './reservations.ts'

const operationWith = (facts: object = {}) => ({ facts }) as unknown as RegisteredOperation
const worst = { ms: 60_000, tokens: 100_000, event_ms: 640 }

test('until twenty calls were seen the worst case is expected, then what they took, with a margin', () => {
  const { expected, learn } = openReservations()
  const operation = operationWith()
  for (let calls = 0; calls < 19; calls++) learn(operation, { ms: 30, tokens: 1_000 })
  assert.deepEqual(expected(operation, worst), worst)
  learn(operation, { ms: 30, tokens: 1_000 })
  assert.deepEqual(expected(operation, worst), { ms: 64, tokens: 2_048, event_ms: 640 })
  assert.deepEqual(
    expected(operation, { ms: 10, tokens: 5 }),
    { ms: 10, tokens: 5 },
    'never above the worst case',
  )
  assert.deepEqual(expected(operationWith(), worst), worst, 'every operation learns for itself')
})

test('a call that costs nearly nothing still reserves a floor', () => {
  const { expected, learn } = openReservations()
  const operation = operationWith()
  for (let calls = 0; calls < 20; calls++) learn(operation, { ms: 0, tokens: 0 })
  assert.deepEqual(expected(operation, worst), { ms: 20, tokens: 500, event_ms: 640 })
})

test('what acts outside reserves its worst case: it cannot be stopped for want of budget', () => {
  const { expected, learn } = openReservations()
  const operation = operationWith({ acts_outside: true })
  for (let calls = 0; calls < 100; calls++) learn(operation, { ms: 1, tokens: 0 })
  assert.deepEqual(expected(operation, worst), worst)
})

test('at least 99.9 % of the past calls fit, and one in a thousand does not raise it', () => {
  const amounts = fc.array(fc.nat(20_000), { minLength: 20, maxLength: 3_000, size: 'max' })
  fc.assert(
    fc.property(amounts, (past) => {
      const { expected, learn } = openReservations()
      const operation = operationWith()
      for (const ms of past) learn(operation, { ms, tokens: 0 })
      const { ms: reserved } = expected(operation, worst)
      const above = past.filter((ms) => ms > reserved).length
      assert.ok(above * 1_000 <= past.length, `${above} of ${past.length} above ${reserved}`)
    }),
    { numRuns: 50 },
  )
  const { expected, learn } = openReservations()
  const operation = operationWith()
  for (let calls = 0; calls < 999; calls++) learn(operation, { ms: 5, tokens: 0 })
  learn(operation, { ms: 50_000, tokens: 0 })
  assert.equal(expected(operation, worst).ms, 20)
})

test('an operation that became faster is learned anew', () => {
  const { expected, learn } = openReservations()
  const operation = operationWith()
  for (let calls = 0; calls < 1_000; calls++) learn(operation, { ms: 5_000, tokens: 0 })
  for (let calls = 0; calls < 25_000; calls++) learn(operation, { ms: 5, tokens: 0 })
  assert.equal(expected(operation, worst).ms, 20)
})

test('a reservation grows until it covers what was taken, and not above the worst case', () => {
  const { grown } = openReservations()
  const small = { ms: 20, tokens: 500 }
  assert.deepEqual(grown(small, worst, { ms: 21, tokens: 0 }), { ms: 80, tokens: 2_000, event_ms: 640 })
  assert.deepEqual(grown(small, worst, { ms: 21, tokens: 9_000 }), { ms: 80, tokens: 9_000, event_ms: 640 })
  assert.deepEqual(grown({ ms: 50_000, tokens: 90_000 }, worst, { ms: 50_001, tokens: 0 }), worst)
})

/** One counter of 100 µUSD. */
function openCounter(spent = 0n) {
  let [is_spent, reserved] = [spent, 0n]
  const amounts_asked: bigint[] = []
  const counters = {
    reserve(_tenant_id: string, [take]: readonly Take[]) {
      amounts_asked.push(take!.amount)
      if (is_spent + reserved + take!.amount > take!.limit) return take
      reserved += take!.amount
      return undefined
    },
    settle(_tenant_id: string, [take]: readonly Take[], quanta: bigint) {
      reserved -= take!.amount
      is_spent += quanta / quanta_per_micro_usd
    },
    state: () => ({ spent_micro_usd: is_spent, reserved_micro_usd: reserved }),
  } as unknown as BudgetCounters
  return { counters, amounts_asked }
}
const take = (amount: bigint, counts: Take['counts'] = 'usd'): Take => ({
  budget_counter: 'runway',
  limit: 100n,
  amount,
  counts,
})

test('what is used up is refused at once, and so is a number of calls', async () => {
  const { counters, amounts_asked } = openCounter(60n)
  const { wait } = openReservations()
  assert.deepEqual(await wait(counters, 't', [take(41n)], take(41n)), { take: take(41n), is_held: false })
  const own = { take: take(11n), is_held: false }
  assert.deepEqual(await wait(counters, 't', [take(11n)], take(11n), { own: 30n }), own)
  const calls = take(1n, 'calls')
  assert.deepEqual(await wait(counters, 't', [calls], calls), { take: calls, is_held: false })
  assert.deepEqual(amounts_asked, [])
})

test('who waits is served in the order of coming, as soon as others have ended', async () => {
  const { counters } = openCounter()
  const { wait } = openReservations()
  counters.reserve('t', [take(90n)], true)
  const order: bigint[] = []
  const waiting = [30n, 20n, 10n].map(async (amount) => {
    assert.equal(await wait(counters, 't', [take(amount)], take(amount)), undefined)
    order.push(amount)
  })
  counters.settle('t', [take(90n)], 5n * quanta_per_micro_usd)
  await Promise.all(waiting)
  assert.deepEqual(order, [30n, 20n, 10n])
})

test('nobody waits longer than a limit, or after its caller has left', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { counters } = openCounter()
  const { wait } = openReservations()
  counters.reserve('t', [take(90n)], true)
  const leaving = new AbortController()
  const waiting = [
    wait(counters, 't', [take(30n)], take(30n)),
    wait(counters, 'u', [take(30n)], take(30n), { signal: leaving.signal }),
  ]
  leaving.abort()
  assert.equal((await waiting[1])?.is_held, true)
  let ended = false
  waiting[0]!.finally(() => (ended = true))
  for (let ms = 0; ms < 3_000 && !ended; ms++) {
    t.mock.timers.tick(1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.ok(ended)
  assert.deepEqual(await waiting[0], { take: take(30n), is_held: true })
})

test('only the first of a line asks', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { counters, amounts_asked } = openCounter()
  const { wait } = openReservations()
  counters.reserve('t', [take(90n)], true)
  amounts_asked.length = 0
  const waiting = [30n, ...Array.from({ length: 50 }, () => 11n)].map((amount) =>
    wait(counters, 't', [take(amount)], take(amount)),
  )
  const pass = async () => {
    t.mock.timers.tick(32)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (let times = 0; times < 10; times++) await pass()
  assert.ok(amounts_asked.length > 1)
  assert.deepEqual(new Set(amounts_asked), new Set([30n]))
  counters.settle('t', [take(90n)], 0n)
  await pass()
  assert.equal(await waiting[0], undefined)
})
