// MANA over HTTP: envelopes, throttles, holds and budgets as their members meet them.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { addMember } from '@svc/adapters/access/charter'
import { newIdentity } from '@svc/adapters/access/tenants'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { privateKeyOf, signText } from '@svc/contract/signing/signature'
import { commitmentTo } from '@svc/protocols/economic/mana/lot'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { basic_capabilities } from '../../scenes/basic-capabilities.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-15T10:00:00.000Z')
const admin = localAdminResolver()
/** Those who hold only what their keys and departments give them. */
const plain = new Set<string>()
const hour_ms = 3_600_000
/** A worst case of a second fits once; beside what the first call really used it does not fit again. */
const one_call = '0.018010'
const spent = { code: 'policy_denied', stage: 5, reason: 'envelope day limit reached' } as const
let service: InProcessService
let member: Addresses

before(async () => {
  service = await startInProcess({
    clock,
    identity: {
      async resolve(did) {
        const resolution = await admin.resolve(did)
        if (!('identity' in resolution) || !plain.has(did)) return resolution
        return { outcome: 'Resolved', identity: { ...resolution.identity, capabilities: [] } }
      },
    },
  })
  await addMember(
    service.service.store.engine,
    service.tenant_id,
    service.agent_did,
    new Date(clock.now_ms()),
  )
  member = await service.newCaller()
})
after(() => service.stop())

const at = (ms: number) => new Date(clock.now_ms() + ms).toISOString()
const ask = (who: Addresses, operation: string, input: unknown) =>
  dispatch(who, { protocol: 'MANA', operation, input })
const done = async (who: Addresses, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input)).output
const refused = async (who: Addresses, operation: string, input: unknown, reason: string) =>
  assertRefusal(await ask(who, operation, input), { code: 'policy_denied', stage: 7, reason })
const look = (who: Addresses) =>
  dispatch(who, { protocol: 'MARS', operation: 'query_registry', input: { kind: 'agent' } })
const budgetOf = (more: Fields = {}) =>
  done(service, 'budget', { tenant_id: service.tenant_id, dimension: 'usd', ...more })

/** What is changed binds within a second: until then the books of before may count. */
const wait = { interval: 10, timeout: 180_000 }
async function heard(t: TestContext, envelope_id: string, day_limit: string | undefined): Promise<void> {
  await t.waitFor(async () => {
    const { envelopes } = await budgetOf()
    const envelope = envelopes.find(({ id }: Fields) => id === envelope_id)
    assert.equal(envelope?.day.limit, day_limit)
  }, wait)
}

const allocation = (department: string, day: string, more: Fields = {}) => ({
  envelope: { department, max_per_month_usd: '20', max_per_day_usd: day, ...more },
  capabilities_granted: [] as string[],
  authority: 'mace://sole-member',
})

test('a department spends its day and no more, and has a new one at midnight UTC', async (t) => {
  const made = await done(
    service,
    'allocate',
    allocation('research', one_call, { members: [member.agent_did] }),
  )
  const { envelope_id } = made
  assert.deepEqual([made.version, made.state, made.tenant_committed_usd], [1, 'ACTIVE', '20.000000'])
  await heard(t, envelope_id, one_call)
  assertSuccess(await look(member))
  assertRefusal(await look(member), spent)
  assertSuccess(await look(service))
  const budget = await budgetOf({ envelope_id })
  const [{ state, day }] = budget.envelopes
  assert.deepEqual([state, day.limit, day.reserved], ['ACTIVE', one_call, '0.000000'])
  assert.ok(Number(day.spent) > 0 && Number(budget.remaining) < Number(one_call))
  clock.advance(14 * hour_ms)
  assertSuccess(await look(member))
  const lower = allocation('research', '0', { envelope_id, max_per_month_usd: '0.000001' })
  assert.equal((await done(service, 'allocate', lower)).state, 'EXHAUSTED')
  await heard(t, envelope_id, '0.000000')
  assertRefusal(await look(member), spent)
  assertSuccess(await ask(member, 'budget', { tenant_id: 'dev', dimension: 'tokens' }))
  const wider = await done(service, 'allocate', allocation('research', '1', { envelope_id }))
  assert.deepEqual([wider.version, wider.state, wider.members], [3, 'ACTIVE', 1])
  await heard(t, envelope_id, '1.000000')
  assertSuccess(await look(member))
  const records = await service.records(service.tenant_id)
  const events = records.filter(({ event_type }) => event_type === 'EnvelopeAllocated')
  assert.deepEqual(
    events.map(({ meta }) => [meta.version, meta.day_limit_usd]),
    [
      [1, one_call],
      [2, '0.000000'],
      [3, '1.000000'],
    ],
  )
})

test('a throttle halves the bucket of a department, and factor 0 stops it until it is lifted', async (t) => {
  const { id: envelope_id } = (await budgetOf()).envelopes.find(
    ({ department }: Fields) => department === 'research',
  )
  const limitOf = (answer: Answer) => Number(answer.headers.get('x-ratelimit-limit'))
  const whole = limitOf(await look(member))
  const rules = [
    { match: 'svc.mars.*', factor: 0.5 },
    { match: '*', factor: 0.9 },
  ]
  const set = await done(service, 'throttle', { envelope_id, rules })
  assert.deepEqual(set.ignored_for, ['MAX reads'])
  assert.deepEqual(set.rules[0], { match: 'svc.mars.*', factor_bps: 5000 })
  await t.waitFor(async () => assert.equal(limitOf(await look(member)), whole / 2), wait)
  assert.equal(limitOf(await look(service)), whole, 'nobody else is slowed')
  await refused(
    member,
    'throttle',
    { envelope_id, rules: [] },
    'not the envelope authority or a charter member',
  )
  await done(service, 'throttle', { envelope_id, rules: [{ match: '*', factor: 0 }] })
  await t.waitFor(async () => assert.equal((await look(member)).status, 429), wait)
  const seen = await dispatch(member, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: { protocol: 'MANA' },
  })
  assertSuccess(seen)
  await done(service, 'throttle', { envelope_id, rules: [] })
  await t.waitFor(async () => assert.equal((await look(member)).status, 200), wait)
})

test('a hold refuses in its own words until its moment, or until it is released', async (t) => {
  const until = at(hour_ms)
  const scope = `agent:${member.agent_did}`
  const placed = await done(member, 'hold', { reason: 'under review', scope, until })
  assert.deepEqual([placed.state, placed.affects], ['HELD', { kind: 'agent', id: member.agent_did }])
  const held = { code: 'policy_denied', stage: 5, reason: 'held: under review' } as const
  await t.waitFor(async () => assertRefusal(await look(member), held), wait)
  assertSuccess(await look(service))
  assertSuccess(
    await dispatch(member, { protocol: 'MAX', operation: 'audit_query', input: { protocol: 'MANA' } }),
  )
  clock.advance(hour_ms)
  assertSuccess(await look(member))
  await t.waitFor(async () => assert.deepEqual(await endsOfHolds(), ['until']), wait)
  const tenant = { reason: 'audit', scope: 'tenant', until: at(hour_ms) }
  await refused(member, 'hold', tenant, 'charter member required')
  const all = await done(service, 'hold', tenant)
  await t.waitFor(async () => assert.equal((await look(service)).status, 422), wait)
  await refused(member, 'hold', { ...tenant, until: at(0) }, 'not the placer or a charter member')
  const free = await done(service, 'hold', { ...tenant, until: at(-1), hold_id: all.hold_id })
  assert.deepEqual([free.state, free.released, free.still_held], ['RELEASED', 1, 0])
  await t.waitFor(async () => assertSuccess(await look(service)), wait)
  for (const wrong of [
    { until: at(91 * 24 * hour_ms) },
    { until: at(-1) },
    { scope: 'protocol:' },
    { scope: 'x' },
  ])
    assertRefusal(await ask(service, 'hold', { ...tenant, ...wrong }), { code: 'invalid_payload', stage: 7 })
  assert.deepEqual(await endsOfHolds(), ['until', service.agent_did])
})

/** Who ended them, as the book says; the service itself at their moment. */
async function endsOfHolds() {
  const records = await service.records(service.tenant_id, { event_types: ['HoldReleased'] })
  return records.map(({ meta }) => meta.by)
}

test('what an envelope grants is held while it is active, and closing it ends both', async (t) => {
  const clerk = await service.newCaller()
  plain.add(clerk.agent_did)
  const denied = { code: 'capability_denied', stage: 4 } as const
  assertRefusal(await ask(clerk, 'agent_profile', {}), denied)
  const input = allocation('clerks', '1', { members: [clerk.agent_did] })
  const granting = { ...input, capabilities_granted: ['svc.mana.agent_profile'] }
  const { envelope_id } = await done(service, 'allocate', granting)
  await t.waitFor(async () => assert.equal((await ask(clerk, 'agent_profile', {})).status, 200), wait)
  await refused(service, 'allocate', input, 'department has an active envelope')
  const closing = allocation('clerks', '1', { envelope_id, close: true })
  assert.equal((await done(service, 'allocate', closing)).state, 'CLOSED')
  await t.waitFor(async () => assertRefusal(await ask(clerk, 'agent_profile', {}), denied), wait)
  await refused(service, 'allocate', closing, 'envelope is CLOSED; allocate needs ACTIVE')
  await refused(service, 'throttle', { envelope_id, rules: [] }, 'envelope is CLOSED; throttle needs ACTIVE')
  assert.equal((await done(service, 'allocate', input)).version, 1)
  const foreign = [`did:oas:rival:agent:${'a'.repeat(64)}`]
  await refused(service, 'allocate', allocation('x', '1', { members: foreign }), 'member of another tenant')
  await refused(member, 'allocate', allocation('x', '1'), 'charter quorum required')
  for (const wrong of [{ max_per_day_usd: '21' }, { max_per_day_usd: 0.1 + 0.2 }, { close: true }])
    assertRefusal(await ask(service, 'allocate', allocation('x', '1', wrong)), {
      code: 'invalid_payload',
      stage: 7,
    })
})

test('an agent says what it offers; what it has done is counted for it', async () => {
  const set = { display_name: 'Translator', skills: ['german'], accepts_bids: true }
  const first = await done(member, 'agent_profile', { set })
  assert.deepEqual([first.version, first.profile], [1, set])
  assert.equal((await done(member, 'agent_profile', { set })).version, 1, 'the same again is no news')
  const answer = await done(service, 'agent_profile', { agent_did: member.agent_did })
  assert.deepEqual([answer.version, answer.profile], [1, set])
  assert.deepEqual([answer.completed_contracts, answer.defaulted_contracts, answer.earnings], [0, 0, []])
  assert.ok(Number(answer.spend.month_usd) >= Number(answer.spend.today_usd))
  assert.equal(answer.envelopes[0].department, 'research')
  const other = await service.newCaller()
  const stolen = { agent_did: member.agent_did, set: {} }
  await refused(other, 'agent_profile', stolen, 'not the agent or a charter member')
  assert.equal((await done(service, 'agent_profile', stolen)).version, 2)
})

interface Signer extends Addresses {
  sign(text: string): { signature: string; public_key: string }
}

/** One who keeps its key to itself. */
async function newSigner(): Promise<Signer> {
  const { tenant_id } = service
  const { did, public_key, private_key } = newIdentity(tenant_id, 'agent')
  const key = await issueKey(service.service.store.engine, {
    tenant_id,
    did,
    mode: 'test',
    capabilities: basic_capabilities,
  })
  const signing_key = privateKeyOf(Buffer.from(private_key, 'base64url'))
  const sign = (text: string) => ({ signature: signText(signing_key, text), public_key })
  return { ...service, ...key, agent_did: did, sign }
}

test('sealed bids: nobody sees a price before closing, the lowest is paid the second price under an escrowed offer', async (t) => {
  const solicitor = await newSigner()
  const bidders = await Promise.all([newSigner(), newSigner(), newSigner()])
  const [first, lowest, second] = bidders as [Signer, Signer, Signer]
  const tender = (who: Addresses, input: Fields) => done(who, 'bid_submission', input)
  const denied = (who: Addresses, input: Fields, reason: string) =>
    refused(who, 'bid_submission', input, reason)
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
  for (const secret of ['"60"', '"70"', '"80"', '"90"', lowest.agent_did]) assert.ok(!shown.includes(secret))
  await denied(solicitor, { action: 'award', lot_id }, 'lot is OPEN; award needs a closed lot')
  clock.advance(hour_ms)
  await denied(second, bid('50'), 'lot closed')
  await denied(second, { action: 'withdraw', lot_id }, 'lot closed')
  await denied(first, { action: 'award', lot_id }, 'not the solicitor')
  const unsigned = await ask(solicitor, 'bid_submission', { action: 'award', lot_id })
  const { details } = assertRefusal(unsigned, {
    code: 'invalid_payload',
    stage: 7,
    reason: 'signature required',
  })
  const text = (details.faults as { message: string }[])[0]!.message
  // The service says who has won although the solicitor did not come.
  await t.waitFor(async () => {
    const answer = await tender(first, { action: 'view', lot_id })
    assert.deepEqual(
      [answer.state, answer.winner_did, answer.losing],
      ['AWARDED', lowest.agent_did, undefined],
    )
  }, wait)
  const award = { action: 'award', lot_id, ...solicitor.sign(text) }
  const awarded = await tender(solicitor, award)
  assert.deepEqual(
    [awarded.winner_did, awarded.clearing_price, awarded.bids_count],
    [lowest.agent_did, '70', 3],
  )
  assert.deepEqual(awarded.losing.map(({ price }: Fields) => price).sort(), ['70', '80'])
  assert.equal((await tender(solicitor, award)).contract_id, awarded.contract_id)
  await assertAuditLog(lot_id, awarded)
  await assertEscrowed(lowest, awarded.contract_id)
})

/** The offer stands, and taking it asks for money that the solicitor does not have. */
async function assertEscrowed(winner: Signer, contract_id: string): Promise<void> {
  const accept = (word: Fields = {}) =>
    dispatch(winner, {
      protocol: 'MADE',
      operation: 'economic_contract_create',
      input: { contract_id, ...word },
    })
  const { faults } = (await accept()).body.error.details
  const answer = await accept(winner.sign(faults[0].message))
  assertRefusal(answer, { code: 'policy_denied', stage: 7, reason: 'insufficient funds' })
}

/** The book names the bids by their commitments alone, and with their salts anybody can check them. */
async function assertAuditLog(lot_id: string, awarded: Fields): Promise<void> {
  const records = await service.records(service.tenant_id)
  const submitted = records.filter(({ event_type }) => event_type === 'BidSubmitted')
  for (const { meta } of submitted) assert.deepEqual(Object.keys(meta).sort(), ['commitment', 'origin'])
  const [told, ...again] = records.filter(({ event_type }) => event_type === 'LotAwarded')
  assert.deepEqual([told?.meta.lot_id, told?.meta.clearing_price, again], [lot_id, '70', []])
  const commitments = submitted.map(({ meta }) => meta.commitment)
  for (const { price, valid_until, commitment, ...rest } of awarded.losing) {
    assert.ok(commitments.includes(commitment))
    const bid = { ...rest, price: BigInt(price), valid_until: null, treaty_id: null }
    assert.equal(commitmentTo(lot_id, bid), commitment)
  }
}
