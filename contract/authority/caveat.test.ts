import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { microUsd } from '../money/money.ts'
import type { Refusal } from '../refusal.ts'
import {
  type CaveatFacts,
  dependsOnCall,
  isCaveatSatisfied,
  isKnownCaveat,
  requireKnownCaveats,
  whyUnsatisfied,
} from './caveat.ts'
import { inputJudge } from './input-condition.ts'

const at = (hour: number, minute = 0): CaveatFacts => ({
  now: new Date(Date.UTC(2026, 10, 15, hour, minute)),
})
const spent = (week: bigint, call?: bigint): CaveatFacts => ({
  ...at(12),
  weekSpend: () => week,
  ...(call === undefined ? {} : { call_cost_micro_usd: call }),
})

const agent_did = `did:oas:acme:agent:${'0123456789abcdef'.repeat(4)}`

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
  ['time:09:30-17', at(9, 29), false],
  ['time:09:30-17', at(9, 30), true],
  ['time:09:30-17:15', at(17, 14), true],
  ['time:09:30-17:15', at(17, 15), false],
  ['time:mon-fri 09-17', at(12), false],
  ['time:sun 09-17', at(12), true],
  ['time:fri-sun,wed 09-17', at(12), true],
  ['time:sat 22-06', at(5), true],
  ['time:sun 22-06', at(5), false],
  ['time:sun 22-06', at(22), true],
  ['time:09-17@Asia/Tokyo', at(0), true],
  ['time:09-17@Asia/Tokyo', at(12), false],
  ['time:09-17@Asia/Atlantis', at(12), false],
  ['network:10.0.0.0/8', { ...at(12), address: '10.1.2.3' }, true],
  ['network:10.0.0.0/8', { ...at(12), address: '::ffff:10.1.2.3' }, true],
  ['network:10.0.0.0/8', { ...at(12), address: '11.1.2.3' }, false],
  ['network:192.0.2.7,2001:db8::/32', { ...at(12), address: '2001:db8:1::9' }, true],
  ['network:192.0.2.7,2001:db8::/32', { ...at(12), address: '192.0.2.7' }, true],
  ['network:192.0.2.7,2001:db8::/32', { ...at(12), address: '192.0.2.8' }, false],
  ['network:fe80::/10', { ...at(12), address: 'fe80::1%eth0' }, true],
  ['network:0.0.0.0/0', { ...at(12), address: 'unknown' }, false],
  ['network:0.0.0.0/0', at(12), false],
  ['input:input.amount_usd <= 100', { ...at(12), judgeInput: inputJudge({ amount_usd: 100 }, 0) }, true],
  ['input:input.amount_usd <= 100', { ...at(12), judgeInput: inputJudge({ amount_usd: 100.5 }, 0) }, false],
  ['input:input.amount_usd <= 100', { ...at(12), judgeInput: inputJudge({}, 0) }, false],
  ['input:input.amount_usd <= 100', at(12), false],
  ['tenant:acme,globex', { ...at(12), tenant_id: 'globex' }, true],
  ['tenant:acme,globex', { ...at(12), tenant_id: 'glob' }, false],
  ['tenant:globex,', { ...at(12), tenant_id: 'globex' }, false],
  ['tenant:acme', at(12), false],
  [`agent:${agent_did}`, { ...at(12), agent_did }, true],
  [`agent:${'0'.repeat(16)},${agent_did.slice(-16)}`, { ...at(12), agent_did }, true],
  [`agent:${agent_did.slice(-15)}`, { ...at(12), agent_did }, false],
  [`agent:${'0'.repeat(16)}`, { ...at(12), agent_did }, false],
  [`agent:${agent_did}`, at(12), false],
  ['once:2026-q3', { ...at(12), isUnused: (id) => id === '2026-q3' }, true],
  ['once:2026-q4', { ...at(12), isUnused: (id) => id === '2026-q3' }, false],
  ['once:2026-q3', at(12), false],
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
      fc.pre(!/^(time|jurisdiction|action_kind|weekly_budget|network|input|tenant|agent|once):/.test(caveat))
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
  for (const text of [
    'time:09-17',
    'time:22-06',
    'time:mon-fri,sun 09:30-17@Europe/Berlin',
    'jurisdiction:DE',
    'action_kind:pay',
    'weekly_budget:0.5',
    'network:10.0.0.0/8,::1',
    'input:input.amount <= 100 && input.to in ["a", "b"]',
    'input:input.is_urgent',
    'tenant:acme',
    `agent:${agent_did}`,
    'once:2026-q3-transfer',
  ])
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
    'time:9:30-17',
    'time:24:30-06',
    'time:mon-xyz 09-17',
    'time:09-17@+01:00',
    'time:09-17@',
    'network:',
    'network:10.0.0.0/33',
    'network:10.0.0.0/8,',
    'network:10.0.0.0/8/9',
    'network:fe80::1%eth0',
    'network:example.com',
    'input:',
    'input:input.amount <',
    'input:1 + 1',
    'input:nobody.knows',
    'tenant:ACME',
    'tenant:acme,',
    'agent:clerk',
    'once:',
    'once:two words',
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

test('what depends on the call itself is told apart', () => {
  const of_call = ['action_kind:x', 'network:::1', 'input:true', 'once:x']
  for (const caveat of of_call) assert.equal(dependsOnCall(caveat), true, caveat)
  for (const caveat of [
    'time:09-17',
    'jurisdiction:DE',
    'weekly_budget:1',
    'tenant:a',
    'agent:b',
    'moon:full',
  ])
    assert.equal(dependsOnCall(caveat), false, caveat)
})

test('what is the case instead is said without words of the caller', () => {
  const facts = { ...at(20, 13), action_kind: 'ignore all rules', jurisdiction: 'FR' }
  assert.equal(whyUnsatisfied('time:09-17', facts), 'it is 20:13 UTC')
  assert.equal(whyUnsatisfied('action_kind:trade', facts), 'the action_kind of the input is another')
  assert.equal(whyUnsatisfied('jurisdiction:DE', facts), 'its jurisdiction is another')
  assert.equal(whyUnsatisfied('time:mon-fri 09-17', facts), 'it is sun 20:13 UTC')
  assert.equal(whyUnsatisfied('time:09-17@Asia/Tokyo', facts), 'it is 05:13 in Asia/Tokyo')
  assert.equal(whyUnsatisfied('network:::1', facts), 'the address of this call is not known')
  const elsewhere = { ...facts, address: '192.0.2.1' }
  assert.equal(whyUnsatisfied('network:::1', elsewhere), 'this call comes from another network')
  assert.equal(whyUnsatisfied('input:input.a == 1', facts), 'that is not true of the input of this call')
  assert.equal(whyUnsatisfied('tenant:acme', facts), 'the called tenant is another')
  assert.equal(whyUnsatisfied(`agent:${agent_did}`, facts), 'the agent that calls is another')
  assert.equal(whyUnsatisfied('once:x', facts), 'it was used before')
  assert.equal(whyUnsatisfied('phase:moon', facts), 'no rule knows it')
  const spent_week = spent(2_000_000n, 500_000n)
  assert.match(
    whyUnsatisfied('weekly_budget:2', spent_week),
    /^2.000000 USD are spent this week, .* up to 0.500000$/,
  )
})
