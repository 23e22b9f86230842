import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { advanceCase, type Case, case_states } from './case.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 10, 15, hour))
const party = (tenant_id: string) => ({ tenant_id, did: `did:oas:${tenant_id}:agent:${'0'.repeat(64)}` })

const a_case: Case = {
  case_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  claimant: party('acme'),
  respondent: party('globex'),
  venue: 'operator',
  filed_by: 'claimant',
  claim: 'x',
  evidence: [],
  correlations: [],
  contracts: [],
  requested: { kind: 'declaratory', micro_usd: null, target: null },
  fee_micro_usd: 10_000_000n,
  treaty_id: null,
  appeal_of: null,
  panel: [],
  state: 'FILED',
  filed_at: at(0),
  served_at: at(0),
  plead_by: at(4),
  answered_at: null,
  rule_by: at(6),
  appeal_until: at(8),
  closed_at: null,
}

test('the state of a case at a time does not depend on when or how often it is advanced', () => {
  const hour = fc.integer({ min: 0, max: 12 })
  fc.assert(
    fc.property(fc.constantFrom(...case_states), fc.boolean(), hour, hour, (state, is_closed, one, other) => {
      const [early, late] = [at(Math.min(one, other)), at(Math.max(one, other))]
      const dispute = { ...a_case, state, closed_at: is_closed ? at(0) : null }
      const looked = { ...dispute, state: advanceCase(dispute, early).state }
      assert.deepEqual(advanceCase(looked, late), advanceCase(dispute, late))
      if (is_closed) assert.deepEqual(advanceCase(dispute, late), { state, due: null, next_at: null })
    }),
  )
})

test('defaults, vote counts and remedies happen at their deadlines and not before', () => {
  const before = (hour: number) => new Date(at(hour).getTime() - 1)
  assert.equal(advanceCase(a_case, before(4)).state, 'FILED')
  assert.equal(advanceCase(a_case, at(4)).state, 'DEFAULTED')
  assert.equal(
    advanceCase({ ...a_case, served_at: null }, at(12)).state,
    'FILED',
    'no default without service',
  )
  const due = (state: Case['state'], now: Date) => advanceCase({ ...a_case, state }, now).due
  assert.deepEqual([due('HEARD', before(6)), due('HEARD', at(6))], [null, 'decision'])
  assert.deepEqual([due('RULED', before(8)), due('RULED', at(8))], [null, 'finish'])
  assert.deepEqual(
    [due('APPEALED', at(12)), due('PLEADED', at(12)), due('DEFAULTED', at(12))],
    [null, null, null],
  )
  assert.equal(due('SETTLED', at(0)), 'finish')
})
