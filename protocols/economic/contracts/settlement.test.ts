// Invariant 15 without a database: payments, reversals and waivers in any order and any parts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { feeOf } from '../ledger/fees.ts'
import type { Entry } from '../ledger/store.ts'
import { type Contract, fee_rules, type Obligation, otherSide, restOf } from './contract-terms.ts'
import {
  entriesOfConsent,
  entriesOfEscrow,
  entriesOfLine,
  entriesOfLines,
  entriesOfRelease,
  entriesOfReversal,
  feeReserve,
  type SettledLine,
  settledLine,
} from './settlement.ts'
import { mostOf } from './settlement-fees.ts'

const proposer = { tenant_id: 'acme', did: 'did:ann' }
const counterparty = { tenant_id: 'globex', did: 'did:bob' }

const drawn_obligation = fc.record({
  from: fc.constantFrom('proposer' as const, 'counterparty' as const),
  asset_id: fc.constantFrom('coin', 'gold'),
  amount: fc.oneof(fc.bigInt({ min: 1n, max: 500n }), fc.bigInt({ min: 1n, max: 10n ** 31n - 1n })),
})
const drawn_contract = fc.record({
  escrow: fc.boolean(),
  fee_rule: fc.constantFrom(...fee_rules),
  bps: fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 })),
  drawn: fc.array(drawn_obligation, { minLength: 1, maxLength: 4 }),
})
const step = fc.record({
  what: fc.constantFrom('part', 'whole', 'reverse', 'reverse aside', 'waive'),
  which: fc.nat(9),
  part: fc.integer({ min: 1, max: 9999 }),
})

function contractOf({
  escrow,
  fee_rule,
  bps,
  drawn,
}: typeof drawn_contract extends fc.Arbitrary<infer T> ? T : never): Contract {
  return {
    contract_id: 'x',
    proposer,
    counterparty,
    escrow,
    treaty_id: null,
    expires_at: new Date(0),
    activated_at: new Date(0),
    state: 'ACTIVE',
    fee_bps: { proposer: bps[0], counterparty: bps[1] },
    fee_rule,
    settlements: [],
    obligations: drawn.map((one, place) => ({
      ...one,
      id: `o${place}`,
      due_at: '2026-01-01T00:00:00Z',
      condition: { kind: 'none' },
      credit_to: 'available',
      settled: 0n,
      ended: null,
      ended_at: null,
      exchange: null,
    })),
  }
}

/** A ledger in a map: the sum of each account. Every posting must balance in each asset. */
function newAccounts() {
  const accounts = new Map<string, bigint>()
  const key = ({ tenant_id, did = '', asset_id, type }: Omit<Entry, 'amount'>) =>
    [tenant_id, did, asset_id, type].join('/')
  return {
    of: (account: Omit<Entry, 'amount'>) => accounts.get(key(account)) ?? 0n,
    /** Posted by one party: from the other it may only take or create reserved amounts. */
    post(entries: readonly Entry[], poster: string): void {
      assertNoTrespass(entries, poster)
      const sums = new Map<string, bigint>()
      assert.equal(new Set(entries.map(key)).size, entries.length, 'one entry to an account')
      for (const entry of entries) {
        assert.notEqual(entry.amount, 0n)
        accounts.set(key(entry), (accounts.get(key(entry)) ?? 0n) + entry.amount)
        sums.set(entry.asset_id, (sums.get(entry.asset_id) ?? 0n) + entry.amount)
      }
      for (const sum of sums.values()) assert.equal(sum, 0n)
    },
  }
}

/** Charges as the ledger does: each side is an organization of its own. */
function newMeter() {
  const sums = new Map<string, { exact: bigint; charged: bigint }>()
  return {
    sums,
    charge(contract: Contract, line: SettledLine): SettledLine {
      const { from, asset_id, amount } = line
      const bps = contract.fee_bps![from]
      if (contract.fee_rule === 'each') return { ...line, fee: feeOf(amount, bps) }
      const before = sums.get(`${from} ${asset_id}`) ?? { exact: 0n, charged: 0n }
      const exact = before.exact + amount * BigInt(bps)
      const due = (exact + 5_000n) / 10_000n - before.charged
      const most = mostOf(contract, line)
      const is_covered = due < most
      const fee = is_covered ? due : most
      sums.set(`${from} ${asset_id}`, { exact, charged: before.charged + fee })
      return { ...line, fee }
    },
  }
}

/** The same rule the database enforces. */
function assertNoTrespass(entries: readonly Entry[], poster: string): void {
  for (const { tenant_id, did, asset_id } of entries) {
    const same = entries.filter(
      (one) => one.tenant_id === tenant_id && one.did === did && one.asset_id === asset_id,
    )
    const sum = (...types: string[]) =>
      same.reduce((all, { type, amount }) => (types.includes(type) ? all + amount : all), 0n)
    const is_own = tenant_id === poster || sum('available') >= 0n
    assert.ok(is_own || sum('available', 'reserved', 'escrow') >= 0n, `${poster} takes from ${tenant_id}`)
  }
}

test('escrow equals what is owed and unpaid, fees follow the formula, and nobody is paid twice', () => {
  fc.assert(
    fc.property(drawn_contract, fc.array(step, { maxLength: 12 }), (drawn, steps) => {
      let contract = contractOf(drawn)
      const accounts = newAccounts()
      const lines: SettledLine[] = []
      const meter = newMeter()
      const replaceObligation = (one: Obligation) => {
        const obligations = contract.obligations.map((previous) => (previous.id === one.id ? one : previous))
        contract = { ...contract, obligations }
      }
      let fees = 0n
      if (contract.escrow)
        accounts.post(entriesOfEscrow(contract, contract.obligations), counterparty.tenant_id)
      for (const { what, which, part } of steps) {
        const obligation = contract.obligations[which % contract.obligations.length]!
        const rest = restOf(obligation)
        const payer = contract[obligation.from].tenant_id
        const payee = contract[otherSide(obligation.from)].tenant_id
        if (what === 'part' || what === 'whole') {
          const amount = what === 'whole' ? rest : (rest * BigInt(part)) / 10_000n
          if (amount === 0n) continue
          const line = meter.charge(contract, settledLine(contract, obligation, amount, false))
          const is_free = contract.escrow && what === 'whole'
          accounts.post(entriesOfLine(contract, obligation, line, 'operator'), is_free ? payee : payer)
          lines.push(line)
          fees += line.fee
          const settled = obligation.settled + amount
          const is_whole = settled === obligation.amount
          replaceObligation({ ...obligation, settled, ended: is_whole ? 'SETTLED' : null, ended_at: null })
        } else if (what === 'waive') {
          if (rest === 0n) continue
          if (contract.escrow) accounts.post(entriesOfRelease(contract, [obligation]), payee)
          replaceObligation({ ...obligation, ended: 'WAIVED' })
        } else {
          const place = lines.findIndex((line) => line.obligation_id === obligation.id)
          if (place < 0 || obligation.ended === 'WAIVED') continue
          const [line] = lines.splice(place, 1)
          if (what === 'reverse aside') accounts.post(entriesOfConsent(contract, [line!]), payee)
          const taken_from = what === 'reverse' ? 'available' : 'reserved'
          accounts.post(
            entriesOfReversal(contract, obligation, line!, taken_from),
            what === 'reverse' ? payee : payer,
          )
          replaceObligation({ ...obligation, settled: obligation.settled - line!.amount, ended: null })
        }
        assertHolds(contract, accounts, fees)
      }
    }),
    { numRuns: 150 },
  )
})

function assertHolds(contract: Contract, accounts: ReturnType<typeof newAccounts>, fees: bigint): void {
  let charged = 0n
  for (const asset_id of ['coin', 'gold']) {
    charged += accounts.of({ tenant_id: 'operator', asset_id, type: 'fees' })
    for (const side of ['proposer', 'counterparty'] as const) {
      const own = contract.obligations.filter((one) => one.from === side && one.asset_id === asset_id)
      const owed = own.reduce((sum, one) => sum + restOf(one), 0n)
      const waiting = own.reduce((sum, one) => sum + feeReserve(contract, side, restOf(one)), 0n)
      const account = { ...contract[side], asset_id }
      assert.equal(accounts.of({ ...account, type: 'escrow' }), contract.escrow ? owed : 0n)
      assert.equal(accounts.of({ ...account, type: 'reserved' }), contract.escrow ? waiting : 0n)
      for (const { settled, amount } of own) assert.ok(settled >= 0n && settled <= amount)
    }
  }
  assert.equal(charged, fees)
}

test('nothing more than a fee of one unit is reserved for what costs less, so a single good can be delivered', () => {
  const drawn = [{ from: 'proposer' as const, asset_id: 'gold' as const, amount: 1n }]
  const contract = contractOf({ escrow: true, fee_rule: 'sum', bps: [25, 25], drawn })
  const reserved = [1n, 199n, 200n, 400n, 599n, 600n, 601n, 800n, 801n].map((amount) =>
    feeReserve(contract, 'proposer', amount),
  )
  assert.deepEqual(reserved, [0n, 0n, 1n, 1n, 1n, 2n, 2n, 2n, 3n])
})

test('the fee is the basis points rounded half up, in whole units', () => {
  const cases = [
    [0n, 25, 0n],
    [199n, 25, 0n],
    [200n, 25, 1n],
    [1000n, 25, 3n],
    [1_000_000n, 5, 500n],
  ] as const
  for (const [amount, bps, fee] of cases) assert.equal(feeOf(amount, bps), fee)
})

test('an exchange is one journal, and the other obligations have their own', () => {
  const drawn = [
    { from: 'proposer' as const, asset_id: 'gold' as const, amount: 10n },
    { from: 'counterparty' as const, asset_id: 'coin' as const, amount: 500n },
    { from: 'counterparty' as const, asset_id: 'coin' as const, amount: 7n },
  ]
  const agreed = contractOf({ escrow: true, fee_rule: 'sum', bps: [25, 25], drawn })
  const obligations = agreed.obligations.map((one, place) => ({ ...one, exchange: place < 2 ? 'x' : null }))
  const contract = { ...agreed, obligations }
  const meter = newMeter()
  const lines = obligations.map((one) =>
    meter.charge(contract, settledLine(contract, one, one.amount, false)),
  )
  const journals = entriesOfLines(contract, lines, 'operator')
  assert.deepEqual(
    journals.map((entries) => [...new Set(entries.map(({ asset_id }) => asset_id))].sort()),
    [['coin', 'gold'], ['coin']],
  )
  const accounts = newAccounts()
  accounts.post(entriesOfEscrow(contract, obligations), 'globex')
  for (const entries of journals) accounts.post(entries, 'acme')
  const [ann, bob] = [proposer, counterparty].map((party) => (asset_id: string) => {
    return accounts.of({ ...party, asset_id, type: 'available' })
  })
  assert.deepEqual([ann!('gold'), ann!('coin')], [-10n, 507n])
  assert.deepEqual([bob!('gold'), bob!('coin')], [10n, -507n - 1n])
})
