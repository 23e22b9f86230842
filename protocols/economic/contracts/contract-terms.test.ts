import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  advance,
  type Contract,
  contract_states,
  default_after_ms,
  type Obligation,
} from './contract-terms.ts'

const day_ms = 86_400_000
const zero_ms = Date.parse('2026-11-15T00:00:00Z')
const at = (days: number) => new Date(zero_ms + days * day_ms)

const obligation = (id: string, due_days: number, more: Partial<Obligation> = {}): Obligation => ({
  id,
  from: 'proposer',
  asset_id: 'coin',
  amount: 10n,
  due_at: at(due_days).toISOString(),
  condition: { kind: 'none' },
  credit_to: 'available',
  settled: 0n,
  ended: null,
  ended_at: null,
  exchange: null,
  ...more,
})
const contract = (more: Partial<Contract>): Contract => ({
  contract_id: 'x',
  proposer: { tenant_id: 'acme', did: 'did:ann' },
  counterparty: { tenant_id: 'globex', did: 'did:bob' },
  escrow: false,
  treaty_id: null,
  expires_at: at(7),
  activated_at: at(0),
  state: 'ACTIVE',
  fee_bps: null,
  fee_rule: 'sum',
  obligations: [obligation('a', 1)],
  settlements: [],
  ...more,
})
const settled = (id: string, days: number) =>
  obligation(id, 0, { settled: 10n, ended: 'SETTLED', ended_at: at(days) })

test('an offer expires exactly on time', () => {
  const offered = contract({ state: 'OFFERED', activated_at: null })
  assert.deepEqual([advance(offered, at(6.99)).state, advance(offered, at(6.99)).next_at], ['OFFERED', at(7)])
  assert.deepEqual([advance(offered, at(7)).state, advance(offered, at(7)).next_at], ['EXPIRED', null])
})

test('72 hours past due is a default, and payment cures it', () => {
  const active = contract({})
  assert.equal(advance(active, at(3.99)).state, 'ACTIVE')
  assert.deepEqual(advance(active, at(4)), { state: 'DEFAULTED', defaulted: ['a'], final: [], next_at: null })
  // A known default is not reported again.
  assert.deepEqual(advance(contract({ state: 'DEFAULTED' }), at(5)).defaulted, [])
  const cured = contract({ state: 'DEFAULTED', obligations: [settled('a', 5)] })
  assert.equal(advance(cured, at(5)).state, 'FINAL')
  const half = contract({ state: 'DEFAULTED', obligations: [settled('a', 5), obligation('b', 30)] })
  assert.equal(advance(half, at(5)).state, 'PARTIALLY_SETTLED')
})

test('an obligation that is not payable yet is never late', () => {
  const waits = { condition: { kind: 'after_obligation' as const, ref: 'b' } }
  const waiting = contract({ obligations: [obligation('a', 1, waits), obligation('b', 30)] })
  assert.equal(advance(waiting, at(20)).state, 'ACTIVE')
  const free = contract({ obligations: [obligation('a', 1, waits), settled('b', 10)] })
  assert.equal(advance(free, at(12.99)).state, 'PARTIALLY_SETTLED')
  assert.deepEqual(advance(free, at(13)).defaulted, ['a'])
  const outside = contract({ obligations: [obligation('a', 1, { condition: { kind: 'trade', ref: 'x' } })] })
  assert.equal(advance(outside, at(99)).state, 'ACTIVE')
  // Accepted long after it was due: the period starts with the agreement.
  assert.equal(advance(contract({ activated_at: at(50) }), at(52)).state, 'ACTIVE')
})

test('a contract is final when its last settlement is', () => {
  const posted = { settlement_id: 's', state: 'POSTED' as const, final_at: at(2) }
  const paid = contract({ obligations: [settled('a', 1)], settlements: [posted] })
  assert.deepEqual(advance(paid, at(1)), { state: 'SETTLED', defaulted: [], final: [], next_at: at(2) })
  assert.deepEqual(advance(paid, at(2)), { state: 'FINAL', defaulted: [], final: ['s'], next_at: null })
})

test('frequent and late checks give the same result', () => {
  const drawn = fc.record({
    dues: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 4 }),
    ended: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    finals: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }),
    state: fc.constantFrom(...contract_states),
    looks: fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 5 }),
  })
  fc.assert(
    fc.property(drawn, ({ dues, ended, finals, state, looks }) => {
      const first = contract({
        state,
        obligations: dues.map((due, place) =>
          ended[place] ? settled(`o${place}`, 0) : obligation(`o${place}`, due),
        ),
        settlements: finals.map((days, place) => ({
          settlement_id: `s${place}`,
          state: 'POSTED',
          final_at: at(days),
        })),
      })
      let current = first
      const events: string[] = []
      for (const look of [...looks.sort((a, b) => a - b), 16]) {
        const advanced = advance(current, at(look))
        events.push(...advanced.final)
        // Nothing changes before the time it returns.
        if (advanced.next_at !== null) {
          const just_before = new Date(advanced.next_at.getTime() - 1)
          assert.equal(advance(next(current, advanced), just_before).state, advanced.state)
        }
        current = next(current, advanced)
      }
      const late = advance(first, at(16))
      assert.equal(current.state, late.state)
      assert.deepEqual(events.sort(), [...late.final].sort())
      assert.equal(late.next_at, null)
    }),
    { numRuns: 100 },
  )
  assert.equal(default_after_ms, 3 * day_ms)
})

function next(current: Contract, { state, final }: ReturnType<typeof advance>): Contract {
  const settlements = current.settlements.filter(({ settlement_id }) => !final.includes(settlement_id))
  return { ...current, state, settlements }
}
