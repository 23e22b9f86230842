import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TreatyBody } from './term-lines.ts'
import { changesOf, empty_grant, empty_terms, proposalOf, termsOf } from './treaty-draft.ts'

const counterparty = `did:oas:globex:agent:${'b'.repeat(64)}`
const plain = { noNullPrototype: true } as const
const limit = fc.integer({ min: 0, max: 1_000_000 })
const limits = fc.record(
  { max_per_hour: limit, max_tokens: limit, max_per_call_bps: limit, weekly_budget_usd: fc.constant('5.50') },
  { requiredKeys: [], ...plain },
)
const grant = fc.record(
  {
    to: fc.constantFrom('acme', 'globex'),
    capability: fc.constantFrom('svc.mind.*', 'svc.mind.recall_memory'),
    caveats: fc.array(fc.constantFrom('time:09-17', 'weekly_budget:5'), { minLength: 1, maxLength: 2 }),
    limits: limits.filter((each) => Object.keys(each).length > 0),
  },
  plain,
)
const bodies: fc.Arbitrary<TreatyBody> = fc.record({
  v: fc.constant(1 as const),
  parent: fc.constant(null),
  parties: fc.constant([]),
  grants: fc.array(grant, { minLength: 1, maxLength: 4 }),
  rate_limits: fc.record({ per_hour: limit, per_day: limit }, { requiredKeys: ['per_day'], ...plain }),
  settlement: fc.record(
    {
      rail: fc.constant('internal'),
      currency: fc.constantFrom('usd', 'coin'),
      clearing_fee_bps: fc.integer({ min: 0, max: 1000 }),
    },
    plain,
  ),
  dispute_resolution: fc.constant({ via: 'MOOT', venue: 'operator' }),
  effective_from: fc.constant('2026-11-15T10:00:00.000Z'),
  expires_at: fc.constant('2027-11-15T10:00:00Z'),
  nonce: fc.string({ minLength: 1 }),
})

test('terms read into a form and proposed again are the same, and untouched ones do not change', () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const terms = termsOf(body, 'acme')
      assert.deepEqual(changesOf(terms, terms), {})
      const proposal = proposalOf(counterparty, terms, '')
      const { rate_limits, settlement, expires_at } = body
      assert.deepEqual(
        [proposal.rate_limits, proposal.settlement_terms, proposal.expires_at],
        [rate_limits, settlement, expires_at],
      )
      const granted = proposal.capability_schedule.map(({ granted_to, ...rest }) => ({
        to: granted_to === 'proposer' ? 'acme' : 'globex',
        ...rest,
      }))
      assert.deepEqual(granted, body.grants)
    }),
  )
})

test('empty fields are not sent, and only touched ones are amended', () => {
  const terms = {
    ...empty_terms,
    grants: [{ ...empty_grant, capability: ' svc.mind.* ' }],
    expires_at: '2027-01-01T00:00',
  }
  assert.deepEqual(proposalOf(` ${counterparty}`, terms, ''), {
    counterparty_did: counterparty,
    capability_schedule: [{ capability: 'svc.mind.*', granted_to: 'counterparty' }],
    expires_at: '2027-01-01T00:00:00Z',
  })
  assert.deepEqual(changesOf(terms, { ...terms, per_hour: '7' }), { rate_limits: { per_hour: 7 } })
  const without = { ...terms, grants: [{ ...terms.grants[0]!, caveats: 'time:09-17\n' }] }
  assert.deepEqual(changesOf(terms, without), {
    capability_schedule: [{ capability: 'svc.mind.*', granted_to: 'counterparty', caveats: ['time:09-17'] }],
  })
})
