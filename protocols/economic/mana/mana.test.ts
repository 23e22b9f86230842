// Rules of envelopes, throttles, holds, profiles and tenders: who may change them, when, and refusals.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { newIdentity } from '@svc/adapters/access/tenants'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { empty_books } from '@svc/contract/money/books'
import { Refusal, type RefusalCode } from '@svc/contract/refusal'
import { privateKeyOf, signText } from '@svc/contract/signing/signature'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { test_tenant as tenant_id } from '../../../checks/rehearsal/test-ports.ts'
import { ensureUsd } from '../ledger/store.ts'
import { made } from '../made/made.ts'
import { readBooks } from '../meal/books-store.ts'
import { commitmentTo } from './lot.ts'
import { sweepLots } from './lot-award.ts'
import { mana } from './mana.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const hour_ms = 3_600_000
let stage: Rehearsal
/** The only charter member, and another member of the same organization. */
const chair = newSigner()
const member = newSigner()

before(async () => {
  const of = async (tenant: string) => ({ ...empty_books, ...(await readBooks(stage.store.engine, tenant)) })
  const ports = { identity: localAdminResolver(), treasury: { of } }
  stage = await rehearse(mana, { others: [made], ports })
  await addMember(stage.store.engine, tenant_id, chair.did, new Date(stage.ports.clock.now_ms()))
})
after(() => stage.close())

interface Signer {
  readonly did: string
  sign(text: string): { signature: string; public_key: string }
}

/** An identity whose key the engine does not have. */
function newSigner(): Signer {
  const { did, public_key, private_key } = newIdentity(tenant_id, 'agent')
  const signing_key = privateKeyOf(Buffer.from(private_key, 'base64url'))
  return { did, sign: (text) => ({ signature: signText(signing_key, text), public_key }) }
}

const at = (ms: number) => new Date(stage.ports.clock.now_ms() + ms).toISOString()
const done = ({ did }: Signer, operation: string, input: Fields): Promise<Fields> =>
  stage.run(operation, input, { did })
async function refused(
  who: Signer,
  operation: string,
  input: Fields,
  reason: string | undefined,
  code: RefusalCode = 'policy_denied',
): Promise<Refusal> {
  const refusal = await done(who, operation, input).then(
    () => assert.fail('not refused'),
    (error) => error,
  )
  assert.ok(refusal instanceof Refusal, String(refusal))
  assert.equal(refusal.code, code, refusal.message)
  if (reason !== undefined) assert.equal(refusal.details.reason, reason)
  assert.match(refusal.message, /^\S.*[.?]$/s)
  return refusal
}
const allocation = (department: string, day: string, more: Fields = {}) => ({
  envelope: { department, max_per_month_usd: '20', max_per_day_usd: day, ...more },
  capabilities_granted: [] as string[],
  authority: 'mace://sole-member',
})

test('an envelope is allocated by the charter, one per department, and closed for good', async () => {
  const input = allocation('clerks', '1', { members: [member.did] })
  const { envelope_id } = await done(chair, 'allocate', input)
  await refused(chair, 'allocate', input, 'department has an active envelope')
  const closing = allocation('clerks', '1', { envelope_id, close: true })
  assert.equal((await done(chair, 'allocate', closing)).state, 'CLOSED')
  await refused(chair, 'allocate', closing, 'envelope is CLOSED; allocate needs ACTIVE')
  await refused(chair, 'throttle', { envelope_id, rules: [] }, 'envelope is CLOSED; throttle needs ACTIVE')
  assert.equal((await done(chair, 'allocate', input)).version, 1)
  const foreign = [`did:oas:rival:agent:${'a'.repeat(64)}`]
  await refused(chair, 'allocate', allocation('x', '1', { members: foreign }), 'member of another tenant')
  await refused(member, 'allocate', allocation('x', '1'), 'charter quorum required')
  for (const wrong of [{ max_per_day_usd: '21' }, { max_per_day_usd: 0.1 + 0.2 }, { close: true }])
    await refused(chair, 'allocate', allocation('x', '1', wrong), undefined, 'invalid_payload')
})

test('a throttle is set by the allocator of the envelope or a charter member; MAX reads are exempt', async () => {
  const { envelope_id } = await done(chair, 'allocate', allocation('research', '1'))
  const rules = [
    { match: 'svc.mars.*', factor: 0.5 },
    { match: '*', factor: 0.9 },
  ]
  const set = await done(chair, 'throttle', { envelope_id, rules })
  assert.deepEqual(set.ignored_for, ['MAX reads'])
  assert.deepEqual(set.rules[0], { match: 'svc.mars.*', factor_bps: 5000 })
  const reason = 'not the envelope authority or a charter member'
  await refused(member, 'throttle', { envelope_id, rules: [] }, reason)
})

test('anybody places a hold, the charter on the tenant; its placer or the charter releases it', async () => {
  const scope = `agent:${member.did}`
  const placed = await done(member, 'hold', { reason: 'under review', scope, until: at(hour_ms) })
  assert.deepEqual([placed.state, placed.affects], ['HELD', { kind: 'agent', id: member.did }])
  const tenant = { reason: 'audit', scope: 'tenant', until: at(hour_ms) }
  await refused(member, 'hold', tenant, 'charter member required')
  const all = await done(chair, 'hold', tenant)
  await refused(member, 'hold', { ...tenant, until: at(0) }, 'not the placer or a charter member')
  const free = await done(chair, 'hold', { ...tenant, until: at(-1), hold_id: all.hold_id })
  assert.deepEqual([free.state, free.released, free.still_held], ['RELEASED', 1, 0])
  await done(member, 'hold', { reason: 'reviewed', scope, until: at(0) })
  for (const wrong of [
    { until: at(91 * 24 * hour_ms) },
    { until: at(-1) },
    { scope: 'protocol:' },
    { scope: 'x' },
  ])
    await refused(chair, 'hold', { ...tenant, ...wrong }, undefined, 'invalid_payload')
})

test('an agent sets its own profile; its history is computed', async () => {
  const set = { display_name: 'Translator', skills: ['german'], accepts_bids: true }
  const first = await done(member, 'agent_profile', { set })
  assert.deepEqual([first.version, first.profile], [1, set])
  assert.equal((await done(member, 'agent_profile', { set })).version, 1, 'the same again is no change')
  const answer = await done(chair, 'agent_profile', { agent_did: member.did })
  assert.deepEqual([answer.version, answer.profile], [1, set])
  assert.deepEqual([answer.completed_contracts, answer.defaulted_contracts, answer.earnings], [0, 0, []])
  assert.ok(Number(answer.spend.month_usd) >= Number(answer.spend.today_usd))
  assert.equal(answer.envelopes[0].department, 'clerks')
  const stolen = { agent_did: member.did, set: {} }
  await refused(newSigner(), 'agent_profile', stolen, 'not the agent or a charter member')
  assert.equal((await done(chair, 'agent_profile', stolen)).version, 2)
})

test('sealed bids: prices are hidden before closing, the lowest is paid the second price under an escrowed offer', async () => {
  await ensureUsd(stage.store.engine, 'operator')
  const [solicitor, first, lowest, second] = [newSigner(), newSigner(), newSigner(), newSigner()]
  const tender = (who: Signer, input: Fields) => done(who, 'bid_submission', input)
  const denied = (who: Signer, input: Fields, reason: string) => refused(who, 'bid_submission', input, reason)
  const closes_at = at(hour_ms)
  const open = { capability: 'svc.mim.send', asset_id: 'usd', reserve_price: '100', closes_at }
  const solicited = { action: 'solicit', task: 'Translate.', ...open }
  await denied(solicitor, { ...solicited, asset_id: 'nothing' }, 'unknown asset')
  const { lot_id } = await tender(solicitor, solicited)
  const bid = (price: string) => ({ lot_id, price, eta_seconds: 600 })
  const made = await Promise.all([
    tender(first, { ...bid('80') }),
    tender(lowest, bid('90')),
    tender(second, bid('70')),
  ])
  const better = await tender(lowest, { ...bid('60'), action: 'bid' })
  assert.equal(better.bids_count, 3, 'a later bid takes the place of the one before')
  await denied(solicitor, bid('1'), 'solicitor cannot bid')
  await denied(first, bid('101'), 'bid above reserve')
  const shown = JSON.stringify([
    await tender(solicitor, { action: 'view', lot_id }),
    await tender(first, { action: 'view' }),
    ...made.slice(1),
  ])
  for (const secret of ['"60"', '"70"', '"80"', '"90"', lowest.did]) assert.ok(!shown.includes(secret))
  await denied(solicitor, { action: 'award', lot_id }, 'lot is OPEN; award needs a closed lot')
  stage.ports.clock.advance(hour_ms)
  await denied(second, bid('50'), 'lot closed')
  await denied(second, { action: 'withdraw', lot_id }, 'lot closed')
  await denied(first, { action: 'award', lot_id }, 'not the solicitor')
  const award_request = { action: 'award', lot_id }
  const unsigned = await refused(
    solicitor,
    'bid_submission',
    award_request,
    'signature required',
    'invalid_payload',
  )
  const text = unsigned.details.faults![0]!.message
  // The sweep names the winner without the solicitor.
  assert.equal(await sweepLots(stage.store.engine, testTick(stage.ports.clock.now_ms())), 1)
  const answer = await tender(first, { action: 'view', lot_id })
  assert.deepEqual([answer.state, answer.winner_did, answer.losing], ['AWARDED', lowest.did, undefined])
  const award = { action: 'award', lot_id, ...solicitor.sign(text) }
  const awarded = await tender(solicitor, award)
  assert.deepEqual([awarded.winner_did, awarded.clearing_price, awarded.bids_count], [lowest.did, '70', 3])
  assert.deepEqual(awarded.losing.map(({ price }: Fields) => price).sort(), ['70', '80'])
  assert.equal((await tender(solicitor, award)).contract_id, awarded.contract_id)
  assertCommitted(lot_id, awarded)
  await assertEscrowed(lowest, awarded.contract_id)
})

/** The offer can be accepted, and then needs money the solicitor does not have. */
async function assertEscrowed(winner: Signer, contract_id: string): Promise<void> {
  const operation = 'MADE.economic_contract_create'
  const unsigned = await refused(winner, operation, { contract_id }, undefined, 'invalid_payload')
  const signed = { contract_id, ...winner.sign(unsigned.details.faults![0]!.message) }
  await refused(winner, operation, signed, 'insufficient funds')
}

/** A losing bid and its salt reproduce the commitment recorded with it. */
function assertCommitted(lot_id: string, awarded: Fields): void {
  const submitted = stage.records().filter(({ event_type }) => event_type === 'BidSubmitted')
  const commitments = submitted.map(({ meta }) => meta.commitment)
  for (const { price, valid_until, commitment, ...rest } of awarded.losing) {
    assert.ok(commitments.includes(commitment))
    const bid = { ...rest, price: BigInt(price), valid_until: null, treaty_id: null }
    assert.equal(commitmentTo(lot_id, bid), commitment)
  }
}
