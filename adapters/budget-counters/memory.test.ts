import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import { Refusal } from '@svc/contract/refusal'
import type { Take } from '@svc/engine/call'
import { memoryCounters } from './memory.ts'
import { storedCounters } from './own-counter.ts'

const take = (amount: bigint, more: Partial<Take> = {}): Take => ({
  budget_counter: 'runway',
  limit: 100n,
  amount,
  counts: 'usd',
  ...more,
})
const quantaOf = (micro_usd: bigint) => micro_usd * quanta_per_micro_usd
const nothing = { read: async () => ({ quanta: 0n, calls: 0n }), settled: async () => {} }

test('the first caller waits until the spending is read, later ones do not', async (t) => {
  const read = t.mock.fn(async () => ({ quanta: quantaOf(60n) - 1n, calls: 0n }))
  const budget_counters = memoryCounters({ ...nothing, read })
  const first = [
    budget_counters.reserve('t', [take(30n)], true),
    budget_counters.reserve('t', [take(30n)], true),
  ]
  assert.ok(first[0] instanceof Promise && first[1] instanceof Promise)
  const [one, other] = await Promise.all(first)
  assert.deepEqual([one, other?.budget_counter, read.mock.callCount()], [undefined, 'runway', 1])
  assert.equal(budget_counters.reserve('t', [take(10n)], true), undefined)
  assert.deepEqual(budget_counters.state('t', 'runway'), { spent_micro_usd: 60n, reserved_micro_usd: 40n })
  assert.equal((budget_counters.reserve('t', [take(1n)], true) as Take).amount, 1n)
})

test('all or nothing: if the second counter is used up, nothing is taken from the first', async () => {
  const budget_counters = memoryCounters(nothing)
  const takes = [take(50n), take(50n, { budget_counter: 'envelope/e/2026-11', limit: 49n })]
  assert.equal(await budget_counters.reserve('t', takes, true), takes[1])
  assert.deepEqual(await budget_counters.state('t', 'runway'), {
    spent_micro_usd: 0n,
    reserved_micro_usd: 0n,
  })
  const twice = [take(60n), take(60n)]
  assert.equal(
    budget_counters.reserve('t', twice, true),
    twice[1],
    'one counter named twice is charged twice',
  )
  assert.equal(budget_counters.reserve('t', [take(100n)], false), undefined)
  assert.equal(budget_counters.reserve('t', [take(100n)], true), undefined, 'a check takes nothing')
})

test('a tenth of a micro-USD is counted as such: only the sum is rounded, up', async () => {
  const budget_counters = memoryCounters(nothing)
  for (let i = 0; i < 91; i++) {
    assert.equal(await budget_counters.reserve('t', [take(1n, { limit: 10n })], true), undefined, `${i}`)
    budget_counters.settle('t', [take(1n)], quanta_per_micro_usd / 10n)
  }
  assert.deepEqual(await budget_counters.state('t', 'runway'), {
    spent_micro_usd: 10n,
    reserved_micro_usd: 0n,
  })
  assert.ok(await budget_counters.reserve('t', [take(1n, { limit: 10n })], true))
})

test('calls are counted on admission, and stay counted', async () => {
  const budget_counters = memoryCounters({ ...nothing, read: async () => ({ quanta: 0n, calls: 3n }) })
  const calls = take(1n, { budget_counter: 'hour/2026-11-15T10/did/cap', limit: 5n, counts: 'calls' })
  assert.equal(await budget_counters.reserve('t', [calls], true), undefined)
  budget_counters.settle('t', [calls], 7n)
  assert.equal(budget_counters.reserve('t', [calls], true), undefined)
  assert.equal(budget_counters.reserve('t', [calls], true), calls)
})

test('what settles during the read is neither missed nor counted twice', async () => {
  const audit_log: bigint[] = []
  let committed = 0n
  let reads = 0
  const end = () => {
    audit_log.push(quantaOf(5n))
    budget_counters.settle('t', [take(0n)], quantaOf(5n))
  }
  const settled = async () => {
    for (const quanta of audit_log.splice(0)) committed += quanta
  }
  const read = async () => {
    const quanta = committed
    if (reads++ < 2) end()
    return { quanta, calls: 0n }
  }
  const budget_counters = memoryCounters({ settled, read })
  end()
  assert.deepEqual(await budget_counters.state('t', 'runway'), {
    spent_micro_usd: 15n,
    reserved_micro_usd: 0n,
  })
  assert.equal(reads, 3)
})

test('counters that never come to rest are over-estimated', async () => {
  let reads = 0
  const read = async () => {
    budget_counters.settle('t', [take(0n)], quantaOf(5n))
    return { quanta: quantaOf(5n) * BigInt(reads++), calls: 0n }
  }
  const budget_counters = memoryCounters({ ...nothing, read })
  const { spent_micro_usd } = await budget_counters.state('t', 'runway')
  assert.deepEqual([reads, spent_micro_usd], [3, 15n])
})

test('if spending cannot be read, only free calls are admitted', async () => {
  let is_away = true
  const read = async () => (is_away ? Promise.reject(new Error('away')) : { quanta: 0n, calls: 0n })
  const budget_counters = memoryCounters({ ...nothing, read })
  assert.equal(budget_counters.reserve('t', [take(0n)], true), undefined)
  await assert.rejects(
    async () => budget_counters.reserve('t', [take(1n)], true),
    (thrown) => {
      assert.ok(thrown instanceof Refusal)
      const { reason, retry_after_ms } = thrown.details
      assert.deepEqual([thrown.code, reason], ['unavailable', 'budget unavailable'])
      return retry_after_ms! > 0
    },
  )
  is_away = false
  assert.equal(await budget_counters.reserve('t', [take(1n)], true), undefined)
})

test('idle counters are forgotten, but none with reservations', () => {
  const counters = storedCounters((own) => own)
  const [reserved, idle] = [counters.open('held', 'runway', 'usd')!, counters.open('idle', 'runway', 'usd')!]
  counters.pin(reserved)
  for (let i = 0; i < 20_001; i++) counters.open(`t${i}`, 'runway', 'usd')
  assert.equal(counters.find('held', 'runway', 'usd'), reserved)
  assert.equal(counters.find('held', 'runway', 'calls'), undefined, 'calls and money are separate counters')
  assert.equal(counters.find('idle', 'runway', 'usd'), undefined)
  assert.notEqual(counters.open('idle', 'runway', 'usd'), idle)
  counters.unpin(reserved)
  for (let i = 0; i < 20_001; i++) counters.open(`u${i}`, 'runway', 'usd')
  assert.equal(counters.find('held', 'runway', 'usd'), undefined)
})
