// Goods against money between two organizations: both legs move in one journal, or nothing does.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import type { AccountType } from '@svc/contract/money/money'
import { balanceOf, postJournal } from '@svc/protocols/economic/ledger/store'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import * as made from '../identity/made-scene.ts'
import { create, publish, settle, treaty_id } from '../identity/made-scene.ts'

let scene: made.MadeScene
/** Buys with the coin that acme issues. */
let ann: made.Party
/** Sells the gold that globex issues. */
let bob: made.Party

before(async () => {
  ;({ scene, ann, bob } = await made.openTwoParties())
  const gold = { asset_id: 'gold', kind: 'commodity', denomination: { code: 'BAR', decimals: 0 } }
  assertSuccess(await publish(bob, gold))
  await give(10n)
})
after(() => scene?.service.stop())

const engine = () => scene.service.service.store.engine
const denied = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const
const cancelled = 'contract is CANCELLED; settle needs ACTIVE or PARTIALLY_SETTLED or DEFAULTED'
const invalid = { code: 'invalid_payload', stage: 7, reason: 'terms do not hold' } as const

function give(amount: bigint): Promise<string> {
  const entry = { asset_id: 'gold', tenant_id: 'globex' }
  return postJournal(engine(), {
    ...{ tenant_id: 'globex', kind: 'test', ref: 'test', at: made.start, correlation_id: randomUUID() },
    entries: [
      { ...entry, type: 'issuance', amount: -amount },
      { ...entry, did: bob.agent_did, type: 'available', amount },
    ],
  })
}

function held({ tenant_id, agent_did: did }: made.Party, asset_id: string, type: AccountType = 'available') {
  return balanceOf(engine(), { tenant_id, did, asset_id, type })
}

/** What both have of both, free and set aside. */
async function holdings() {
  const of = async (party: made.Party) =>
    Promise.all(
      ['coin', 'gold'].flatMap((asset_id) =>
        (['available', 'escrow', 'reserved'] as const).map((type) => held(party, asset_id, type)),
      ),
    )
  return { ann: await of(ann), bob: await of(bob) }
}

const bars = { id: 'bars', from: 'counterparty', asset_id: 'gold', amount: '10', exchange: 'swap' }
const price = { id: 'price', from: 'proposer', asset_id: 'coin', amount: '200000', exchange: 'swap' }

const offer = (obligations: readonly object[] = [bars, price], more: object = {}) =>
  create(ann, { counterparty_did: bob.agent_did, treaty_id, escrow: true, obligations, ...more })

async function agreed(obligations?: readonly object[]): Promise<string> {
  const { contract_id } = assertSuccess(await offer(obligations)).output
  assertSuccess(await create(bob, { contract_id }))
  return contract_id as string
}

async function entriesOf(journal_ids: unknown) {
  const { rows } = await asOwner(scene.service.db_url, (owner) =>
    owner.query(
      `SELECT e.journal_id, e.asset_id, sum(e.amount)::text AS sum, count(*)::int AS count FROM ledger_entries e
       WHERE e.journal_id = ANY($1::uuid[]) GROUP BY 1, 2 ORDER BY 2`,
      [journal_ids],
    ),
  )
  return rows as { journal_id: string; asset_id: string; sum: string; count: number }[]
}

test('an exchange is offered with both sides, from escrow, due together and without a circle', async () => {
  const faulty = [
    [[bars, price], { escrow: false }, '/obligations/0/exchange'],
    [[bars, { ...price, exchange: 'other' }], {}, '/obligations/0/exchange'],
    [[bars, { ...price, due_at: '2026-11-16T10:00:00.000Z' }], {}, '/obligations/0/exchange'],
    [
      [bars, { ...price, condition: { kind: 'after_obligation', ref: 'bars' } }],
      {},
      '/obligations/0/condition/ref',
    ],
  ] as const
  for (const [obligations, more, pointer] of faulty) {
    const refusal = assertRefusal(await offer(obligations, more), invalid)
    assert.equal((refusal.details as { faults: { pointer: string }[] }).faults[0]!.pointer, pointer)
  }
  const empty = await offer([{ ...bars, exchange: '' }, price])
  assert.deepEqual([empty.status, empty.body.error.code], [422, 'invalid_payload'])
})

test('an acceptance that one leg does not cover holds nothing, and says which leg', async () => {
  const { contract_id } = assertSuccess(await offer([{ ...bars, amount: '11' }, price])).output
  const before_it = await holdings()
  const uncovered = assertRefusal(await create(bob, { contract_id }), denied('insufficient funds'))
  assert.partialDeepStrictEqual(uncovered.details, {
    obligation_ids: ['bars'],
    from: 'counterparty',
    asset_id: 'gold',
    needed: '11',
  })
  assert.match(uncovered.message, /bars/)
  assert.deepEqual(await holdings(), before_it)
  // The other leg: what somebody else has is not told.
  const dear = assertSuccess(await offer([bars, { ...price, amount: '2000000' }])).output
  const refused = assertRefusal(
    await create(bob, { contract_id: dear.contract_id }),
    denied('insufficient funds'),
  )
  assert.partialDeepStrictEqual(refused.details, { obligation_ids: ['price'], from: 'proposer' })
  assert.ok(!('balance' in (refused.details as object)))
  assert.deepEqual(await holdings(), before_it)
  for (const id of [contract_id, dear.contract_id]) {
    const { output } = assertSuccess(await create(ann, { contract_id: id, action: 'view' }))
    assert.deepEqual([output.state, output.escrowed], ['OFFERED', []])
    assertSuccess(await create(ann, { contract_id: id, action: 'withdraw' }))
  }
  await made.assertSound(scene)
})

test('cancelled by both, each leg goes back to who put it there', async () => {
  const before_it = await holdings()
  const contract_id = await agreed()
  // All ten bars: a fee below one unit needs no eleventh.
  assert.deepEqual((await holdings()).bob.slice(3), [0n, 10n, 0n])
  assert.deepEqual((await holdings()).ann.slice(0, 3), [799_500n, 200_000n, 500n])
  for (const who of [ann, bob]) assertSuccess(await create(who, { contract_id, action: 'cancel' }))
  assert.deepEqual(await holdings(), before_it)
  assertRefusal(await settle(ann, { contract_id }), denied(cancelled))
})

test('no leg moves alone, and two settlements at once move both legs once, in one journal', async () => {
  const contract_id = await agreed()
  for (const input of [
    { obligation_ids: ['bars'] },
    { obligation_ids: ['price'] },
    { obligation_ids: ['price'], amount: '5' },
  ]) {
    const { details } = assertRefusal(
      await settle(ann, { contract_id, ...input }),
      denied('exchange is settled whole'),
    )
    assert.partialDeepStrictEqual(details, { exchange: 'swap', obligation_ids: ['bars', 'price'] })
  }
  const answers = await Promise.all([ann, bob, ann, bob].map((who) => settle(who, { contract_id })))
  const done = answers.filter(({ status }) => status === 200)
  assert.equal(done.length, 1, JSON.stringify(answers.map(({ body }) => body.error?.reason)))
  const { output } = done[0]!.body
  assert.deepEqual(
    output.settled.map((line: { obligation_id: string; fee: string }) => [line.obligation_id, line.fee]),
    [
      ['bars', '0'],
      ['price', '500'],
    ],
  )
  assert.equal(output.journal_ids.length, 1)
  const moved = await entriesOf(output.journal_ids)
  assert.deepEqual(
    moved.map(({ asset_id, sum }) => [asset_id, sum]),
    [
      ['coin', '0'],
      ['gold', '0'],
    ],
  )
  assert.deepEqual(await holdings(), {
    ann: [799_500n, 0n, 0n, 10n, 0n, 0n],
    bob: [200_000n, 0n, 0n, 0n, 0n, 0n],
  })
  for (const tenant_id of ['acme', 'globex'])
    assert.ok((await made.eventsOf(scene, tenant_id, done[0]!)).includes('ContractSettled'))
  await made.assertSound(scene)
  // Both take it back: each leg returns to escrow.
  const reversal = { contract_id, reverse: output.settlement_id }
  for (const who of [ann, bob]) assertSuccess(await settle(who, reversal))
  assert.deepEqual((await holdings()).bob, [0n, 0n, 0n, 0n, 10n, 0n])
  assertSuccess(await create(ann, { contract_id, action: 'waive', obligation_ids: ['bars'] }))
  assertSuccess(await create(bob, { contract_id, action: 'waive', obligation_ids: ['price'] }))
  assert.deepEqual((await holdings()).ann, [999_500n, 0n, 0n, 0n, 0n, 0n])
  assert.deepEqual((await holdings()).bob, [0n, 0n, 0n, 10n, 0n, 0n])
})

test('a crash between the legs and the answer undoes both; the repeated call settles once', async () => {
  const contract_id = await agreed()
  const before_it = await holdings()
  const request = {
    protocol: 'MADE',
    operation: 'economic_contract_settle',
    input: { contract_id },
    idempotency_key: randomUUID(),
  }
  const break_it = `CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'gone'; END $$;
    CREATE TRIGGER broken BEFORE INSERT ON settlements FOR EACH ROW EXECUTE FUNCTION broken()`
  await asOwner(scene.service.db_url, (owner) => owner.query(break_it))
  assert.equal((await dispatch(bob, request)).status, 500)
  assert.deepEqual(await holdings(), before_it)
  await asOwner(scene.service.db_url, (owner) => owner.query('DROP FUNCTION broken CASCADE'))
  const answers: Answer[] = [await dispatch(bob, request), await dispatch(bob, request)]
  const [first, again] = answers.map((answer) => assertSuccess(answer))
  assert.deepEqual(again!.output, first!.output)
  assert.deepEqual(
    answers.map(({ body }) => (body.metadata as { replayed: boolean }).replayed),
    [false, true],
  )
  assert.equal(await held(ann, 'gold'), 10n)
  await made.assertSound(scene)
})

test('ten payments cost what one of their sum costs, also at once', async () => {
  const fees = () => balanceOf(engine(), { tenant_id: 'operator', asset_id: 'coin', type: 'fees' })
  const cat = await scene.newParty('third')
  const dan = await scene.newParty('fourth')
  const signed = scene.known.treaty!
  scene.known.treaty = made.treatyBetween(cat, dan)
  await made.fund(scene, cat, 10_000n)
  const paid = { id: 'a', from: 'proposer', asset_id: 'coin', amount: '199' }
  const contract_ids: string[] = []
  for (let count = 0; count < 10; count++) {
    const agreement = await made.agree([cat, dan], [paid], { memo: `part ${count}` })
    contract_ids.push(agreement.contract_id as string)
  }
  const charged_before = await fees()
  // Each alone would have been free: 199 * 25 / 10,000 is less than a half.
  const answers = await Promise.all(contract_ids.map((contract_id) => settle(cat, { contract_id })))
  for (const answer of answers) assertSuccess(answer)
  const charged = answers.map(({ body }) => Number(body.output.settled[0].fee))
  assert.equal(
    charged.reduce((sum, fee) => sum + fee, 0),
    Math.floor((1_990 * 25 + 5_000) / 10_000),
  )
  assert.ok(charged.every((fee) => fee === 0 || fee === 1))
  assert.equal((await fees()) - charged_before, 5n)
  scene.known.treaty = signed
  await made.assertSound(scene)
})

test('what is due in the past is refused, and what names no time is due at once', async () => {
  const { details } = assertRefusal(
    await offer([{ ...bars, exchange: undefined, due_at: '2026-11-15T09:59:59.999Z' }]),
    invalid,
  )
  const [fault] = (details as { faults: { pointer: string; message: string }[] }).faults
  assert.equal(fault!.pointer, '/obligations/0/due_at')
  assert.match(fault!.message, /past/)
})
