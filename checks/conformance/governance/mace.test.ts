// Councils over HTTP: motions, votes, verdicts, and what an organization may do because of them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { asOwner } from '@svc/audit/test-audit-log'
import type { RefusalCode } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy, signText } from '@svc/contract/signing/signature'
import { sweepMotions } from '@svc/protocols/governance/mace/motion-sweep'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { openBorders } from '../../scenes/test-treaty.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { type MadeScene, openMadeScene, type Party } from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
let scene: MadeScene

before(async () => {
  scene = await openMadeScene({ treaties: openBorders('svc.mace.*') })
})
after(() => scene.service.stop())

async function newCharter(tenant_id: string, members: number): Promise<Party[]> {
  const charter: Party[] = []
  for (let place = 0; place < members; place++) {
    const party = await scene.newParty(tenant_id)
    await addMember(
      scene.service.service.store.engine,
      tenant_id,
      party.agent_did,
      new Date(scene.clock.now_ms()),
    )
    charter.push(party)
  }
  return charter
}

const ask = (who: Party, operation: string, input: unknown, tenant_id = who.tenant_id): Promise<Answer> =>
  dispatch(who, { protocol: 'MACE', operation, input, tenant_id })
const done = async (who: Party, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input)).output
const refused = async (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'policy_denied',
) => assertRefusal(await ask(who, operation, input), { code, stage: 7, reason })
const motionOf = (motion: Fields, more: Fields = {}) => ({
  motion: { title: 'A motion', text: 'Let it be so.', ...motion },
  quorum: 'majority',
  deadline_ms: day_ms,
  composition_rules: {},
  ...more,
})
const say = (who: Party, motion_id: string, position: string, reasoning = `I am ${position}.`) =>
  done(who, 'deliberate', { motion_id, position, reasoning })
const tally = (who: Party, motion_id: string) => done(who, 'tally', { motion_id })

/** A verdict of all members on something of theirs. */
async function decide(charter: Party[], motion: Fields, position = 'for'): Promise<Fields> {
  const { motion_id } = await done(charter[0]!, 'convene', motionOf(motion))
  for (const member of charter) await say(member, motion_id, position)
  return tally(charter[0]!, motion_id)
}

const binding = (department: string, more: Fields = {}) => ({
  binds: [{ protocol: 'MANA', operation: 'allocate', subject: department }],
  ...more,
})
const allocate = (who: Party, department: string, authority: string) =>
  dispatch(who, {
    protocol: 'MANA',
    operation: 'allocate',
    input: {
      envelope: { department, max_per_month_usd: '2', max_per_day_usd: '1' },
      capabilities_granted: [],
      authority,
    },
  })
const denied = (answer: Answer, reason: string) =>
  assertRefusal(answer, { code: 'policy_denied', stage: 7, reason })
const recordsOf = async (tenant_id: string, ...event_types: string[]) =>
  scene.service.records(tenant_id, { event_types })

test('the minority record stands beside the verdict, and a changed vote counts once', async () => {
  const charter = await newCharter('five', 5)
  const [ann, bob, cid, dan, eve] = charter as [Party, Party, Party, Party, Party]
  const motion = motionOf({ charter_level: true }, { quorum: 'supermajority' })
  const convened = await done(ann, 'convene', motion)
  const { motion_id, motion_hash } = convened
  assert.deepEqual(
    [convened.state, convened.attendance_needed, convened.threshold, convened.seats.length],
    ['CONVENED', 3, { of_votes: '>=2/3', of_seats: '>1/2' }, 5],
  )
  await say(ann, motion_id, 'for')
  await say(bob, motion_id, 'against', 'Not yet.')
  assert.equal((await say(cid, motion_id, 'present')).state, 'OPEN')
  await refused(ann, 'tally', { motion_id }, 'vote still open')
  const view = await done(dan, 'tally', { motion_id, action: 'view' })
  assert.ok(view.motion.text && !('counts' in view), 'no vote is counted aloud')
  const changed = await say(bob, motion_id, 'for', 'They have convinced me.')
  assert.deepEqual([changed.revision, changed.counted_position], [2, 'for'])
  await say(cid, motion_id, 'for')
  await say(dan, motion_id, 'for')
  const against = 'It costs more than it brings.'
  await say(eve, motion_id, 'against', against)
  const verdict = await tally(bob, motion_id)
  assert.equal(verdict.outcome, 'PASSED')
  assert.deepEqual(verdict.counts, { for: 4, against: 1, abstain: 0, recused: 0, absent: 0 })
  assert.deepEqual(
    verdict.dissent.map(({ did, reasoning }: Fields) => [did, reasoning]),
    [[eve.agent_did, against]],
  )
  assert.deepEqual(await tally(ann, motion_id), verdict, 'it is declared once')
  await refused(
    ann,
    'deliberate',
    { motion_id, position: 'for', reasoning: 'x' },
    'motion is TALLIED; deliberate needs CONVENED or OPEN',
  )
  const answer = await dispatch(ann, {
    protocol: 'MARS',
    operation: 'query_registry',
    input: { entry: verdict.registered.replace('mars://', '') },
  })
  const { content } = (assertSuccess(answer).output as Fields).entries[0].body
  assert.equal(contentHash(content), verdict.verdict_id)
  for (const { did, position, reasoning_hash, signed } of content.positions) {
    const vote = `svc-vote-v1\n${JSON.stringify({ did, motion_hash, position, reasoning_hash })}`
    assert.ok(isKeyOf(did, signed.public_key) && isSignedBy(signed.public_key, vote, signed.signature))
  }
  const kept = await asOwner(scene.service.db_url, (owner) =>
    owner.query('SELECT position FROM positions WHERE motion_id = $1 AND did = $2', [
      motion_id,
      bob.agent_did,
    ]),
  )
  assert.equal(kept.rows.length, 2, 'what was said before stays')
  const records = await recordsOf(
    'five',
    'MotionConvened',
    'MotionOpened',
    'PositionRecorded',
    'MotionTallied',
  )
  assert.equal(records.length, 10)
  assert.equal(records.at(-1)?.meta.dissent_count, 1)
  assert.ok(!JSON.stringify(records).includes(against), 'no content in records')
})

test('a new charter opens by appearing, and one that does not appear decides nothing', async (t) => {
  const [ann, bob] = (await newCharter('three', 3)) as [Party, Party]
  const { motion_id } = await done(ann, 'convene', motionOf({ charter_level: true }))
  assert.equal((await say(ann, motion_id, 'for')).state, 'CONVENED')
  scene.clock.advance(day_ms - 1)
  assert.equal(await sweepMotions(scene.service.service.store.engine, testTick(scene.clock.now_ms())), 0)
  assert.equal((await say(bob, motion_id, 'present')).state, 'OPEN')
  const second = await done(ann, 'convene', motionOf(binding('labs'), { deadline_ms: 1000 }))
  assert.ok(second.charter_level, 'what it binds makes it charter-level')
  await say(ann, second.motion_id, 'for')
  scene.clock.advance(1000)
  await refused(bob, 'deliberate', { motion_id, position: 'for', reasoning: 'late' }, 'deadline passed')
  assert.equal((await tally(bob, motion_id)).outcome, 'FAILED', 'one of three is no majority of all')
  const lapsed = 'motion is LAPSED; tally needs CONVENED or OPEN'
  await refused(ann, 'tally', { motion_id: second.motion_id }, lapsed)
  const { engine } = scene.service.service.store
  // The service sweeps by itself as well: whoever was first has told it, once.
  await sweepMotions(engine, testTick(scene.clock.now_ms()))
  assert.equal(await sweepMotions(engine, testTick(scene.clock.now_ms())), 0)
  await t.waitFor(
    async () => {
      const records = await recordsOf('three', 'MotionLapsed')
      assert.deepEqual(
        records.map(({ meta }) => [meta.motion_id, meta.why]),
        [[second.motion_id, 'no quorum appeared']],
      )
    },
    { interval: 20, timeout: 180_000 },
  )
  await refused(ann, 'tally', { motion_id: second.motion_id }, lapsed)
  denied(await allocate(ann, 'labs', 'mace://verdict/sha256:' + '0'.repeat(64)), 'charter quorum required')
  const third = await done(ann, 'convene', motionOf({ charter_level: true }, { deadline_ms: 1000 }))
  for (const member of [ann, bob]) await say(member, third.motion_id, 'for')
  scene.clock.advance(1000 + 7 * day_ms)
  await refused(ann, 'tally', { motion_id: third.motion_id }, lapsed)
})

test('an authority binds one deed, once, for a while, and says who was against where it failed', async () => {
  const charter = await newCharter('quorate', 3)
  const [ann, bob, cid] = charter as [Party, Party, Party]
  const clerk = await scene.newParty('quorate')
  denied(await allocate(ann, 'research', 'mace://sole-member'), 'charter quorum required')
  const { ref } = await decide(charter, binding('research', { executor_did: clerk.agent_did }))
  denied(await allocate(ann, 'other', ref), 'authority does not bind this operation')
  const stranger = await scene.newParty('quorate')
  denied(await allocate(stranger, 'research', ref), 'charter quorum required')
  assertSuccess(await allocate(clerk, 'research', ref))
  denied(await allocate(ann, 'research', ref), 'authority already used')
  const lost = await done(ann, 'convene', motionOf(binding('sales')))
  await say(ann, lost.motion_id, 'for', 'We need it.')
  for (const member of [bob, cid]) await say(member, lost.motion_id, 'against')
  const { ref: failed } = await tally(ann, lost.motion_id)
  const answer = await allocate(ann, 'sales', failed)
  denied(answer, 'charter quorum required')
  const { details, correlation_id } = answer.body.error
  assert.deepEqual(
    details.dissent.map(({ did }: Fields) => did),
    [ann.agent_did],
  )
  assert.deepEqual([details.appeal_path, details.denying_policy], ['MACE convene', 'MACE quorum'])
  const checks = await recordsOf('quorate', 'AuthorizationCheck')
  const check = checks.find((record) => record.correlation_id === correlation_id)
  assert.deepEqual(
    [check?.outcome, check?.meta.gate, check?.meta.verdict, check?.meta.pass],
    ['refused', 'MACE-quorum', failed, false],
  )
  const passed = checks.find(({ meta }) => meta.verdict === ref && meta.pass === true)
  assert.deepEqual([passed?.meta.operation, passed?.meta.use], ['MANA.allocate', 1])
  const { ref: old } = await decide(charter, binding('late', { authority_ttl_days: 1 }))
  scene.clock.advance(day_ms + 1)
  denied(await allocate(ann, 'late', old), 'authority expired')
})

test('an authority is used as often as it says and no more, however many ask at once', async () => {
  const charter = await newCharter('rush', 3)
  const { ref } = await decide(charter, binding('rush'))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, place) => allocate(charter[place % 3]!, 'rush', ref)),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers) if (answer.status !== 200) denied(answer, 'authority already used')
  await asOwner(scene.service.db_url, (owner) => owner.query('UPDATE verdicts SET uses = 0'))
  denied(await allocate(charter[0]!, 'rush', ref), 'authority already used')
})

test('without a reference the newest unused verdict that binds the very deed is found', async () => {
  const charter = await newCharter('operator', 3)
  const order = { action: 'set_tier', tenant_id: 'rush', tier: 'charter' }
  const binds = [{ protocol: 'MEAL', operation: 'admin', subject: contentHash(order) }]
  const administer = (input: Fields) =>
    dispatch(charter[0]!, { protocol: 'MEAL', operation: 'admin', input, tenant_id: 'operator' })
  denied(await administer(order), 'charter quorum required')
  await decide(charter, { binds }, 'against')
  const twice = await decide(charter, { binds, max_uses: 2 })
  scene.clock.advance(1000)
  const once = await decide(charter, { binds })
  denied(await administer({ ...order, tier: 'institution' }), 'charter quorum required')
  assert.equal((await administer(order)).body.output.authority, once.ref, 'the newest')
  const answers = await Promise.all(Array.from({ length: 8 }, () => administer(order)))
  const used = answers.flatMap(({ status, body }) => (status === 200 ? [body.output.authority] : []))
  assert.deepEqual(used, [twice.ref, twice.ref])
  for (const answer of answers) if (answer.status !== 200) denied(answer, 'authority already used')
})

test('a changed row of a vote, of a motion or of a verdict takes its authority away', async () => {
  const charter = await newCharter('tampered', 2)
  const owner = (sql: string, ...values: unknown[]) =>
    asOwner(scene.service.db_url, (client) => client.query(sql, values))
  const cases: Readonly<Record<string, (motion_id: string) => Promise<unknown>>> = {
    vote: (id) =>
      owner("UPDATE positions SET position = 'abstain' WHERE motion_id = $1 AND revision = 1", id),
    words: (id) => owner("UPDATE positions SET reasoning = 'else' WHERE motion_id = $1", id),
    signature: (id) => owner("UPDATE positions SET signature = repeat('A', 86) WHERE motion_id = $1", id),
    motion: (id) =>
      owner(`UPDATE motions SET body = replace(body, 'Let it', 'Let us') WHERE motion_id = $1`, id),
    verdict: (id) =>
      owner(`UPDATE verdicts SET body = replace(body, '"verdict"', '"wider"') WHERE motion_id = $1`, id),
  }
  for (const [department, tamper] of Object.entries(cases)) {
    const { ref, motion_id } = await decide(charter, binding(department))
    await tamper(motion_id)
    denied(
      await allocate(charter[0]!, department === 'verdict' ? 'wider' : department, ref),
      'charter quorum required',
    )
  }
  const alarms = await recordsOf('tampered', 'SecurityViolation')
  assert.deepEqual(new Set(alarms.map(({ meta }) => meta.reason)), new Set(['verdict does not recompute']))
  assert.equal(alarms.length, 5)
})

test('a charter changes by its own motion, and its only member acts alone', async () => {
  const [ann] = (await newCharter('small', 1)) as [Party]
  assertSuccess(await allocate(ann, 'alone', 'mace://sole-member'))
  const [check] = await recordsOf('small', 'AuthorizationCheck')
  assert.deepEqual([check?.meta.sole_member, check?.meta.pass], [true, true])
  denied(await allocate(ann, 'alone', String(check?.meta.verdict)), 'authority already used')
  const bob = await scene.newParty('small', { in_custody: false })
  const grow = { effects: [{ kind: 'charter_members', add: [bob.agent_did] }] }
  const { effects_applied } = await decide([ann], grow)
  assert.deepEqual(effects_applied, [{ kind: 'charter_members', add: [bob.agent_did], remove: [] }])
  denied(await allocate(ann, 'more', 'mace://sole-member'), 'charter quorum required')
  const everybody = { remove: [ann.agent_did, bob.agent_did] }
  const nobody = motionOf({ effects: [{ kind: 'charter_members', ...everybody }] })
  await refused(ann, 'convene', nobody, 'last charter member')
  const { motion_id } = await done(bob, 'convene', motionOf({ charter_level: true }))
  const vote = { motion_id, position: 'for', reasoning: 'Yes.' }
  const unsigned = await refused(bob, 'deliberate', vote, 'signature required', 'invalid_payload')
  const text = (unsigned.details as Fields).faults[0].message
  const proof = { signature: signText(bob.key.private_key, text), public_key: bob.key.public_key }
  await refused(bob, 'deliberate', { ...vote, position: 'against', ...proof }, 'signature invalid')
  assertSuccess(await ask(bob, 'deliberate', { ...vote, ...proof }))
})

test('a council of delegates waits for whom it must include, and cites what is there', async () => {
  const [ann] = (await newCharter('guild', 1)) as [Party]
  const [bob, cid] = [await scene.newParty('guild'), await scene.newParty('guild')]
  const delegates = [ann.agent_did, bob.agent_did]
  const rules = { delegates, must_include_did: cid.agent_did, min_delegates: 2 }
  const too_many = motionOf({}, { composition_rules: { ...rules, min_delegates: 9 } })
  await refused(ann, 'convene', too_many, 'composition cannot reach quorum')
  await refused(bob, 'convene', motionOf(binding('x')), 'charter members only')
  scene.lesser.add(bob.agent_did)
  await refused(bob, 'convene', motionOf(binding('x')), 'conformance L2 required')
  const asked = { ...motionOf({}), motion: 'May we?', composition_rules: rules }
  const { motion_id } = await done(bob, 'convene', asked)
  const vote = { motion_id, position: 'for', reasoning: 'As before.' }
  const nowhere = [`mace://verdict/sha256:${'0'.repeat(64)}`]
  await refused(ann, 'deliberate', { ...vote, citations: nowhere }, 'not_found', 'invalid_payload')
  const { body } = await ask(ann, 'deliberate', vote)
  const [record] = await recordsOf('guild', 'MotionConvened')
  const citations = [
    `max://guild/correlation/${body.metadata.correlation_id}`,
    `max://guild/record/${record?.record_hash}`,
  ]
  await done(ann, 'deliberate', { ...vote, citations })
  await say(bob, motion_id, 'for')
  await refused(ann, 'tally', { motion_id }, 'vote still open')
  await say(cid, motion_id, 'recuse')
  assert.equal((await tally(ann, motion_id)).outcome, 'NO_QUORUM')
})

test('guests vote where they are seated and see nothing else, and who convened may withdraw', async () => {
  const [ann, bob] = [await scene.newParty('hosts'), await scene.newParty('hosts')]
  const guest = await scene.newParty('abroad')
  const among = (...parties: Party[]) => {
    const delegates = parties.map(({ agent_did }) => agent_did)
    return motionOf({}, { composition_rules: { delegates } })
  }
  const closed = await done(ann, 'convene', among(ann, bob))
  const unseen = { code: 'invalid_payload', stage: 7, reason: 'not_found' } as const
  const { motion_id: hidden } = closed
  assertRefusal(await ask(guest, 'tally', { motion_id: hidden, action: 'view' }, 'hosts'), unseen)
  assertRefusal(await ask(guest, 'tally', { motion_id: hidden, action: 'view' }), unseen)
  const { motion_id } = await done(ann, 'convene', among(ann, guest))
  const vote = { motion_id, position: 'for', reasoning: 'We agree.' }
  assertSuccess(await ask(guest, 'deliberate', vote, 'hosts'))
  await refused(bob, 'deliberate', vote, 'not seated')
  assert.equal((await recordsOf('abroad', 'PositionRecorded')).length, 1, 'in both chains')
  await refused(bob, 'tally', { motion_id, action: 'withdraw' }, 'not the convener')
  assert.equal((await done(ann, 'tally', { motion_id, action: 'withdraw' })).state, 'WITHDRAWN')
  const gone = 'motion is WITHDRAWN; deliberate needs CONVENED or OPEN'
  await refused(ann, 'deliberate', vote, gone)
})
