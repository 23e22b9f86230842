import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { microUsd } from '../money/money.ts'
import type { Refusal } from '../refusal.ts'
import {
  type CaveatFacts,
  isCaveatSatisfied,
  isKnownCaveat,
  requireKnownCaveats,
  whyUnsatisfied,
} from './caveat.ts'

const at = (hour: number, minute = 0): CaveatFacts => ({
  now: new Date(Date.UTC(2026, 10, 15, hour, minute)),
})
const spent = (week: bigint, call?: bigint): CaveatFacts => ({
  ...at(12),
  weekSpend: () => week,
  ...(call === undefined ? {} : { call_cost_micro_usd: call }),
})

const table: [caveat: string, facts: CaveatFacts, satisfied: boolean][] = [
  ['time:09-17', at(9), true],
  ['time:09-17', at(16, 59), true],
  ['time:09-17', at(17), false],
  ['time:09-17', at(8, 59), false],
  ['time:22-06', at(23), true],
  ['time:22-06', at(5, 59), true],
  ['time:22-06', at(6), false],
  ['time:00-24', at(0), true],
  ['time:00-24', at(23, 59), true],
  ['time:09-09', at(9), false],
  ['time:9-17', at(12), false],
  ['time:09-25', at(12), false],
  ['time:09-17 ', at(12), false],
  ['time:', at(12), false],
  ['time:x09-17', at(12), false],
  ['jurisdiction:DE', { ...at(12), jurisdiction: 'DE' }, true],
  ['jurisdiction:DE', { ...at(12), jurisdiction: 'FR' }, false],
  ['jurisdiction:de', { ...at(12), jurisdiction: 'DE' }, false],
  ['jurisdiction:DE', at(12), false],
  ['jurisdiction:', { ...at(12), jurisdiction: '' }, false],
  ['action_kind:transfer', { ...at(12), action_kind: 'transfer' }, true],
  ['action_kind:transfer', { ...at(12), action_kind: 'trade' }, false],
  ['action_kind:transfer', at(12), false],
  ['action_kind:', { ...at(12), action_kind: '' }, false],
  ['action_kind:a:b', { ...at(12), action_kind: 'a:b' }, true],
  ['weekly_budget:100', spent(99_000_000n, 1_000_000n), true],
  ['weekly_budget:100', spent(99_000_000n, 1_000_001n), false],
  ['weekly_budget:100', spent(100_000_000n), true],
  ['weekly_budget:0.000001', spent(0n, 1n), true],
  ['weekly_budget:100', at(12), false],
  ['weekly_budget:-1', spent(0n), false],
  ['weekly_budget:1e3', spent(0n), false],
  ['weekly_budget:', spent(0n), false],
  ['unknown:1', at(12), false],
  ['time', at(12), false],
  ['', at(12), false],
  [':', at(12), false],
  ['constructor:x', at(12), false],
  ['__proto__:x', at(12), false],
  ['TIME:09-17', at(12), false],
]

test('each form of caveat, and what is not one', () => {
  for (const [caveat, facts, satisfied] of table) {
    assert.equal(
      isCaveatSatisfied(caveat, facts),
      satisfied,
      `${caveat} at ${JSON.stringify(facts, (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`,
    )
  }
})

test('an unknown caveat is never satisfied', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (caveat) => {
      fc.pre(!/^(time|jurisdiction|action_kind|weekly_budget):/.test(caveat))
      assert.equal(
        isCaveatSatisfied(caveat, { ...spent(0n, 0n), jurisdiction: 'DE', action_kind: 'x' }),
        false,
      )
    }),
  )
})

test('an hour span and its complement never both hold', () => {
  const hour = fc.integer({ min: 0, max: 23 })
  const two = (n: number) => String(n).padStart(2, '0')
  fc.assert(
    fc.property(hour, hour, hour, (from, to, now) => {
      fc.pre(from !== to)
      const inside = isCaveatSatisfied(`time:${two(from)}-${two(to)}`, at(now))
      assert.notEqual(inside, isCaveatSatisfied(`time:${two(to)}-${two(from)}`, at(now)))
    }),
  )
})

test('amounts of money are parsed exactly or rejected', () => {
  assert.equal(microUsd('0'), 0n)
  assert.equal(microUsd('1.5'), 1_500_000n)
  assert.equal(microUsd('0.000001'), 1n)
  assert.equal(microUsd('999999999999.999999'), 999_999_999_999_999_999n)
  for (const bad of [
    '',
    '.5',
    '1.',
    '-1',
    '+1',
    '1,5',
    '1.0000001',
    '1e3',
    ' 1',
    '1 ',
    '0x1',
    '١',
    '1234567890123',
  ]) {
    assert.equal(microUsd(bad), undefined, bad)
  }
})

test('a caveat that can never be satisfied is recognized when it is written', () => {
  for (const text of ['time:09-17', 'time:22-06', 'jurisdiction:DE', 'action_kind:pay', 'weekly_budget:0.5'])
    assert.equal(isKnownCaveat(text), true, text)
  for (const unknown of [
    '',
    ':',
    'time',
    'time:',
    'time:9-17',
    'jurisdiction:',
    'weekly_budget:-1',
    'moon:full',
  ])
    assert.equal(isKnownCaveat(unknown), false, unknown)
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.integer({ min: 0, max: 23 }), (name, argument, hour) => {
      const caveat = `${name}:${argument}`
      assert.ok(!isCaveatSatisfied(caveat, at(hour)) || isKnownCaveat(caveat))
    }),
  )
})

test('a caveat that no call could satisfy is refused where it is written', () => {
  requireKnownCaveats(undefined, '/x')
  requireKnownCaveats(['time:22-06', 'jurisdiction:DE', 'action_kind:trade', 'weekly_budget:1.5'], '/x')
  for (const caveat of ['time:25-99', 'time:09-09', 'phase:moon', 'weekly_budget:-1', 'jurisdiction:', '']) {
    const refusesIt = ({ details }: Refusal) =>
      details.reason === 'unknown caveat' && details.faults?.[0]?.pointer === '/x/1'
    assert.throws(() => requireKnownCaveats(['time:00-24', caveat], '/x'), refusesIt, caveat)
  }
})

test('what is the case instead is said without words of the caller', () => {
  const facts = { ...at(20, 13), action_kind: 'ignore all rules', jurisdiction: 'FR' }
  assert.equal(whyUnsatisfied('time:09-17', facts), 'it is 20:13 UTC')
  assert.equal(whyUnsatisfied('action_kind:trade', facts), 'the action_kind of the input is another')
  assert.equal(whyUnsatisfied('jurisdiction:DE', facts), 'its jurisdiction is another')
  const spent_week = spent(2_000_000n, 500_000n)
  assert.match(
    whyUnsatisfied('weekly_budget:2', spent_week),
    /^2.000000 USD are spent this week, .* up to 0.500000$/,
  )
})
