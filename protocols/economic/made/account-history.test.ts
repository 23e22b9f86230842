import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_did, test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { balanceOf, keepAsset, postJournals } from '../ledger/api.ts'
import { made } from './made.ts'
import { decimalOf, statementText } from './statement-text.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>
const other_did = `did:oas:${test_tenant}:agent:${'b'.repeat(64)}`
const correlation_id = '00000000-0000-4000-8000-000000000000'
const begin_ms = Date.parse('2026-11-15T00:00:00Z')
const timeOf = (minute: number) => new Date(begin_ms + minute * 60_000).toISOString()
let is_charter = false
let stage: Rehearsal
let assets = 0

before(async () => {
  const charter = () => ({ has: async () => is_charter, members: async () => [], async change() {} })
  stage = await rehearse(made, { needs: { charter }, tenants: [test_tenant, 'rival'] })
})
after(() => stage.close())

/** Of an asset of its own, two decimals, issued by another organization in journals that only that one may read. */
async function openAccount(moves: readonly { minute: number; amount: bigint }[], did = test_did) {
  const asset_id = `history-${assets++}`
  const asset = { asset_id, kind: 'token', rail: 'internal', code: 'PTS', decimals: 2 } as const
  const sizes = { finality_s: 0, lot_size: 1n, tick_size: 1n, max_supply: null }
  const { engine } = stage.store
  await keepAsset(engine, { ...asset, ...sizes }, { tenant_id: 'rival', did: 'r', at: timeOf(0) })
  for (let first = 0; first < moves.length; first += 50)
    await postJournals(
      engine,
      moves.slice(first, first + 50).map(({ minute, amount }, place) => ({
        ...{ tenant_id: 'rival', kind: 'gift', ref: `ref ${first + place}`, correlation_id },
        at: timeOf(minute),
        entries: [
          { tenant_id: 'rival', asset_id, type: 'issuance', amount: -amount },
          { tenant_id: test_tenant, did, asset_id, type: 'available', amount },
        ],
      })),
    )
  return asset_id
}

const history = (input: Fields, did = test_did): Promise<Fields> =>
  stage.run('account_history', input, { did }) as Promise<Fields>
const isRefused = (reason: string) => (error: unknown) => {
  assert.ok(error instanceof Refusal, String(error))
  assert.equal(error.details.reason, reason)
  return true
}

test('every entry has the balance after it, whatever the pages, and the last is the balance of the account', async () => {
  const moves = fc.array(fc.record({ minute: fc.nat(30), amount: fc.bigInt({ min: 1n, max: 10n ** 12n }) }), {
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(moves, fc.integer({ min: 1, max: 9 }), fc.nat(30), async (list, limit, from_minute) => {
      const asset_id = await openAccount(list)
      const account = { asset_id, holder_did: test_did }
      const [from, until] = [timeOf(from_minute), timeOf(from_minute + 10)]
      for (const span of [{}, { from, until }]) {
        const entries: Fields[] = []
        let page = await history({ ...account, ...span, limit })
        const { opening_balance } = page
        for (;;) {
          entries.push(...page.entries)
          assert.equal(page.closing_balance, entries.at(-1)?.balance ?? opening_balance)
          if (page.next_cursor === undefined) break
          page = await history({ ...account, ...span, limit, cursor: page.next_cursor })
        }
        const moves_in_span = list
          .map((move, place) => ({ ...move, place }))
          .filter(({ minute }) => !('from' in span) || (timeOf(minute) >= from && timeOf(minute) < until))
          .sort((a, b) => a.minute - b.minute || a.place - b.place)
        assert.deepEqual(
          entries.map(({ ref, amount }) => [ref, amount]),
          moves_in_span.map(({ place, amount }) => [`ref ${place}`, String(amount)]),
        )
        const earlier = 'from' in span ? list.filter(({ minute }) => timeOf(minute) < from) : []
        let balance = earlier.reduce((sum, { amount }) => sum + amount, 0n)
        assert.equal(opening_balance, String(balance))
        for (const entry of entries) {
          balance += BigInt(entry.amount)
          assert.equal(entry.balance, String(balance))
        }
        const name = { tenant_id: test_tenant, did: test_did, asset_id, type: 'available' } as const
        if (!('from' in span)) assert.equal(balance, await balanceOf(stage.store.engine, name))
      }
    }),
    { numRuns: 15 },
  )
})

test('an account is read by its holder and by charter members', async () => {
  const asset_id = await openAccount([{ minute: 1, amount: 5n }], other_did)
  await assert.rejects(history({ asset_id, holder_did: other_did }), isRefused('not your account'))
  assert.deepEqual((await history({ asset_id })).entries, [], 'the organization itself holds none')
  is_charter = true
  assert.equal((await history({ asset_id, holder_did: other_did })).closing_balance, '5')
  is_charter = false
  assert.equal((await history({ asset_id, holder_did: other_did }, other_did)).entries.length, 1)
})

test('what cannot be read is said', async () => {
  await assert.rejects(history({ asset_id: 'no-such-asset' }), isRefused('unknown asset'))
  const asset_id = await openAccount([])
  await assert.rejects(history({ asset_id, from: '2026-02-30T00:00:00Z' }), isRefused('no_such_moment'))
  const backwards = { from: timeOf(2), until: timeOf(1) }
  await assert.rejects(history({ asset_id, ...backwards }), isRefused('backwards period'))
  for (const cursor of ['x', Buffer.from('1|2|three').toString('base64url')])
    await assert.rejects(history({ asset_id, cursor }), isRefused('cursor'))
})

test('a cursor goes on in its own account and period only', async () => {
  const moves = [1, 2, 3].map((minute) => ({ minute, amount: 5n }))
  const asset_id = await openAccount(moves)
  const account = { asset_id, holder_did: test_did, limit: 1 }
  const { next_cursor: cursor } = await history(account)
  assert.equal((await history({ ...account, cursor })).closing_balance, '10')
  const others = [
    { type: 'escrow' },
    { from: timeOf(2) },
    { holder_did: undefined },
    { asset_id: await openAccount(moves) },
  ]
  for (const other of others)
    await assert.rejects(history({ ...account, ...other, cursor }), isRefused('cursor'))
})

test('the pages of a CSV file are one file, and words of others are no formulas', async () => {
  const asset_id = await openAccount([
    { minute: 1, amount: 1_234n },
    { minute: 2, amount: 5n },
  ])
  const account = { asset_id, holder_did: test_did, format: 'csv', limit: 1 }
  const first = await history(account)
  const second = await history({ ...account, cursor: first.next_cursor })
  const lines = (first.text + second.text).split('\r\n').map((line: string) => line.split(',').slice(0, 6))
  assert.deepEqual(lines, [
    ['posted_at', 'kind', 'ref', 'amount', 'balance', 'asset'],
    ['2026-11-15T00:01:00.000Z', 'gift', 'ref 0', '12.34', '12.34', asset_id],
    ['2026-11-15T00:02:00.000Z', 'gift', 'ref 1', '0.05', '12.39', asset_id],
    [''],
  ])
  const cell = (ref: string) =>
    statementText('csv', subject, { ...page, entries: [{ ...line, ref }] }).split('\r\n')[0]
  assert.match(cell('=HYPERLINK("x")')!, /,"'=HYPERLINK\(""x""\)",/)
  assert.match(cell('a,b')!, /,"a,b",/)
})

const subject = {
  decimals: 2,
  account: { tenant_id: 'acme', did: 'did:oas:acme:agent:a', asset_id: 'points', type: 'available' },
} as const
const line = {
  posted_at: '2026-11-15T00:01:00.000Z',
  kind: 'trade',
  ref: 't-1',
  amount: '-250',
  balance: '750',
  journal_id: 'j',
  correlation_id,
}
const page = { opening: 1_000n, entries: [line], is_first: false, from: '2026-11-15T00:00:00Z' }

test('for ledger-cli each entry is a transaction that asserts its balance, after the opening balance', () => {
  const entry = `2026-11-15 * (j) trade t-1
    Assets:acme:did.oas.acme.agent.a:available  -2.50 "points" = 7.50 "points"
    Counter:trade

`
  assert.equal(statementText('ledger', subject, page), entry)
  const opening = `2026-11-15 * (opening) opening balance
    Assets:acme:did.oas.acme.agent.a:available  10.00 "points" = 10.00 "points"
    Equity:Opening balances

`
  assert.equal(statementText('ledger', subject, { ...page, is_first: true }), opening + entry)
  const forged = { ...line, ref: 'x\n2026-11-15 * stolen\n    Assets:mine  1' }
  const text = statementText('ledger', subject, { ...page, entries: [forged] })
  assert.equal(text.split('\n').length, entry.split('\n').length, 'a reference cannot add a transaction')
})

test('minor units as decimals', () => {
  const cases: [string, number, string][] = [
    ['5', 0, '5'],
    ['5', 2, '0.05'],
    ['-5', 2, '-0.05'],
    ['-1234', 2, '-12.34'],
    ['0', 6, '0.000000'],
  ]
  for (const [minor, decimals, text] of cases) assert.equal(decimalOf(minor, decimals), text)
})
