import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import type { AccountType } from '@svc/contract/money/money'
import { isSignedBy, signingInput, signText } from '@svc/contract/signing/signature'
import { balanceOf } from '@svc/protocols/economic/ledger/store'
import { dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import * as made from './made-scene.ts'
import { create, owes, publish, settle, start, treaty_id } from './made-scene.ts'

let scene: made.MadeScene
let ann: made.Party
let bob: made.Party
let eve: made.Party

before(async () => {
  ;({ scene, ann, bob } = await made.openTwoParties())
  eve = await scene.newParty('third')
  await made.fund(scene, bob, 1_000_000n)
})
after(() => scene.service.stop())

const engine = () => scene.service.service.store.engine
const denied = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const
const invalid = (reason: string) => ({ code: 'invalid_payload', stage: 7, reason }) as const
const balance = (party: made.Party, type: AccountType) => made.held(scene, party, type)
const eventsOf = (tenant_id: string, answer: Parameters<typeof made.eventsOf>[2]) =>
  made.eventsOf(scene, tenant_id, answer)
const assertSound = () => made.assertSound(scene)
const later = (seconds: number) => new Date(scene.clock.now_ms() + seconds * 1000).toISOString()
const pass = (seconds: number) => scene.clock.advance(seconds * 1000)

const agree = (obligations: unknown[], more: object = {}, sides: [made.Party, made.Party] = [ann, bob]) =>
  made.agree(sides, obligations, more)

/** First half of scenario 18: the second obligation depends on the first, and both are in escrow. */
async function agreeOnTwo(): Promise<string> {
  const wants = [
    owes('first', 'proposer', '1010'),
    owes('second', 'counterparty', '500', { condition: { kind: 'after_obligation', ref: 'first' } }),
  ]
  const offered = await create(ann, {
    counterparty_did: bob.agent_did,
    obligations: wants,
    treaty_id,
    escrow: true,
  })
  const { contract_id, state, escrowed } = assertSuccess(offered).output
  assert.deepEqual([state, escrowed], ['OFFERED', []])
  assert.deepEqual(await eventsOf('acme', offered), ['ContractCreated', 'ProtocolInvocation'])
  assert.deepEqual(await eventsOf('globex', offered), ['ContractCreated'])
  assertRefusal(await create(ann, { contract_id }), denied('not the counterparty of this contract'))
  const viewed = assertSuccess(await create(bob, { contract_id, action: 'view' })).output
  assert.deepEqual([viewed.state, viewed.obligations], ['OFFERED', offered.body.output.obligations])
  assertRefusal(await create(eve, { contract_id, action: 'view' }), invalid('not_found'))
  const accepted = await create(bob, { contract_id })
  const active = assertSuccess(accepted).output
  assert.deepEqual([active.state, active.fee_bps], ['ACTIVE', 25])
  assert.deepEqual(active.escrowed, [{ asset_id: 'coin', amount: '1510' }])
  assert.ok((await eventsOf('acme', accepted)).includes('ContractActivated'))
  assert.deepEqual([await balance(ann, 'escrow'), await balance(ann, 'reserved')], [1010n, 3n])
  await assertSound()
  return contract_id as string
}

test('scenario 18: an escrowed contract between two organizations is paid in parts, in order, and finally', async () => {
  const contract_id = await agreeOnTwo()
  assertRefusal(await settle(bob, { contract_id, obligation_ids: ['second'] }), denied('condition not met'))
  const parts = [
    assertSuccess(await settle(ann, { contract_id, obligation_ids: ['first'], amount: '605' })).output,
  ]
  assert.equal(parts[0]!.contract_state, 'PARTIALLY_SETTLED')
  await assertSound()
  assertRefusal(
    await settle(ann, { contract_id, obligation_ids: ['first'], amount: '406' }),
    denied('amount exceeds what is owed'),
  )
  assertRefusal(
    await settle(bob, { contract_id, obligation_ids: ['first'], amount: '5' }),
    denied('not the payer'),
  )
  assertRefusal(await settle(bob, { contract_id, obligation_ids: ['second'] }), denied('condition not met'))
  parts.push(
    assertSuccess(await settle(ann, { contract_id, obligation_ids: ['first'], amount: '405' })).output,
  )
  // floor((605*25 + 5000) / 10000) and the same of 405.
  assert.deepEqual(
    parts.map(({ settled }) => settled),
    [
      [{ obligation_id: 'first', asset_id: 'coin', amount: '605', fee: '2' }],
      [{ obligation_id: 'first', asset_id: 'coin', amount: '405', fee: '1' }],
    ],
  )
  await assertSound()
  // Either party may release the escrow to its recipient.
  const last = await settle(ann, { contract_id })
  const done = assertSuccess(last).output
  assert.deepEqual(done.settled, [{ obligation_id: 'second', asset_id: 'coin', amount: '500', fee: '1' }])
  assert.deepEqual([done.contract_state, done.state, done.final_at], ['SETTLED', 'POSTED', later(3600)])
  assert.deepEqual(await eventsOf('globex', last), ['ContractSettled'])
  assert.deepEqual([await balance(ann, 'available'), await balance(bob, 'available')], [999_487n, 1_000_509n])
  assert.equal(await balanceOf(engine(), { tenant_id: 'operator', type: 'fees', asset_id: 'coin' }), 4n)

  pass(3600)
  const reversal = { contract_id, reverse: done.settlement_id }
  assertRefusal(await settle(ann, reversal), denied('settlement is final'))
  await made.sweep(scene)
  await eventually(async () => {
    for (const tenant_id of ['acme', 'globex'])
      assert.equal((await scene.service.records(tenant_id, { event_types: ['SettlementFinal'] })).length, 3)
  })
  await assertSound()
})

test('the meaning of an asset never changes', async () => {
  const shell = { asset_id: 'shell', denomination: 'SHL', max_supply: '100' }
  const { output } = assertSuccess(await publish(eve, shell))
  assert.deepEqual([output.created, output.decimals, output.issuer_tenant], [true, 6, 'third'])
  const spelled = { ...shell, denomination: { code: 'SHL', decimals: 6 }, lot_size: '1' }
  const again = assertSuccess(await publish(eve, spelled)).output
  assert.deepEqual([again.created, again.asset_hash], [false, output.asset_hash])
  assert.equal(again.registered, output.registered)
  const registered = await made.registered(ann, output.registered)
  assert.partialDeepStrictEqual(registered, { asset_id: 'shell', asset_hash: output.asset_hash })
  for (const [who, asset] of [
    [eve, { ...shell, max_supply: '101' }],
    [ann, shell],
    [ann, { asset_id: 'usd', denomination: 'USD' }],
  ] as const)
    assertRefusal(await publish(who, asset), denied('asset already defined'))
  scene.lesser.add(eve.agent_did)
  const fiat = { asset_id: 'mark', denomination: 'DEM', kind: 'fiat' }
  assertRefusal(await publish(eve, fiat), denied('conformance L2 required'))
  scene.lesser.delete(eve.agent_did)
  assertRefusal(await publish(ann, { ...shell, asset_id: 'no-lot', lot_size: '0' }), invalid('lot_size is 0'))
})

test('a holder of its own key gets the exact bytes to sign, and no other signature is accepted', async () => {
  const own = await scene.newParty('acme', { in_custody: false })
  const offer = { counterparty_did: bob.agent_did, obligations: [owes('a', 'proposer', '1')], treaty_id }
  const refusal = assertRefusal(await create(own, offer), invalid('signature required'))
  const { expires_at, nonce, faults } = refusal.details as Record<string, never> & {
    faults: { message: string }[]
  }
  const text = faults[0]!.message
  const again = { ...offer, expires_at, nonce, public_key: own.key.public_key }
  const forged = { ...again, signature: signText(bob.key.private_key, text) }
  const refused = await create(own, forged)
  assertRefusal(refused, denied('signature invalid'))
  assert.ok((await eventsOf('acme', refused)).includes('SecurityViolation'))
  const signed = { ...again, signature: signText(own.key.private_key, text) }
  const { output } = assertSuccess(await create(own, signed))
  assert.equal(text, signingInput('svc-contract-v1', { contract_id: output.contract_id }))
  // Equal terms give the same contract.
  assert.deepEqual(assertSuccess(await create(own, signed)).output, output)
  const accepted = assertSuccess(await create(bob, { contract_id: output.contract_id })).output
  const signatures = accepted.signatures as { public_key: string; signature: string; method: string }[]
  assert.equal(signatures.map(({ method }) => method).join(), 'own,custodial')
  for (const { public_key, signature } of signatures) assert.ok(isSignedBy(public_key, text, signature))
})

test('a contract between organizations needs their treaty', async () => {
  const signed = scene.known.treaty!
  const offer = { counterparty_did: bob.agent_did, obligations: [owes('a', 'proposer', '1')], treaty_id }
  const cases: [Partial<StandingTreaty>, string][] = [
    [{ id: `sha256:${'8'.repeat(64)}` }, 'no active treaty'],
    [{ state: 'PARTIALLY_SIGNED', activated_at: null }, 'no active treaty'],
    [{ state: 'TERMINATED', ended_at: start }, 'no active treaty'],
    [{ suspended: { from: start, until: later(1) } }, 'no active treaty'],
    [{ effective_from: later(1) }, 'no active treaty'],
    [{ grants: [{ to: 'globex', capability: 'svc.made.*' }] }, 'no active treaty'],
    [{ parties: [signed.parties[0]!, { tenant: 'third', did: eve.agent_did }] }, 'no active treaty'],
    [{ expires_at: later(0) }, 'treaty grant expired'],
    [{ settlement: { ...signed.settlement, rail: 'sepa' } }, 'currency not allowed by treaty'],
  ]
  for (const [change, reason] of cases) {
    scene.known.treaty = { ...signed, ...change }
    assertRefusal(await create(ann, offer), denied(reason))
  }
  scene.known.treaty = signed
  const { treaty_id: _none, ...without } = offer
  assertRefusal(await create(ann, without), denied('no active treaty'))
  scene.lesser.add(bob.agent_did)
  const { contract_id } = assertSuccess(await create(ann, offer)).output
  assertRefusal(await create(bob, { contract_id }), denied('conformance L2 required'))
  scene.lesser.delete(bob.agent_did)
  scene.known.treaty = { ...signed, expires_at: later(0) }
  assertRefusal(await create(bob, { contract_id }), denied('treaty grant expired'))
  scene.known.treaty = signed
  assertSuccess(await create(bob, { contract_id }))
  // A third party sees nothing of it, through operations or in rows.
  const hidden = await settle(eve, { contract_id })
  const missing = await settle(eve, { contract_id: `sha256:${'0'.repeat(64)}` })
  for (const answer of [hidden, missing]) assertRefusal(answer, invalid('not_found'))
  await asOwner(scene.service.db_url, async (client) => {
    await client.query("BEGIN; SET LOCAL ROLE svc_app; SET LOCAL svc.tenant_id = 'third'")
    for (const table of ['contracts', 'obligations', 'settlements', 'settlement_references'])
      assert.deepEqual((await client.query(`SELECT * FROM ${table}`)).rows, [], table)
  })
})

test('a guest in another organization still owns and owes at home', async () => {
  const inputs = {
    asset_definition_publish: { ...made.token, asset_id: 'foreign', denomination: 'X' },
    economic_contract_create: {
      counterparty_did: bob.agent_did,
      obligations: [owes('a', 'proposer', '1')],
      treaty_id,
    },
    economic_contract_settle: { contract_id: treaty_id },
  }
  for (const [operation, input] of Object.entries(inputs)) {
    const answer = await dispatch(ann, { tenant_id: 'globex', protocol: 'MADE', operation, input })
    assertRefusal(answer, denied('not your organization'))
  }
})

test('an impossible offer is refused', async () => {
  const human = await scene.newParty('acme', { kind: 'human-root' })
  const one = owes('a', 'proposer', '1')
  const offer = { counterparty_did: bob.agent_did, obligations: [one], treaty_id }
  assertRefusal(await create(human, offer), denied('agent or autonomous org required'))
  assertRefusal(
    await create(bob, { ...offer, counterparty_did: human.agent_did }),
    denied('agent or autonomous org required'),
  )
  assertRefusal(
    await create(ann, { ...offer, counterparty_did: ann.agent_did }),
    denied('contract with oneself'),
  )
  const unknown = { ...offer, obligations: [{ ...one, asset_id: 'nothing-known' }] }
  assertRefusal(await create(ann, unknown), denied('unknown asset'))
  const waits = (ref: string) => ({ condition: { kind: 'after_obligation', ref } })
  const faulty = [
    [owes('a', 'proposer', '0')],
    [one, one],
    [owes('a', 'proposer', '1', { due_at: '2026-02-30T00:00:00Z' })],
    [owes('a', 'proposer', '1', waits('b')), owes('b', 'proposer', '1', waits('a'))],
    [owes('a', 'proposer', '1', waits('nobody'))],
    [owes('a', 'proposer', '1', { condition: { kind: 'trade' } })],
    [owes('a', 'proposer', '1', { condition: { kind: 'trade', ref: 'x' } })],
    [owes('a', 'proposer', '1', { credit_to: 'runway' })],
  ]
  for (const obligations of faulty)
    assertRefusal(await create(ann, { ...offer, obligations }), invalid('terms do not hold'))
  for (const input of [{}, { action: 'cancel' }, { ...offer, expires_at: start.replace('2026', '2025') }])
    assertRefusal(await create(ann, input), invalid('fields do not fit together'))
})

test('withdrawn, cancelled, waived, expired: each by a permitted party, and escrow is returned', async () => {
  const before = await balance(ann, 'available')
  const offer = { counterparty_did: bob.agent_did, obligations: [owes('a', 'proposer', '100')], treaty_id }
  const first = assertSuccess(await create(ann, offer)).output.contract_id
  const withdraw = { contract_id: first, action: 'withdraw' }
  assertRefusal(await create(bob, withdraw), denied('not the proposer of this contract'))
  assert.equal(assertSuccess(await create(ann, withdraw)).output.state, 'WITHDRAWN')
  assertRefusal(
    await create(bob, { contract_id: first }),
    denied('contract is WITHDRAWN; accept needs OFFERED'),
  )
  const second = assertSuccess(await create(ann, { ...offer, expires_at: later(60) })).output.contract_id
  pass(60)
  assertRefusal(
    await create(bob, { contract_id: second }),
    denied('contract is EXPIRED; accept needs OFFERED'),
  )
  // Funds are insufficient: it stays an offer.
  const dear = { ...offer, obligations: [owes('a', 'proposer', '100000000')], escrow: true }
  const third = assertSuccess(await create(ann, dear)).output.contract_id
  assertRefusal(await create(bob, { contract_id: third }), denied('insufficient funds'))
  assert.equal(
    assertSuccess(await create(ann, { contract_id: third, action: 'withdraw' })).output.state,
    'WITHDRAWN',
  )

  const held_in = await agree([owes('a', 'proposer', '100'), owes('b', 'proposer', '50')], { escrow: true })
  const cancel = { contract_id: held_in.contract_id, action: 'cancel' }
  assert.equal(assertSuccess(await create(ann, cancel)).output.state, 'ACTIVE')
  assert.equal(assertSuccess(await create(ann, cancel)).output.state, 'ACTIVE', 'one voice counts once')
  assert.equal(assertSuccess(await create(bob, cancel)).output.state, 'CANCELLED')
  const let_go = await agree([owes('a', 'proposer', '100'), owes('b', 'proposer', '50')], { escrow: true })
  const waive = { contract_id: let_go.contract_id, action: 'waive' }
  assertRefusal(await create(ann, waive), invalid('not_found'))
  const left = assertSuccess(await create(bob, { ...waive, obligation_ids: ['b'] })).output
  assert.deepEqual([left.state, left.escrowed], ['PARTIALLY_SETTLED', [{ asset_id: 'coin', amount: '100' }]])
  assert.equal(assertSuccess(await create(bob, waive)).output.state, 'FINAL')
  assert.deepEqual([await balance(ann, 'available'), await balance(ann, 'escrow')], [before, 0n])
  await assertSound()
})

test('a late payment is a default and is recorded; paying cures it', async () => {
  const { contract_id } = await agree([owes('a', 'proposer', '100', { due_at: later(10) })])
  assertRefusal(await settle(ann, { contract_id }), denied('obligation not due'))
  pass(10)
  assertRefusal(await settle(bob, { contract_id }), denied('obligation not due'))
  assertRefusal(await settle(bob, { contract_id, obligation_ids: ['a'] }), denied('not the payer'))
  pass(72 * 3600)
  await made.sweep(scene)
  await eventually(async () => {
    const notices = await scene.service.records('globex', { event_types: ['ContractDefaulted'] })
    assert.deepEqual(notices.at(-1)?.meta.obligation_ids, ['a'])
  })
  assert.equal(assertSuccess(await settle(ann, { contract_id })).output.contract_state, 'SETTLED')
  const dispute = "UPDATE contracts SET state = 'DISPUTED' WHERE contract_id = $1"
  await asOwner(scene.service.db_url, (client) => client.query(dispute, [contract_id]))
  assertRefusal(await settle(ann, { contract_id }), denied('contract is DISPUTED'))
})

test('a payment is reversed only by both, and only before it is final', async () => {
  const before = [await balance(ann, 'available'), await balance(bob, 'available')]
  const { contract_id } = await agree([owes('a', 'proposer', '400')], { escrow: true })
  const paid = async () => assertSuccess(await settle(bob, { contract_id })).output.settlement_id
  const first = { contract_id, reverse: await paid() }
  // The payee first: the amount is held until the other agrees.
  assert.equal(assertSuccess(await settle(bob, first)).output.state, 'POSTED')
  assert.equal(await balance(bob, 'reserved'), 400n)
  const back = assertSuccess(await settle(ann, first)).output
  assert.deepEqual([back.state, back.contract_state], ['REVERSED', 'ACTIVE'])
  assert.deepEqual([await balance(ann, 'escrow'), await balance(bob, 'reserved')], [400n, 0n])
  assertRefusal(await settle(ann, first), denied('settlement is REVERSED; reverse needs POSTED'))
  // The payer first: it risks nothing.
  const second = { contract_id, reverse: await paid() }
  assertSuccess(await settle(ann, second))
  assert.equal(assertSuccess(await settle(bob, second)).output.state, 'REVERSED')
  await assertSound()
  // Payments in both directions are reversed together.
  const both = await agree([owes('a', 'proposer', '900'), owes('b', 'counterparty', '300')], { escrow: true })
  const { settlement_id } = assertSuccess(await settle(ann, { contract_id: both.contract_id })).output
  for (const party of [bob, ann])
    assertSuccess(await settle(party, { contract_id: both.contract_id, reverse: settlement_id }))
  for (const party of [bob, ann]) await create(party, { contract_id: both.contract_id, action: 'cancel' })
  await assertSound()
  // No agreement in time: it returns to the party that set it aside.
  const third = { contract_id, reverse: await paid() }
  assertSuccess(await settle(bob, third))
  assertRefusal(await settle(ann, { ...third, amount: '1' }), invalid('fields do not fit together'))
  pass(3600)
  await made.sweep(scene)
  assertRefusal(await settle(ann, third), denied('settlement is final'))
  // The fee of each payment is kept: only the payment is reversed.
  assert.deepEqual(
    [await balance(ann, 'available'), await balance(bob, 'available')],
    [before[0]! - 405n, before[1]! + 399n],
  )
  assert.equal(await balance(bob, 'reserved'), 0n)
  await assertSound()
})
