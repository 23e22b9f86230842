import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { HeldCapability } from '@svc/contract/authority/capability'
import { rootsBehind } from '@svc/contract/identity/roots'
import { empty_books } from '@svc/contract/money/books'
import { sql } from '@svc/database/sql'
import { testContext, testTick } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { ensureUsd } from '../ledger/store.ts'
import { submit } from './bid-submission.ts'
import type { Bid, Lot } from './lot.ts'
import { offerFor, sweepLots } from './lot-award.ts'
import { bids_of_root_max } from './lot-store.ts'

const start_ms = Date.parse('2026-11-15T10:00:00.000Z')
const hour_ms = 3_600_000
let opened: TestStore

before(async () => {
  opened = await openTestStore()
  await ensureUsd(opened.store.engine, 'operator')
})
after(() => opened.close())

const didOf = (name: string, tenant_id = 'acme') =>
  `did:oas:${tenant_id}:agent:${Buffer.from(name).toString('hex').padEnd(64, '0')}`

type Fields = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: each action answers its own fields
type Answer = Record<string, any>
interface Scene {
  readonly at_ms?: number
  readonly held?: readonly Partial<HeldCapability>[]
  readonly tenant_id?: string
  readonly made?: unknown[]
  readonly treaty?: unknown
}

const names_of_one = Array.from({ length: bids_of_root_max + 1 }, (_, n) => `child${n}`)
const children = names_of_one.map((who) => didOf(who))
const strangers = new Set(names_of_one.map((_, n) => didOf(`stranger${n}`)))

/** All others are roots. */
function rootOf(did: string): string | undefined {
  if (strangers.has(did)) return undefined
  return children.includes(did) ? didOf('person') : did
}

/** One call of bid_submission in acme; MADE returns one contract per nonce. */
function tender(who: string, input: Fields, scene: Scene = {}) {
  const { at_ms = start_ms, held = [{ name: 'svc.*.*' }], made = [] } = scene
  return opened.as('acme', (db) => {
    const context = testContext<'authority' | 'budgets' | 'lineages' | 'treaties'>({
      db,
      tenant_id: 'acme',
      now: new Date(at_ms).toISOString(),
      caller: { did: didOf(who, scene.tenant_id), entity_kind: 'Agent', auth_method: 'did' },
      authority: { ofCaller: async () => ({ held }) },
      lineages: {
        roots: async (dids: readonly string[]) => rootsBehind(dids.map((did) => [did, rootOf(did)])),
      },
      treaties: { find: async () => scene.treaty },
      budgets: { rules: async () => empty_books },
      audit() {},
      async call(_protocol: string, _operation: string, offer: { nonce: string }) {
        made.push(offer)
        return { contract_id: `sha256:${offer.nonce}` }
      },
    })
    return submit(input as never, context) as unknown as Promise<Answer>
  })
}

const solicit = (more: Fields = {}) => ({
  action: 'solicit',
  task: 'Translate.',
  capability: 'svc.mim.send',
  asset_id: 'usd',
  reserve_price: '100',
  closes_at: new Date(start_ms + hour_ms).toISOString(),
  ...more,
})
const newLot = async (more: Fields = {}) => (await tender('solicitor', solicit(more))).lot_id as string
const refusedWith = (work: Promise<unknown>, reason: string) =>
  assert.rejects(work, (error: { details?: Fields }) => {
    assert.equal(error.details?.reason, reason, String(error))
    return true
  })

test('one root has a bounded number of live bids for a lot, and those without a root share one', async () => {
  const lot_id = await newLot()
  const bid = (who: string) => tender(who, { lot_id, price: '50', eta_seconds: 60 })
  for (const who of names_of_one.slice(0, bids_of_root_max)) await bid(who)
  await refusedWith(bid(names_of_one[bids_of_root_max]!), 'too many bids of one root')
  assert.equal((await bid('child0')).bids_count, bids_of_root_max, 'a bid can be replaced')
  assert.equal((await bid('other')).bids_count, bids_of_root_max + 1, 'others still bid')
  const unknown = await newLot()
  const bidUnknown = (who: string) => tender(who, { lot_id: unknown, price: '50', eta_seconds: 60 })
  for (let n = 0; n < bids_of_root_max; n++) await bidUnknown(`stranger${n}`)
  await refusedWith(bidUnknown(`stranger${bids_of_root_max}`), 'too many bids of one root')
})

test('under concurrent bids each bidder has one live bid, and each seq is used once', async () => {
  const lot_id = await newLot()
  const bids = Array.from({ length: 24 }, (_, i) => ({ who: `b${i % 6}`, price: String(99 - i) }))
  await Promise.all(bids.map(({ who, price }) => tender(who, { lot_id, price, eta_seconds: 60 })))
  const rows = await sql<{ live: boolean; bidder_did: string; seq: number }>`
    SELECT ended_at IS NULL AS live, bidder_did, seq FROM bids WHERE lot_id = ${lot_id} ORDER BY seq`.all(
    opened.store.engine,
  )
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    bids.map((_, i) => i + 1),
  )
  const live = rows.filter((row) => row.live).map(({ bidder_did }) => bidder_did)
  assert.deepEqual([live.length, new Set(live).size], [6, 6])
})

test('a concurrent sweep and award decide a lot once, for the same bidder', async () => {
  const lot_id = await newLot()
  for (const [who, price] of Object.entries({ a: '80', b: '60', c: '70' }))
    await tender(who, { lot_id, price, eta_seconds: 60 })
  const at_ms = start_ms + hour_ms
  const made: unknown[] = []
  const award = () => tender('solicitor', { action: 'award', lot_id }, { at_ms, made })
  const [first, , second] = await Promise.all([
    award(),
    sweepLots(opened.store.engine, testTick(at_ms)),
    award(),
  ])
  assert.deepEqual(first, second)
  assert.deepEqual([first.winner_did, first.clearing_price], [didOf('b'), '70'])
  assert.equal(made.length, 1)
  const empty = await newLot()
  await sweepLots(opened.store.engine, testTick(at_ms))
  const nobody = await tender('solicitor', { action: 'award', lot_id: empty }, { at_ms, made })
  assert.deepEqual([nobody.state, nobody.bids_count, made.length], ['EXPIRED', 0, 1])
})

test('withdrawn bids and cancelled lots no longer count', async () => {
  const lot_id = await newLot()
  await tender('a', { lot_id, price: '10', eta_seconds: 60 })
  await tender('b', { lot_id, price: '20', eta_seconds: 60 })
  assert.equal((await tender('a', { action: 'withdraw', lot_id })).bids_count, 1)
  await refusedWith(tender('a', { action: 'withdraw', lot_id }), 'not_found')
  const at_ms = start_ms + hour_ms
  const answer = await tender('c', { action: 'view', lot_id }, { at_ms })
  assert.deepEqual([answer.winner_did, answer.clearing_price], [didOf('b'), '100'])
  const taken_back = await newLot()
  await tender('a', { lot_id: taken_back, price: '10', eta_seconds: 60 })
  assert.equal((await tender('solicitor', { action: 'withdraw', lot_id: taken_back })).state, 'CANCELLED')
  await refusedWith(tender('b', { lot_id: taken_back, price: '10', eta_seconds: 60 }), 'lot closed')
  const award = tender('solicitor', { action: 'award', lot_id: taken_back }, { at_ms })
  await refusedWith(award, 'lot is CANCELLED; award needs a closed lot')
  const shown = await tender('solicitor', { action: 'view', lot_id: taken_back }, { at_ms })
  assert.deepEqual([shown.state, shown.losing], ['CANCELLED', undefined])
})

test('only qualified known bidders can bid, with consistent fields', async () => {
  const lot_id = await newLot()
  const bid = { lot_id, price: '10', eta_seconds: 60 }
  for (const capabilities of [
    [],
    [{ name: 'svc.mim.read' }],
    [{ name: 'svc.mim.*', expires_at: '2026-11-15T10:00:00Z' }],
  ])
    await refusedWith(tender('a', bid, { held: capabilities }), 'capability not held')
  await refusedWith(tender('a', bid, { tenant_id: 'rival' }), 'not_found')
  await refusedWith(tender('a', solicit(), { tenant_id: 'rival' }), 'solicitor of another tenant')
  const open_lot = await newLot({ visibility: 'treaty' })
  const abroad = { tenant_id: 'rival', treaty: {} }
  await refusedWith(tender('a', { ...bid, lot_id: open_lot }, abroad), 'no active treaty')
  const treaty_id = `sha256:${'a'.repeat(64)}`
  assert.ok(await tender('a', { ...bid, lot_id: open_lot, treaty_id }, abroad))
  const listed = await tender('a', { action: 'view' }, abroad)
  assert.deepEqual(
    (listed.lots as Lot[]).map((lot) => lot.lot_id),
    [open_lot],
  )
  await refusedWith(tender('a', { ...bid, price: '0' }), 'price of nothing')
  await refusedWith(tender('a', { ...bid, task: 'x' }), 'fields of the action')
  await refusedWith(tender('a', { lot_id }), 'fields of the action')
  await refusedWith(tender('a', { ...bid, valid_until: '2026-11-15T10:59:59.999Z' }), 'valid_until')
  await refusedWith(tender('a', solicit({ closes_at: '2026-11-15T10:00:00Z' })), 'closes_at')
  await refusedWith(tender('a', solicit({ closes_at: '2027-02-31T10:00:00Z' })), 'closes_at')
})

test('open lots are paged, the first to close first, and only our cursors are accepted', async () => {
  const minutes = [50, 30, 40, 30]
  const made: string[] = []
  for (const minute of minutes)
    made.push(await newLot({ closes_at: new Date(start_ms + minute * 60_000).toISOString() }))
  const lot_ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await tender('a', { action: 'view', limit: 2, ...(cursor && { cursor }) })
    lot_ids.push(...(page.lots as Lot[]).map((lot) => lot.lot_id))
    cursor = page.next_cursor
  } while (cursor && lot_ids.length < 100)
  assert.equal(new Set(lot_ids).size, lot_ids.length)
  const placed = [...made].sort((a, b) => lot_ids.indexOf(a) - lot_ids.indexOf(b))
  assert.deepEqual(placed.slice(2), [made[2], made[0]])
  for (const text of ['x', `2026-02-31T00:00:00.000Z|${made[0]}`, `0000-01-01T00:00:00.000Z|${made[0]}`])
    await refusedWith(
      tender('a', { action: 'view', cursor: Buffer.from(text).toString('base64url') }),
      'cursor',
    )
})

test('an award repeated on the same day makes the same offer, and never an expired one', () => {
  const closes_at = new Date(start_ms)
  const lot = {
    lot_id: 'l',
    task: `${'x'.repeat(1990)}\u{1f600}\u{1f600}`,
    clearing_price: 7n,
    closes_at,
  } as Lot
  const winner = { bidder_did: 'b', eta_seconds: 60, treaty_id: null } as Bid
  const offer = (after_ms: number) => offerFor(lot, winner, new Date(start_ms + after_ms).toISOString())
  assert.deepEqual(offer(59_999), offer(0))
  assert.equal(offer(0).obligations[0]!.due_at, '2026-11-15T10:01:00.000Z')
  assert.deepEqual(offer(60_000), offer(13 * hour_ms))
  assert.equal(offer(60_000).obligations[0]!.due_at, '2026-11-16T00:01:00.000Z')
  assert.ok(offer(0).memo.isWellFormed() && offer(0).memo.length <= 2000)
})
