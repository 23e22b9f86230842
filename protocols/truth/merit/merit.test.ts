// The rules of evaluate_ethics and revoke.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { keepSeed } from '@svc/adapters/custody/keystore'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import type { RefusalCode } from '@svc/contract/refusal'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse, root_keys } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { newKey } from '../../../checks/scenes/delegation-scene.ts'
import { mars } from '../../awareness/mars/mars.ts'
import { mace } from '../../governance/mace/mace.ts'
import { maxim } from '../../governance/maxim/maxim.ts'
import { type CredentialStanding, verifyCredential } from './credential.ts'
import { merit } from './merit.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>
interface Party {
  readonly did: string
  readonly tenant_id: string
}

const day_ms = 86_400_000
const clock = manualClock('2026-11-15T10:00:00.000Z')
const newParty = (tenant_id = test_tenant) => ({ ...newKey(tenant_id), tenant_id })
const [ann, bob, cy, rival] = [newParty(), newParty(), newParty(), newParty('rival')]
let stage: Rehearsal

before(async () => {
  const ports = { clock, identity: localAdminResolver() }
  stage = await rehearse(merit, { others: [mace, mars, maxim], tenants: [test_tenant, 'rival'], ports })
  const { engine } = stage.store
  for (const { tenant_id, did, seed } of [ann, bob, rival])
    await keepSeed(engine, root_keys, tenant_id, did, seed)
  for (const { did } of [ann, bob]) await addMember(engine, test_tenant, did, new Date(clock.now_ms()))
})
after(() => stage.close())

const done = ({ did, tenant_id }: Party, operation: string, input: unknown): Promise<Fields> =>
  stage.run(operation, input, { did, tenant_id })
const refused = (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'policy_denied',
) => assertRefused(done(who, operation, input), code, reason)

const good = {
  kind: 'vaccinate',
  description: 'Vaccinate those who came for it.',
  reversible: true,
  affected: [{ party: 'patients', interest: 'health', magnitude: 0.7, probability: 0.9, consent: 'yes' }],
}
const certified = async (who: Party): Promise<Fields> =>
  (await done(who, 'evaluate_ethics', { action: good, issue_credential: true, subject_did: bob.did }))
    .credential
const order = (credential: Fields, authority: string, more: Fields = {}) => ({
  credential_ref: credential.id,
  reason: 'misconduct',
  authority,
  ...more,
})
/** As an outsider would: with the credential, the public registry, and the organization's public key. */
async function standingOf(credential: Fields): Promise<CredentialStanding> {
  const lists = []
  for (const { statusListCredential } of credential.credentialStatus) {
    const { entries } = await done(rival, 'MARS.query_registry', { subject: statusListCredential })
    lists.push(entries[0].body.content)
  }
  const { public_key } = await stage.ports.audit_log.forTenant(test_tenant).sign(Buffer.from('which key'))
  const now = new Date(clock.now_ms()).toISOString()
  return verifyCredential(credential, lists, { now, organization_keys: [public_key] })
}

async function decide(subject: string, position = 'for'): Promise<string> {
  const binds = [{ protocol: 'MERIT', operation: 'revoke', subject }]
  const motion = { title: 'A credential', text: 'Let it be withdrawn.', charter_level: true, binds }
  const convened = { motion, quorum: 'majority', deadline_ms: day_ms, composition_rules: {} }
  const { motion_id } = await done(ann, 'MACE.convene', convened)
  for (const member of [ann, bob])
    await done(member, 'MACE.deliberate', { motion_id, position, reasoning: 'I think so.' })
  return (await done(ann, 'MACE.tally', { motion_id })).ref
}

test('an issuer revokes its own credential, a verdict about the subject suffices, and others are unaffected', async () => {
  const [first, second, third] = [await certified(ann), await certified(cy), await certified(ann)]
  assert.equal(await standingOf(second), 'valid', 'signed by the audit log if the key is not in custody')
  await refused(ann, 'revoke', order(second, cy.did), 'authority does not cover credential')
  assert.equal((await done(cy, 'revoke', order(second, cy.did))).status, 'revoked')
  await done(ann, 'revoke', order(first, await decide(bob.did)))
  assert.deepEqual(await Promise.all([first, second, third].map(standingOf)), ['revoked', 'revoked', 'valid'])
  clock.advance(366 * day_ms)
  assert.equal(await standingOf(third), 'expired')
})

test('a suspension ends by itself, and its bit is cleared with the next change', async () => {
  const [suspended, free] = [await certified(ann), await certified(ann)]
  const until = new Date(clock.now_ms() + day_ms).toISOString()
  const suspend = order(suspended, ann.did, { purpose: 'suspension', until })
  const without = order(suspended, ann.did, { purpose: 'suspension' })
  await refused(ann, 'revoke', without, 'until', 'invalid_payload')
  await refused(ann, 'revoke', order(suspended, ann.did, { until }), 'until', 'invalid_payload')
  const past = { ...suspend, until: '2026-01-01T00:00:00Z' }
  await refused(ann, 'revoke', past, 'until', 'invalid_payload')
  const answer = await done(ann, 'revoke', suspend)
  assert.deepEqual([answer.status, answer.until], ['suspended', until])
  assert.deepEqual(await done(ann, 'revoke', suspend), answer)
  assert.deepEqual([await standingOf(suspended), await standingOf(free)], ['suspended', 'valid'])
  clock.advance(day_ms)
  assert.equal(await standingOf(suspended), 'valid', 'by the end that the signed list names')
  await certified(ann)
  const { entries } = await done(rival, 'MARS.query_registry', { subject: answer.status_list_ref })
  assert.deepEqual(entries[0].body.content.credentialSubject.suspendedUntil, {})
  assert.equal(await standingOf(suspended), 'valid')
})

test('only permitted actions are certified, and invalid requests are refused', async () => {
  const harm = {
    ...good,
    affected: [{ party: 'Kim', interest: 'liberty', magnitude: -0.5, probability: 0.6 }],
  }
  const request = { issue_credential: true, subject_did: bob.did }
  const review = await done(ann, 'evaluate_ethics', { action: harm, ...request })
  assert.deepEqual([review.verdict, review.credential], ['review', undefined])
  assert.match(review.credential_withheld, /review/)
  const alone = { action: good, issue_credential: true }
  await refused(ann, 'evaluate_ethics', alone, 'subject', 'invalid_payload')
  const unknown = { action: good, policy_refs: ['maxim://no-such'] }
  await refused(ann, 'evaluate_ethics', unknown, 'not_found', 'invalid_payload')
  const odd = { action: { ...good, duty_refs: ['mind://cell/1'] } }
  await refused(ann, 'evaluate_ethics', odd, 'not_a_duty', 'invalid_payload')
})

test('the credential states the action, and nothing that was not said is certified', async () => {
  const { kind, description } = good
  assert.deepEqual((await certified(ann)).credentialSubject.action, { kind, description })
  const act = { kind: 'act', description: 'Kill a random passer-by.', reversible: false }
  const request = { action: act, issue_credential: true, subject_did: bob.did }
  const { verdict, missing, read, credential } = await done(ann, 'evaluate_ethics', request)
  assert.deepEqual([verdict, missing.map(({ field }: Fields) => field)], ['review', ['affected']])
  assert.deepEqual([read[0].ref, read[0].words, credential], ['merit://harm/killing', ['kill'], undefined])
})

test('an organization lists its own duties and harms, and actions are read against them', async () => {
  const action = {
    ...good,
    kind: 'sell',
    description: 'Phone each customer late in the evening.',
    affected: [{ party: 'customers', interest: 'economic', magnitude: 0.2, consent: 'yes' }],
  }
  const judged = async (who = ann) => {
    const { verdict, read } = await done(who, 'evaluate_ethics', { action })
    return [verdict, read.map(({ ref }: Fields) => ref)]
  }
  assert.deepEqual(await judged(), ['permit', []])
  const text = 'Customers are not called between eight in the evening and eight in the morning.'
  const concern = { name: 'night-calls', kind: 'duty', text, words: ['Phone* each'] }
  await done(ann, 'set_concern', concern)
  assert.deepEqual(await judged(), ['review', ['merit://concern/night-calls']])
  await done(ann, 'set_concern', { ...concern, words: [] })
  assert.deepEqual(await judged(), ['review', ['merit://concern/night-calls']], 'by its meaning')
  assert.deepEqual(await judged(rival), ['permit', []], 'it is nobody else’s')
  const { items } = await done(ann, 'list_concerns', {})
  assert.deepEqual([items.length, items[0].text, items[0].set_by], [1, text, ann.did])
  await done(ann, 'remove_concern', { name: 'night-calls' })
  await refused(ann, 'remove_concern', { name: 'night-calls' }, 'not_found', 'invalid_payload')
  assert.deepEqual(await judged(), ['permit', []])
})

test('what is not English, or hides its words, is not taken for harmless', async () => {
  for (const description of [
    'Töte einen zufälligen Fremden im Park.',
    'Убей прохожего.',
    'K i l l the guard at the gate.',
  ]) {
    const { verdict, read } = await done(ann, 'evaluate_ethics', { action: { ...good, description } })
    assert.deepEqual([description, verdict, read.length > 0], [description, 'review', true])
  }
})

test('concurrent credentials get separate positions', async () => {
  const made = await Promise.all(Array.from({ length: 6 }, (_, n) => certified(n % 2 ? ann : cy)))
  const places = made.map(({ credentialStatus }) => JSON.stringify(credentialStatus))
  assert.equal(new Set(places).size, made.length)
  await Promise.all(
    made
      .slice(1)
      .map((credential) => done(issuerOf(credential), 'revoke', order(credential, credential.issuer))),
  )
  const standings = await Promise.all(made.map(standingOf))
  assert.deepEqual(standings, ['valid', ...Array(5).fill('revoked')])
})

const issuerOf = ({ issuer }: Fields): Party => (issuer === ann.did ? ann : cy)
