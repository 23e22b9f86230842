// MANA over HTTP: effects of envelopes, throttles and holds, and awarded tenders. Rules: mana.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { addMember } from '@svc/adapters/access/charter'
import { newIdentity } from '@svc/adapters/access/tenants'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { privateKeyOf, signText } from '@svc/contract/signing/signature'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { basic_capabilities } from '../../scenes/basic-capabilities.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-15T10:00:00.000Z')
const admin = localAdminResolver()
/** Callers with only the capabilities of their keys and departments. */
const plain = new Set<string>()
const hour_ms = 3_600_000
/** The worst case of one second fits once, but not again after the first call's actual usage. */
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
const look = (who: Addresses) =>
  dispatch(who, { protocol: 'MARS', operation: 'query_registry', input: { kind: 'agent' } })
const budgetOf = (more: Fields = {}) =>
  done(service, 'budget', { tenant_id: service.tenant_id, dimension: 'usd', ...more })

async function heard(envelope_id: string, day_limit: string | undefined): Promise<void> {
  await eventually(async () => {
    const { envelopes } = await budgetOf()
    const envelope = envelopes.find(({ id }: Fields) => id === envelope_id)
    assert.equal(envelope?.day.limit, day_limit)
  })
}

const allocation = (department: string, day: string, more: Fields = {}) => ({
  envelope: { department, max_per_month_usd: '20', max_per_day_usd: day, ...more },
  capabilities_granted: [] as string[],
  authority: 'mace://sole-member',
})

test('a department cannot exceed its daily limit, which resets at midnight UTC', async () => {
  const made = await done(
    service,
    'allocate',
    allocation('research', one_call, { members: [member.agent_did] }),
  )
  const { envelope_id } = made
  assert.deepEqual([made.version, made.state, made.tenant_committed_usd], [1, 'ACTIVE', '20.000000'])
  await heard(envelope_id, one_call)
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
  await heard(envelope_id, '0.000000')
  assertRefusal(await look(member), spent)
  assertSuccess(await ask(member, 'budget', { tenant_id: 'dev', dimension: 'tokens' }))
  const wider = await done(service, 'allocate', allocation('research', '1', { envelope_id }))
  assert.deepEqual([wider.version, wider.state, wider.members], [3, 'ACTIVE', 1])
  await heard(envelope_id, '1.000000')
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

test('a throttle halves the bucket of a department, and factor 0 stops it until it is removed', async () => {
  const { id: envelope_id } = (await budgetOf()).envelopes.find(
    ({ department }: Fields) => department === 'research',
  )
  const limitOf = (answer: Answer) => Number(answer.headers.get('x-ratelimit-limit'))
  const whole = limitOf(await look(member))
  const rules = [
    { match: 'svc.mars.*', factor: 0.5 },
    { match: '*', factor: 0.9 },
  ]
  await done(service, 'throttle', { envelope_id, rules })
  await eventually(async () => assert.equal(limitOf(await look(member)), whole / 2))
  assert.equal(limitOf(await look(service)), whole, 'nobody else is slowed')
  await done(service, 'throttle', { envelope_id, rules: [{ match: '*', factor: 0 }] })
  await eventually(async () => assert.equal((await look(member)).status, 429))
  const audit_query = await dispatch(member, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: { protocol: 'MANA' },
  })
  assertSuccess(audit_query)
  await done(service, 'throttle', { envelope_id, rules: [] })
  await eventually(async () => assert.equal((await look(member)).status, 200))
})

test('a hold refuses calls with its own reason until it expires or is released', async () => {
  const until = at(hour_ms)
  const scope = `agent:${member.agent_did}`
  await done(member, 'hold', { reason: 'under review', scope, until })
  const refused_by_hold = { code: 'policy_denied', stage: 5, reason: 'held: under review' } as const
  await eventually(async () => assertRefusal(await look(member), refused_by_hold))
  assertSuccess(await look(service))
  assertSuccess(
    await dispatch(member, { protocol: 'MAX', operation: 'audit_query', input: { protocol: 'MANA' } }),
  )
  clock.advance(hour_ms)
  assertSuccess(await look(member))
  await eventually(async () => assert.deepEqual(await endsOfHolds(), ['until']))
  const tenant = { reason: 'audit', scope: 'tenant', until: at(hour_ms) }
  const all = await done(service, 'hold', tenant)
  await eventually(async () => assert.equal((await look(service)).status, 422))
  await done(service, 'hold', { ...tenant, until: at(-1), hold_id: all.hold_id })
  await eventually(async () => assertSuccess(await look(service)))
  assert.deepEqual(await endsOfHolds(), ['until', service.agent_did])
})

/** Who ended them according to the audit log; at their end time, the service itself. */
async function endsOfHolds() {
  const records = await service.records(service.tenant_id, { event_types: ['HoldReleased'] })
  return records.map(({ meta }) => meta.by)
}

test('members hold the grants of an envelope while it is active, and closing it ends both', async () => {
  const clerk = await service.newCaller()
  plain.add(clerk.agent_did)
  const denied = { code: 'capability_denied', stage: 4 } as const
  assertRefusal(await ask(clerk, 'agent_profile', {}), denied)
  const input = allocation('clerks', '1', { members: [clerk.agent_did] })
  const granting = { ...input, capabilities_granted: ['svc.mana.agent_profile'] }
  const { envelope_id } = await done(service, 'allocate', granting)
  await eventually(async () => assert.equal((await ask(clerk, 'agent_profile', {})).status, 200))
  const closing = allocation('clerks', '1', { envelope_id, close: true })
  assert.equal((await done(service, 'allocate', closing)).state, 'CLOSED')
  await eventually(async () => assertRefusal(await ask(clerk, 'agent_profile', {}), denied))
})

interface Signer extends Addresses {
  sign(text: string): { signature: string; public_key: string }
}

/** A signer whose key the engine does not have. */
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

test('the service awards a tender at the second price when it closes, and records bids as commitments', async () => {
  const solicitor = await newSigner()
  const bidders = await Promise.all([newSigner(), newSigner(), newSigner()])
  const [first, lowest, second] = bidders as [Signer, Signer, Signer]
  const tender = (who: Addresses, input: Fields) => done(who, 'bid_submission', input)
  const closes_at = at(hour_ms)
  const open = { capability: 'svc.mim.send', asset_id: 'usd', reserve_price: '100', closes_at }
  const solicited = { action: 'solicit', task: 'Translate.', ...open }
  const { lot_id } = await tender(solicitor, solicited)
  const bid = (price: string) => ({ lot_id, price, eta_seconds: 600 })
  await Promise.all([tender(first, bid('80')), tender(lowest, bid('60')), tender(second, bid('70'))])
  clock.advance(hour_ms)
  const unsigned = await ask(solicitor, 'bid_submission', { action: 'award', lot_id })
  const { details } = assertRefusal(unsigned, {
    code: 'invalid_payload',
    stage: 7,
    reason: 'signature required',
  })
  const text = (details.faults as { message: string }[])[0]!.message
  // The service names the winner without the solicitor.
  await eventually(async () => {
    const answer = await tender(first, { action: 'view', lot_id })
    assert.deepEqual(
      [answer.state, answer.winner_did, answer.losing],
      ['AWARDED', lowest.agent_did, undefined],
    )
  })
  const award = { action: 'award', lot_id, ...solicitor.sign(text) }
  const awarded = await tender(solicitor, award)
  assert.deepEqual(
    [awarded.winner_did, awarded.clearing_price, awarded.bids_count],
    [lowest.agent_did, '70', 3],
  )
  assert.equal((await tender(solicitor, award)).contract_id, awarded.contract_id)
  await assertAuditLog(lot_id)
})

/** The audit log has bids only as commitments, and the award once. */
async function assertAuditLog(lot_id: string): Promise<void> {
  const records = await service.records(service.tenant_id)
  const submitted = records.filter(({ event_type }) => event_type === 'BidSubmitted')
  for (const { meta } of submitted) assert.deepEqual(Object.keys(meta).sort(), ['commitment', 'origin'])
  const [award, ...again] = records.filter(({ event_type }) => event_type === 'LotAwarded')
  assert.deepEqual([award?.meta.lot_id, award?.meta.clearing_price, again], [lot_id, '70', []])
}
