import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generalRule } from './general-rule.ts'
import type { Case } from './mining.ts'
import type { Features } from './pattern.ts'

const refund: Features = {
  protocol: 'MAT',
  operation: 'begin_call',
  caller_kind: 'Agent',
  level: 'L1',
  origin: 'http',
  hour_bucket: '06-12',
  cross_org: false,
}
const reason = 'held: audit'

/** A day apart, in this order. */
const casesOf = (
  ...outcomes: readonly (readonly ['no' | 'yes' | 'ungranted', Partial<Features>?])[]
): Case[] =>
  outcomes.map(([outcome, more], place) => ({
    seq: place + 1,
    record_hash: '',
    at_ms: place * 86_400_000,
    correlation_id: `${place}`,
    caller_did: 'did:x',
    step: { event_type: 'ProtocolInvocation', outcome: outcome === 'yes' ? 'success' : 'refused' },
    features: { ...refund, ...(outcome !== 'yes' && { reason }), ...more },
    is_decided: outcome === 'no',
  }))
const times = (count: number, outcome: 'no' | 'yes' | 'ungranted', more?: Partial<Features>) =>
  Array.from({ length: count }, () => [outcome, more] as const)
const ruleFrom = (cases: Case[], pattern: Features = { ...refund, reason }) =>
  generalRule(pattern, cases, 9_000)

test('a rule holds in the later third, or is not proposed', () => {
  const ended = casesOf(...times(40, 'no'), ...times(4, 'yes'))
  assert.deepEqual(ruleFrom(ended), { withheld: 'not_confirmed' }, '40 of 44, but not any more')
  const begun = casesOf(...times(4, 'yes'), ...times(40, 'no'))
  assert.deepEqual(ruleFrom(begun), { withheld: 'not_confirmed' }, 'nor one that only began')
  const steady = casesOf(...times(20, 'no'), ...times(1, 'yes'), ...times(20, 'no'))
  assert.deepEqual('confirmed_bps' in ruleFrom(steady), true)
  assert.deepEqual(ruleFrom(casesOf(...times(5, 'no'))), { withheld: 'too_few_later' })
})

test('a missing grant is no prohibition, even if it was missing each time', () => {
  assert.deepEqual(ruleFrom(casesOf(...times(60, 'ungranted'))), { withheld: 'missing_grant' })
  const mixed = casesOf(...times(59, 'no'), ...times(1, 'ungranted'))
  assert.deepEqual(ruleFrom(mixed), { withheld: 'missing_grant' })
})

test('what the cases only happen to share is left out; what makes the difference stays', () => {
  const same = ruleFrom(casesOf(...times(30, 'no')))
  const { protocol, operation } = refund
  assert.deepEqual(same, { features: { protocol, operation, reason }, confirmed_bps: 10_000 })
  const by_night = casesOf(
    ...Array.from({ length: 30 }, () => [['no'] as const, ['yes', { hour_bucket: '12-18' }] as const]).flat(),
  )
  assert.deepEqual(ruleFrom(by_night), {
    features: { protocol, operation, hour_bucket: '06-12', reason },
    confirmed_bps: 10_000,
  })
})
