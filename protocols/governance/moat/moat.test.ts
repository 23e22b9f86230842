// The rules of treaties: who may propose, sign, amend, enforce and end them, and their deadlines.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember, endMembership } from '@svc/adapters/access/charter'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { asOwner } from '@svc/audit/test-audit-log'
import type { RefusalCode } from '@svc/contract/refusal'
import { signText } from '@svc/contract/signing/signature'
import { trialProtocol } from '../../../checks/conformance/execution/trial-protocol.ts'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { councilOf } from '../../../checks/rehearsal/council.ts'
import {
  administrators,
  asCaller,
  type KeyedParty,
  newCharter,
  newParty,
  type Party,
} from '../../../checks/rehearsal/organizations.ts'
import { type Output, type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { made } from '../../economic/made/made.ts'
import { mace } from '../mace/mace.ts'
import { moat } from './moat.ts'
import { findTreaty } from './treaty-store.ts'
import { sweepTreaties } from './treaty-sweep.ts'

const [hour_ms, day_ms] = [3_600_000, 86_400_000]
const echo = 'svc.trial.echo'
const [lesser, poor] = [new Set<string>(), new Set<string>()]
let stage: Rehearsal
let ann: KeyedParty
let bob: KeyedParty
let eve: KeyedParty

before(async () => {
  stage = await rehearse(moat, {
    others: [mace, made, trialProtocol().protocol],
    ports: administrators({ lesser, poor }),
  })
  await ensureTenant(stage.store.engine, 'operator', 'operator', 'sovereign')
  ;[ann] = await newCharter(stage, 'acme', 1)
  ;[bob] = await newCharter(stage, 'globex', 1)
  ;[eve] = await newCharter(stage, 'third', 1)
})
after(() => stage.close())

const run = (who: Party, operation: string, input: unknown) => stage.run(operation, input, asCaller(who))
const refused = (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'policy_denied',
) => assertRefused(run(who, operation, input), code, reason)
const later = (ms: number) => new Date(stage.ports.clock.now_ms() + ms).toISOString()
const sweep = () => sweepTreaties(stage.store.engine, testTick(stage.ports.clock.now_ms()))
const owner = (sql: string, ...values: unknown[]) =>
  asOwner(stage.database.url, (client) => client.query(sql, values))
const stateOf = async (id: unknown) =>
  (await owner('SELECT state FROM treaties WHERE id = $1', id)).rows[0]?.state
const eventsOf = (tenant_id: string, treaty_id: unknown) =>
  stage
    .records(tenant_id)
    .filter(({ meta }) => meta.treaty_id === treaty_id)
    .map(({ event_type }) => event_type)
/** Whether a call from ann's organization to bob's is allowed. */
const mayCall = (asker: Party, more: object = {}) =>
  run(asker, 'compliance_query', { party_a: 'acme', party_b: bob.did, capability: echo, ...more })

const offer = (terms: object = {}) => ({
  counterparty_did: bob.did,
  capability_schedule: [{ capability: echo, granted_to: 'both' }],
  expires_at: later(365 * day_ms),
  ...terms,
})
const propose = async (terms: object = {}): Promise<string> =>
  (await run(ann, 'propose', offer(terms))).treaty_id

async function agree(terms: object = {}): Promise<string> {
  const treaty_id = await propose(terms)
  for (const party of [ann, bob]) await run(party, 'sign', { treaty_id })
  return treaty_id
}

const end = (treaty_id: string) => run(ann, 'terminate', { treaty_id, reason: 'the test is over' })

/** A DID of a sealed organization. */
async function sealedDid(): Promise<string> {
  const { did } = await newParty(stage, 'gone')
  for (const standing of ['dissolving', 'sealed'])
    await owner("UPDATE tenants SET standing = $1 WHERE tenant_id = 'gone'", standing)
  return did
}

test('a proposal with impossible terms is refused', async () => {
  const schedule = (entry: object) => ({
    capability_schedule: [{ capability: echo, granted_to: 'both', ...entry }],
  })
  const denied: [object, string][] = [
    [{ counterparty_did: ann.did }, 'parties are the same tenant'],
    [{ counterparty_did: await sealedDid() }, 'counterparty is sealed'],
    [schedule({ capability: 'svc.admin.tenants' }), 'capability not grantable: svc.admin.tenants'],
  ]
  for (const [terms, reason] of denied) await refused(ann, 'propose', offer(terms), reason)
  const invalid: [object, string][] = [
    [{ counterparty_did: bob.did.replace('globex', 'nobody') }, 'not_found'],
    [schedule({ capability: 'svc.mace.convine' }), 'unknown operation'],
    [schedule({ capability: 'svc.nothing.*' }), 'unknown operation'],
    [schedule({ caveats: ['moon:full'] }), 'unknown caveat'],
    [schedule({ caveats: ['time:9-17'] }), 'unknown caveat'],
    [{ expires_at: later(0) }, 'terms do not hold'],
    [{ expires_at: later(6 * 365 * day_ms) }, 'terms do not hold'],
    [{ effective_from: later(366 * day_ms) }, 'terms do not hold'],
    [{ dispute_clause: { via: 'MOOT', venue: 'nobody' } }, 'not_found'],
  ]
  for (const [terms, reason] of invalid)
    await refused(ann, 'propose', offer(terms), reason, 'invalid_payload')
  const foreign = { treaty_id: `sha256:${'9'.repeat(64)}` }
  await refused(eve, 'sign', foreign, 'not_found', 'invalid_payload')
})

test('nobody grants more than it holds, but anybody may propose to receive', async () => {
  const party = await newParty(stage, 'acme')
  poor.add(party.did)
  const capabilities = [{ name: 'svc.moat.*', caveats: [] }]
  const as = { ...asCaller(party), capabilities }
  const call = stage.run('propose', offer(), as)
  await assertRefused(call, 'policy_denied', `grant exceeds proposer capabilities: ${echo}`)
  const receive = { capability_schedule: [{ capability: echo, granted_to: 'proposer' }] }
  await stage.run('propose', offer(receive), as)
})

test('scenario 9: an organization is bound only by its council', async () => {
  const treaty_id = await propose()
  const second = await newParty(stage, 'globex')
  const { engine } = stage.store
  await addMember(engine, 'globex', second.did, new Date(stage.ports.clock.now_ms()))
  await run(ann, 'sign', { treaty_id })
  await refused(bob, 'sign', { treaty_id }, 'charter quorum required')
  assert.equal(await stateOf(treaty_id), 'PARTIALLY_SIGNED')
  const [one, two] = [await propose(), await propose()]
  const binds = [one, two].map((subject) => ({ protocol: 'MOAT', operation: 'sign', subject }))
  const { ref: authority } = await councilOf(stage).decide([bob, second], { binds })
  await refused(bob, 'sign', { treaty_id, authority }, 'authority does not bind this operation')
  assert.equal((await run(bob, 'sign', { treaty_id: one, authority })).state, 'PARTIALLY_SIGNED')
  await refused(bob, 'sign', { treaty_id: two, authority }, 'authority already used')
  stage.ports.clock.advance(1)
  await endMembership(engine, 'globex', second.did, new Date(stage.ports.clock.now_ms()))
  lesser.add(bob.did)
  await refused(bob, 'sign', { treaty_id }, 'conformance L2 required')
  lesser.delete(bob.did)
  await refused(second, 'sign', { treaty_id }, 'not a party')
  const withdrawn = await run(bob, 'terminate', { treaty_id, reason: 'we think again' })
  assert.deepEqual([withdrawn.state, withdrawn.treaty_id], ['WITHDRAWN', treaty_id])
  assert.deepEqual(await run(ann, 'terminate', { treaty_id, reason: 'so do we' }), withdrawn)
  const reason = 'treaty is WITHDRAWN; sign needs PROPOSED or PARTIALLY_SIGNED'
  await refused(bob, 'sign', { treaty_id }, reason)
})

test('a party whose key is not in custody signs the exact text of the refusal', async () => {
  const own = await newParty(stage, 'fourth', { in_custody: false })
  await addMember(stage.store.engine, 'fourth', own.did, new Date(stage.ports.clock.now_ms()))
  const treaty_id = await propose({ counterparty_did: own.did })
  const { details } = await refused(own, 'sign', { treaty_id }, 'signature required', 'invalid_payload')
  const { faults, timestamp } = details as Output
  const text = faults[0].message
  const proof = { treaty_id, timestamp, public_key: own.key.public_key }
  const forged = { ...proof, signature: signText(ann.key.private_key, text) }
  await refused(own, 'sign', forged, 'signature invalid')
  assert.ok(stage.records('fourth').some(({ event_type }) => event_type === 'SecurityViolation'))
  const signature = signText(own.key.private_key, text)
  const early = { ...proof, signature, timestamp: later(hour_ms) }
  await refused(own, 'sign', early, 'fields do not fit together', 'invalid_payload')
  const { signatures } = await run(own, 'sign', { ...proof, signature })
  assert.deepEqual(
    signatures.map(({ method }: Output) => method),
    ['own'],
  )
})

test('scenario 10: an amendment replaces its parent once both have signed, and others lapse', async () => {
  const limits = { weekly_budget_usd: '5' }
  const narrow = [{ capability: echo, limits, granted_to: 'proposer' }]
  const root = await agree({ capability_schedule: narrow, rate_limits: { per_day: 3 } })
  const amendment = (changes: object) => ({ treaty_id: root, changes, reason: 'we need more' })
  const unchanged = amendment({ capability_schedule: narrow })
  await refused(ann, 'propose_amendment', unchanged, 'nothing changes', 'invalid_payload')
  await assert.rejects(run(ann, 'propose_amendment', amendment({})), { code: 'invalid_payload' })
  const wide = [{ capability: 'svc.trial.*', granted_to: 'proposer' }, ...narrow]
  const changes = { capability_schedule: wide, rate_limits: { per_day: 4 } }
  const proposed = await run(ann, 'propose_amendment', amendment(changes))
  assert.deepEqual([proposed.parent, proposed.widening, proposed.state], [root, true, 'PROPOSED'])
  assert.deepEqual(proposed.diff.map(({ path }: Output) => path).sort(), [
    '/grants/-',
    '/grants/0/capability',
    '/grants/0/limits',
    '/rate_limits/per_day',
  ])
  const rival = await run(bob, 'propose_amendment', amendment({ rate_limits: { per_day: 2 } }))
  assert.equal(rival.widening, false)
  const { amendment_id } = proposed
  await refused(ann, 'sign', { treaty_id: amendment_id }, 'use sign_amendment')
  lesser.add(ann.did)
  await refused(ann, 'sign_amendment', { amendment_id }, 'conformance L2 required')
  // Narrowing a treaty needs only level L1.
  await run(ann, 'sign_amendment', { amendment_id: rival.amendment_id })
  lesser.delete(ann.did)
  await run(ann, 'sign_amendment', { amendment_id })
  assert.equal(await stateOf(root), 'ACTIVE')
  assert.equal((await mayCall(ann, { capability: 'svc.trial.report' })).reason, 'capability not granted')
  assert.equal((await run(bob, 'sign_amendment', { amendment_id })).state, 'ACTIVE')
  assert.ok(eventsOf('acme', amendment_id).includes('TreatyAmended'))
  const states = [await stateOf(root), await stateOf(rival.amendment_id)]
  assert.deepEqual(states, ['SUPERSEDED', 'LAPSED'])
  const late = { amendment_id: rival.amendment_id }
  await refused(bob, 'sign_amendment', late, 'amendment parent is no longer the head')
  assert.equal((await mayCall(ann, { capability: 'svc.trial.report' })).active, true)
  assert.equal((await mayCall(ann)).treaty_id, amendment_id)
  await end(root)
  assert.equal(await stateOf(amendment_id), 'TERMINATED', 'any id of the line ends its head')
})

/** A contract under which bob owes ann from now on. */
async function owe(treaty_id: string): Promise<void> {
  const create = (who: Party, input: object) => run(who, 'MADE.economic_contract_create', input)
  const debt = { id: 'late', from: 'counterparty', asset_id: 'coin', amount: '100' }
  const terms = { counterparty_did: bob.did, obligations: [debt], treaty_id }
  const { contract_id } = await create(ann, terms)
  await create(bob, { contract_id })
}

test('a breach is found on every check, and the injured party may suspend and resume', async () => {
  const token = { kind: 'token', rail: 'internal', settlement_finality_seconds: 3600 }
  const denomination = { code: 'COIN', decimals: 2 }
  await run(ann, 'MADE.asset_definition_publish', { ...token, asset_id: 'coin', denomination })
  const capability_schedule = [
    { capability: echo, granted_to: 'both' },
    { capability: 'svc.made.*', granted_to: 'both' },
  ]
  const treaty_id = await agree({ capability_schedule, settlement_terms: { currency: 'COIN' } })
  await owe(treaty_id)
  const period = { from: later(0), to: later(day_ms) }
  stage.ports.clock.advance(hour_ms)
  const measure = (more: object = {}) => ({ treaty_id, period, ...more })
  const report = await run(ann, 'enforce', measure())
  const [finding] = report.findings
  assert.deepEqual([report.compliant, finding.kind, report.state], [false, 'payment_overdue', 'ACTIVE'])
  assert.deepEqual(await run(ann, 'enforce', measure()), report)
  assert.equal((await run(bob, 'enforce', measure())).compliant, true, 'the debtor has no claim')
  const suspend = { measure: 'suspend', reason: 'you owe us' }
  await refused(ann, 'enforce', measure({ measure: 'suspend' }), 'reason missing', 'invalid_payload')
  await refused(bob, 'enforce', measure(suspend), 'no findings')
  const unknown = measure({ ...suspend, finding_ids: ['00000000-0000-4000-8000-000000000000'] })
  await refused(ann, 'enforce', unknown, 'not_found', 'invalid_payload')
  const suspended = await run(ann, 'enforce', measure({ ...suspend, finding_ids: [finding.id] }))
  assert.equal(suspended.state, 'SUSPENDED')
  const events = eventsOf('globex', treaty_id)
  assert.ok(events.includes('TreatyEnforced') && events.includes('TreatySuspended'))
  const back = { party_a: 'globex', party_b: 'acme' }
  for (const direction of [{}, back]) assert.equal((await mayCall(bob, direction)).reason, 'treaty suspended')
  await refused(bob, 'enforce', measure({ measure: 'resume', reason: 'please' }), 'not the suspender')
  assert.equal((await run(ann, 'enforce', measure({ measure: 'resume', reason: 'paid' }))).state, 'ACTIVE')
  assert.equal((await mayCall(ann)).active, true)
  await end(treaty_id)
})

test('treaties start, expire and lapse by time alone, whether or not they are read', async () => {
  const waiting = await propose()
  const soonest = await agree({ effective_from: later(hour_ms), expires_at: later(2 * hour_ms) })
  assert.equal(await stateOf(soonest), 'SIGNED')
  assert.equal((await mayCall(ann)).reason, 'no active treaty')
  stage.ports.clock.advance(hour_ms)
  assert.equal((await mayCall(ann)).active, true)
  assert.equal((await mayCall(ann, { at: later(hour_ms) })).reason, 'treaty grant expired')
  stage.ports.clock.advance(hour_ms)
  assert.equal((await mayCall(ann)).reason, 'treaty grant expired')
  await sweep()
  assert.deepEqual([await stateOf(soonest), await stateOf(waiting)], ['EXPIRED', 'PROPOSED'])
  stage.ports.clock.advance(30 * day_ms)
  const reason = 'treaty is LAPSED; sign needs PROPOSED or PARTIALLY_SIGNED'
  await refused(bob, 'sign', { treaty_id: waiting }, reason)
  await sweep()
  assert.equal(await stateOf(waiting), 'LAPSED')
  const reactivate = owner("UPDATE treaties SET state = 'ACTIVE' WHERE id = $1", soonest)
  await assert.rejects(reactivate, /is EXPIRED and does not become ACTIVE/)
})

test('concurrent and repeated signatures count once', async () => {
  const treaty_id = await propose()
  await Promise.all([ann, bob, bob, ann].map((who) => run(who, 'sign', { treaty_id })))
  const activations = eventsOf('acme', treaty_id).filter((type) => type === 'TreatyActivated')
  assert.equal(activations.length, 1)
  const treaty = await findTreaty(stage.store.engine, treaty_id)
  assert.deepEqual([treaty?.state, treaty?.signatures.length], ['ACTIVE', 2])
})
