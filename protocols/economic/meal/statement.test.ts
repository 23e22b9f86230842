import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base_rate } from '@svc/contract/money/charge'
import fc from 'fast-check'
import { rootOfHour, rootOfHours } from '../usage/usage-tree.ts'
import { groupStatement, statementOf, type UsageSum } from './statement.ts'

const period = { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' }
const count = fc.bigInt({ min: 0n, max: 10n ** 15n })
const sumArbitrary: fc.Arbitrary<UsageSum> = fc.record({
  protocol: fc.constantFrom('MAX', 'MARC', 'MACE', 'MARS'),
  operation: fc.constantFrom('a', 'b'),
  agent: fc.constantFrom('x', 'y', null),
  department: fc.constantFrom('research', null),
  day: fc.constant(null),
  origin: fc.constantFrom('http', 'mcp'),
  rate: fc.nat(2),
  calls: count,
  tokens: count,
  ms: count,
  uwh: count,
  quanta: fc.bigInt({ min: 0n, max: 10n ** 20n }),
})
const rates = [1, 2].map((version) => ({ ...base_rate, version, from_ms: version }))

function statementFor(sums: readonly UsageSum[]) {
  return statementOf({ tenant_id: 'acme', period, sums, rates, events_root: 'sha256:0' })
}

test('lines and groups sum to the total, which is rounded once; their order does not matter', () => {
  fc.assert(
    fc.property(fc.array(sumArbitrary, { maxLength: 30 }), (sums) => {
      const statement = statementFor(sums)
      const { totals, by_protocol } = statement
      const quanta = sums.reduce((all, sum) => all + sum.quanta, 0n)
      assert.equal(totals.quanta, quanta)
      const twice_off = (totals.amount_micro_usd * 10n ** 13n - quanta) * 2n
      assert.ok(twice_off <= 10n ** 13n && -twice_off <= 10n ** 13n)
      const groups = groupStatement(totals, sums, ['agent', 'operation'])
      for (const lines of [by_protocol, groups])
        for (const field of ['amount_micro_usd', 'calls', 'tokens', 'ms', 'uwh', 'quanta'] as const)
          assert.equal(
            lines.reduce((all, line) => all + line[field], 0n),
            totals[field],
          )
      assert.deepEqual(statementFor(sums.toReversed()), statement)
    }),
  )
})

test('the hash covers every input', () => {
  const sum: UsageSum = {
    protocol: 'MAX',
    operation: null,
    agent: null,
    department: null,
    day: null,
    origin: null,
    rate: 0,
    calls: 1n,
    tokens: 2n,
    ms: 3n,
    uwh: 4n,
    quanta: 5n,
  }
  const usage = { tenant_id: 'acme', period, sums: [sum], rates, events_root: 'sha256:0' }
  const hashes = [
    usage,
    { ...usage, tenant_id: 'rival' },
    { ...usage, period: { ...period, to: period.from } },
    { ...usage, events_root: 'sha256:1' },
    ...(['calls', 'tokens', 'ms', 'uwh', 'quanta'] as const).map((field) => ({
      ...usage,
      sums: [{ ...sum, [field]: 9n }],
    })),
    { ...usage, sums: [{ ...sum, rate: 1 }] },
    { ...usage, sums: [{ ...sum, protocol: 'MARS' }] },
  ].map((one) => statementOf(one).statement_hash)
  assert.equal(new Set(hashes).size, hashes.length)
})

test('without usage the statement is empty', () => {
  const { totals, by_protocol, rate_versions } = statementFor([])
  assert.deepEqual([totals.amount_micro_usd, by_protocol, rate_versions], [0n, [], []])
})

test('the tree of an hour commits to its ids, the tree of hours to their order', async () => {
  const [a, b, c] = [1, 2, 3].map((byte) => Buffer.alloc(16, byte)) as [Buffer, Buffer, Buffer]
  const hours = await Promise.all([Buffer.concat([a, b]), Buffer.concat([a, c]), a].map(rootOfHour))
  assert.equal(new Set(hours.map((root) => root.toString('hex'))).size, 3)
  assert.notEqual(rootOfHours(hours), rootOfHours(hours.toReversed()))
  assert.equal(rootOfHours([]), `sha256:${(await rootOfHour(Buffer.alloc(0))).toString('hex')}`)
})
