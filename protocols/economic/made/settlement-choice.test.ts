import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import type { Contract, Obligation } from '../contracts/contract-terms.ts'
import { type Asked, chooseObligations } from './settlement-choice.ts'

const [ann, bob] = ['did:ann', 'did:bob']
const now = new Date('2026-11-15T00:00:00Z')

const obligation = (id: string, more: Partial<Obligation> = {}): Obligation => ({
  id,
  from: 'proposer',
  asset_id: 'coin',
  amount: 10n,
  due_at: now.toISOString(),
  condition: { kind: 'none' },
  credit_to: 'available',
  settled: 0n,
  ended: null,
  ended_at: null,
  exchange: null,
  ...more,
})
const after = (ref: string) => ({ condition: { kind: 'after_obligation' as const, ref } })

function choose(
  obligations: readonly Obligation[],
  more: Partial<Asked> & { escrow?: boolean } = {},
): string[] {
  const { escrow = false, ...asked } = more
  const contract: Contract = {
    contract_id: 'x',
    proposer: { tenant_id: 'acme', did: ann },
    counterparty: { tenant_id: 'globex', did: bob },
    escrow,
    treaty_id: null,
    expires_at: now,
    activated_at: now,
    state: 'ACTIVE',
    fee_bps: null,
    fee_rule: 'sum',
    obligations,
    settlements: [],
  }
  const chosen = chooseObligations(contract, { caller_did: ann, now, met: new Set(), ...asked })
  return chosen.map((one) => `${one.obligation.id}:${one.amount}`)
}

const refusedFor = (reason: string) => (error: unknown) =>
  error instanceof Refusal && error.details.reason === reason

test('without ids, all obligations are chosen that are due, ready and the caller’s to pay', () => {
  const all = [
    obligation('later', { due_at: '2026-11-16T00:00:00Z' }),
    obligation('theirs', { from: 'counterparty' }),
    obligation('done', { settled: 10n, ended: 'SETTLED', ended_at: now }),
    obligation('begun', { settled: 4n }),
    obligation('blocked', after('later')),
    obligation('follows', after('done')),
  ]
  assert.deepEqual(choose(all), ['begun:6', 'follows:10'])
  assert.deepEqual(choose(all, { escrow: true }), ['theirs:10', 'begun:6', 'follows:10'])
  assert.throws(() => choose(all.slice(0, 2)), refusedFor('obligation not due'))
  assert.throws(() => choose([obligation('a', after('b')), obligation('b', { from: 'counterparty' })]), {
    details: {
      reason: 'condition not met',
      obligation_id: 'a',
      condition: { kind: 'after_obligation', ref: 'b' },
    },
  })
})

test('named obligations are settled in a valid order, or not at all', () => {
  const chain = [obligation('c', after('b')), obligation('b', after('a')), obligation('a')]
  assert.deepEqual(choose(chain, { obligation_ids: ['c', 'b', 'a'] }), ['a:10', 'b:10', 'c:10'])
  assert.throws(() => choose(chain, { obligation_ids: ['c', 'a'] }), refusedFor('condition not met'))
  assert.throws(() => choose(chain, { obligation_ids: ['z'] }), refusedFor('not_found'))
  // A partial payment does not fulfil a condition.
  assert.deepEqual(choose(chain, { obligation_ids: ['a'], amount: 3n }), ['a:3'])
  assert.throws(() => choose(chain, { obligation_ids: ['b'], amount: 3n }), refusedFor('condition not met'))
  assert.throws(
    () => choose(chain, { obligation_ids: ['a', 'b'], amount: 3n }),
    refusedFor('amount without one obligation'),
  )
  assert.throws(
    () => choose(chain, { obligation_ids: ['a'], amount: 0n }),
    refusedFor('amount exceeds what is owed'),
  )
})

test('a condition outside the contract holds once it is known to', () => {
  const waits = [obligation('a', { condition: { kind: 'trade', ref: 't' } })]
  assert.throws(() => choose(waits), refusedFor('condition not met'))
  assert.deepEqual(choose(waits, { met: new Set(['t']) }), ['a:10'])
  const attested = [obligation('a', { condition: { kind: 'attested', ref: 'sha256:1' } })]
  assert.throws(() => choose(attested), refusedFor('condition not met'))
})

test('outside escrow, only the payer can pay in parts', () => {
  const one = [obligation('a')]
  const request = { caller_did: bob, escrow: true, obligation_ids: ['a'] }
  assert.throws(() => choose(one, { ...request, amount: 3n }), refusedFor('not the payer'))
  assert.deepEqual(choose(one, { ...request, amount: 10n }), ['a:10'])
  assert.throws(() => choose(one, { ...request, escrow: false }), refusedFor('not the payer'))
})

test('an exchange is chosen whole, once every condition of it holds, or not at all', () => {
  const leg = (id: string, more: Partial<Obligation> = {}) => obligation(id, { exchange: 'x', ...more })
  const all = [leg('goods', after('permit')), leg('price', { from: 'counterparty' }), obligation('permit')]
  const escrow = true
  assert.deepEqual(choose(all, { escrow }), ['permit:10', 'goods:10', 'price:10'])
  const both = { escrow, obligation_ids: ['price', 'goods'] }
  assert.throws(() => choose(all, both), {
    details: {
      reason: 'condition not met',
      obligation_id: 'goods',
      condition: { kind: 'after_obligation', ref: 'permit' },
    },
  })
  const whole = refusedFor('exchange is settled whole')
  assert.throws(() => choose(all, { escrow, obligation_ids: ['price', 'permit'] }), whole)
  assert.throws(() => choose(all, { escrow, obligation_ids: ['price'], amount: 3n }), whole)
  // Whose counterpart was waived has nothing to wait for.
  const waived = [leg('goods', { ended: 'WAIVED', ended_at: now }), leg('price', { from: 'counterparty' })]
  assert.deepEqual(choose(waived, { escrow, obligation_ids: ['price'] }), ['price:10'])
})
