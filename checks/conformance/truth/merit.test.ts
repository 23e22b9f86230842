// MERIT over HTTP: ethical evaluation, credentials for it, and the authority to withdraw them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { publicKeys } from '@svc/audit/query/records'
import { asOwner } from '@svc/audit/test-audit-log'
import type { RefusalCode } from '@svc/contract/refusal'
import { type CredentialStanding, verifyCredential } from '@svc/protocols/truth/merit/credential'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { moot, register } from '../governance/moot-scene.ts'
import { type MadeScene, openMadeScene, type Party } from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const day_ms = 86_400_000
let scene: MadeScene
let ann: Party
let bob: Party
let cy: Party
let rival: Party

before(async () => {
  scene = await openMadeScene()
  ann = await scene.newParty('acme')
  bob = await scene.newParty('acme')
  cy = await scene.newParty('acme', { in_custody: false })
  rival = await scene.newParty('rival')
  for (const member of [ann, bob])
    await addMember(
      scene.service.service.store.engine,
      'acme',
      member.agent_did,
      new Date(scene.clock.now_ms()),
    )
})
after(() => scene.service.stop())

const ask = (who: Party, operation: string, input: unknown, protocol = 'MERIT'): Promise<Answer> =>
  dispatch(who, { protocol, operation, input, tenant_id: who.tenant_id })
const done = async (who: Party, operation: string, input: unknown, protocol?: string): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input, protocol)).output
const refused = async (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'policy_denied',
) => assertRefusal(await ask(who, operation, input), { code, stage: 7, reason })

const good = {
  kind: 'vaccinate',
  description: 'Vaccinate those who came for it.',
  reversible: true,
  affected: [{ party: 'patients', interest: 'health', magnitude: 0.7, probability: 0.9, consent: 'yes' }],
}
const certified = async (who: Party): Promise<Fields> =>
  (await done(who, 'evaluate_ethics', { action: good, issue_credential: true, subject_did: bob.agent_did }))
    .credential
const order = (credential: Fields, authority: string, more: Fields = {}) => ({
  credential_ref: credential.id,
  reason: 'misconduct',
  authority,
  ...more,
})
const now = () => new Date(scene.clock.now_ms()).toISOString()

/** As an outsider would: with the credential, the public registry, and the organization's public keys. */
async function standingOf(credential: Fields): Promise<CredentialStanding> {
  const lists = []
  for (const { statusListCredential } of credential.credentialStatus) {
    const input = { subject: statusListCredential }
    const { entries } = await done(rival, 'query_registry', input, 'MARS')
    lists.push(entries[0].body.content)
  }
  const keys = await publicKeys(scene.service.service.store.engine, 'acme')
  return verifyCredential(credential, lists, {
    now: now(),
    organization_keys: keys.map(({ public_key }) => public_key),
  })
}

async function decide(subject: string, position = 'for'): Promise<string> {
  const binds = [{ protocol: 'MERIT', operation: 'revoke', subject }]
  const motion = { title: 'A credential', text: 'Let it be withdrawn.', charter_level: true, binds }
  const convened = { motion, quorum: 'majority', deadline_ms: day_ms, composition_rules: {} }
  const { motion_id } = await done(ann, 'convene', convened, 'MACE')
  for (const member of [ann, bob])
    await done(member, 'deliberate', { motion_id, position, reasoning: 'I think so.' }, 'MACE')
  return (await done(ann, 'tally', { motion_id }, 'MACE')).ref
}

test('scenario 14: a credential is given, checked offline, and withdrawn by a verdict and by nobody else', async () => {
  const input = { action: good, issue_credential: true, subject_did: bob.agent_did }
  const { verdict, credential, evaluation_ref, binding } = await done(ann, 'evaluate_ethics', input)
  assert.deepEqual([verdict, binding, credential.issuer], ['permit', false, ann.agent_did])
  assert.equal(await standingOf(credential), 'valid')
  const evaluation = async () =>
    (
      await asOwner(scene.service.db_url, (owner) =>
        owner.query('SELECT version, status, commitment, sealed FROM content WHERE ref = $1', [
          evaluation_ref,
        ]),
      )
    ).rows
  const evaluated = await evaluation()

  const uncovered = 'authority does not cover credential'
  await refused(cy, 'revoke', order(credential, cy.agent_did), uncovered)
  await refused(cy, 'revoke', order(credential, ann.agent_did), uncovered)
  await refused(cy, 'revoke', order(credential, `mace://verdict/sha256:${'0'.repeat(64)}`), uncovered)
  await refused(ann, 'revoke', order(credential, `moot://ruling/sha256:${'0'.repeat(64)}`), uncovered)
  await refused(ann, 'revoke', order(credential, 'max://record/1'), uncovered)
  await refused(rival, 'revoke', order(credential, rival.agent_did), 'not_found', 'invalid_payload')
  const other = await decide('merit://credential/00000000-0000-4000-8000-000000000000')
  await refused(ann, 'revoke', order(credential, other), uncovered)
  await refused(ann, 'revoke', order(credential, await decide(credential.id, 'against')), uncovered)
  assert.equal(await standingOf(credential), 'valid')

  const authority = await decide(credential.id)
  const first = await done(ann, 'revoke', order(credential, authority))
  assert.deepEqual([first.status, first.authority], ['revoked', authority])
  assert.equal(first.status_list_ref, credential.credentialStatus[0].statusListCredential)
  assert.equal(String(first.index), credential.credentialStatus[0].statusListIndex)
  assert.equal(await standingOf(credential), 'revoked')
  assert.deepEqual(
    await done(ann, 'revoke', order(credential, authority)),
    first,
    'the same again changes nothing',
  )
  const until = new Date(scene.clock.now_ms() + day_ms).toISOString()
  const suspend = order(credential, ann.agent_did, { purpose: 'suspension', until })
  await refused(ann, 'revoke', suspend, 'credential is revoked; suspension needs one that stands')
  assert.deepEqual([evaluated.length, await evaluation()], [1, evaluated])
  const events = ['EthicsEvaluated', 'CredentialIssued', 'CredentialRevoked']
  const records = await scene.service.records('acme', { event_types: events })
  assert.deepEqual(
    records.map(({ event_type }) => event_type),
    events,
  )
  assert.ok(!JSON.stringify(await scene.service.records('acme')).includes('Vaccinate those'))
})

test('a policy in force that forbids the action makes the verdict prohibit, named or not', async () => {
  const body = `@reason("no jabs here") forbid(principal, action, resource)
    when { context has action_kind && context.action_kind == "jab" };`
  const policy = { policy_id: 'no-jabs', policy_body: body, version: '1.0.0', active_from: now() }
  const { subject } = assertRefusal(await ask(ann, 'author', policy, 'MAXIM'), {
    code: 'policy_denied',
    stage: 7,
    reason: 'charter quorum required',
  }).details as Fields
  await enact(subject)
  await done(ann, 'author', policy, 'MAXIM')
  const action = { ...good, kind: 'jab' }
  const other = { ...good, kind: 'wait and see' }
  const judged = await done(ann, 'evaluate_ethics', { action, alternatives: [other] })
  assert.equal(judged.verdict, 'prohibit')
  assert.deepEqual(judged.violated, [{ rule_ref: 'maxim://no-jabs@1.0.0', text: 'no jabs here' }])
  assert.deepEqual([judged.best_alternative.index, judged.best_alternative.verdict], [0, 'permit'])
  const policy_refs = ['maxim://no-jabs']
  const named = await done(ann, 'evaluate_ethics', { action, alternatives: [other], policy_refs })
  assert.deepEqual([named.verdict, named.violated], [judged.verdict, judged.violated])
})

async function enact(subject: string): Promise<void> {
  const binds = [{ protocol: 'MAXIM', operation: 'author', subject }]
  const motion = { title: 'A rule', text: 'Let it be enacted.', charter_level: true, binds }
  const convened = { motion, quorum: 'majority', deadline_ms: day_ms, composition_rules: {} }
  const { motion_id } = await done(ann, 'convene', convened, 'MACE')
  for (const member of [ann, bob])
    await done(member, 'deliberate', { motion_id, position: 'for', reasoning: 'Yes.' }, 'MACE')
  await done(ann, 'tally', { motion_id }, 'MACE')
}

test('a final ruling against the holder suffices, for parties to the case', async () => {
  for (let place = 0; place < 3; place++) await register(await scene.newParty('operator'), place)
  const request = { action: good, issue_credential: true, subject_did: rival.agent_did }
  const { credential } = await done(ann, 'evaluate_ethics', request)
  const [record] = await scene.service.records('acme')
  const opened = await moot(ann, 'file', {
    respondent_did: rival.agent_did,
    claim: 'It did not do what it was certified for.',
    evidence: [`max://acme/record/${record!.record_hash}`],
    requested_remedy: { kind: 'declaratory', target: credential.id },
  })
  const { case_id } = assertSuccess(opened).output as Fields
  const by_case = order(credential, `moot://case/${case_id}`, { reason: 'order' })
  await refused(ann, 'revoke', by_case, 'authority does not cover credential')
  const settlement = { case_id, plea: 'settle', argument: 'So be it.', settlement: { kind: 'declaratory' } }
  for (const party of [rival, ann]) assertSuccess(await moot(party, 'plead', settlement))
  const { docket } = await done(ann, 'plead', { case_id, plea: 'view' }, 'MOOT')
  const by_ruling = { ...by_case, authority: `moot://ruling/${docket.ruling.ruling_id}` }
  await refused(cy, 'revoke', by_ruling, 'authority does not cover credential')
  const unrelated = { ...by_ruling, credential_ref: (await certified(ann)).id }
  await refused(ann, 'revoke', unrelated, 'authority does not cover credential')
  assert.equal((await done(ann, 'revoke', by_ruling)).authority, by_ruling.authority)
  assert.equal(await standingOf(credential), 'revoked')
})
