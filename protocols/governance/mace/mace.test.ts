// The rules of councils: seats, votes, quorums, verdicts and their effects.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nameOperator } from '@svc/adapters/access/operator-tenant'
import { asOwner } from '@svc/audit/test-audit-log'
import type { RefusalCode } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy, signText } from '@svc/contract/signing/signature'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { binding, convening, councilOf, day_ms } from '../../../checks/rehearsal/council.ts'
import {
  administrators,
  asCaller,
  newCharter,
  newParty,
  type Party,
} from '../../../checks/rehearsal/organizations.ts'
import { type Output, type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { openBorders } from '../../../checks/scenes/test-treaty.ts'
import { mars } from '../../awareness/mars/mars.ts'
import { mana } from '../../economic/mana/mana.ts'
import { meal } from '../../economic/meal/meal.ts'
import { mace } from './mace.ts'
import { sweepMotions } from './motion-sweep.ts'

const [lesser, poor] = [new Set<string>(), new Set<string>()]
const notices: { readonly to: string; readonly body: Readonly<Record<string, unknown>> }[] = []
let stage: Rehearsal
let council: ReturnType<typeof councilOf>

const notify = () => (to: string, _id: string, body: Readonly<Record<string, unknown>>) =>
  void notices.push({ to, body })

before(async () => {
  const ports = { ...administrators({ lesser, poor }), treaties: openBorders('svc.mace.*') }
  stage = await rehearse(mace, { others: [mana, mars, meal], ports, needs: { notify } })
  council = councilOf(stage)
})
after(() => stage.close())

const run = (who: Party, operation: string, input: unknown, in_tenant = who.tenant_id) =>
  stage.run(operation, input, { ...asCaller(who), in_tenant })
const refused = (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'policy_denied',
) => assertRefused(run(who, operation, input), code, reason)
const allocate = (who: Party, department: string, authority: string) =>
  run(who, 'MANA.allocate', {
    envelope: { department, max_per_month_usd: '2', max_per_day_usd: '1' },
    capabilities_granted: [],
    authority,
  })
const recordsOf = (tenant_id: string, ...event_types: string[]) =>
  stage.records(tenant_id).filter(({ event_type }) => event_types.includes(event_type))
const owner = (sql: string, ...values: unknown[]) =>
  asOwner(stage.database.url, (client) => client.query(sql, values))

test('no votes are shown before all are cast, and a changed vote counts once', async () => {
  const charter = await newCharter(stage, 'five', 5)
  const [ann, bob, cid, dan, eve] = charter as unknown as [Party, Party, Party, Party, Party]
  const motion = convening({ charter_level: true }, { quorum: 'supermajority' })
  const convened = await run(ann, 'convene', motion)
  const { motion_id } = convened
  assert.deepEqual(
    [convened.state, convened.attendance_needed, convened.threshold, convened.seats.length],
    ['CONVENED', 3, { of_votes: '>=2/3', of_seats: '>1/2' }, 5],
  )
  await council.vote(ann, motion_id, 'for')
  await council.vote(bob, motion_id, 'against', 'Not yet.')
  assert.equal((await council.vote(cid, motion_id, 'present')).state, 'OPEN')
  await refused(ann, 'tally', { motion_id }, 'vote still open')
  const view = await run(dan, 'tally', { motion_id, action: 'view' })
  assert.ok(view.motion.text && !('counts' in view), 'counts were shown before the tally')
  const changed = await council.vote(bob, motion_id, 'for', 'They have convinced me.')
  assert.deepEqual([changed.revision, changed.counted_position], [2, 'for'])
  for (const member of [cid, dan]) await council.vote(member, motion_id, 'for')
  const against = 'It costs more than it brings.'
  await council.vote(eve, motion_id, 'against', against)
  const verdict = await council.tally(bob, motion_id)
  assert.equal(verdict.outcome, 'PASSED')
  assert.deepEqual(verdict.counts, { for: 4, against: 1, abstain: 0, recused: 0, absent: 0 })
  assert.deepEqual(
    verdict.dissent.map(({ did, reasoning }: Output) => [did, reasoning]),
    [[eve.did, against]],
  )
  assert.deepEqual(await council.tally(ann, motion_id), verdict, 'a second tally returns the same verdict')
  const late = { motion_id, position: 'for', reasoning: 'x' }
  await refused(ann, 'deliberate', late, 'motion is TALLIED; deliberate needs CONVENED or OPEN')
  const { rows } = await owner('SELECT FROM positions WHERE motion_id = $1 AND did = $2', motion_id, bob.did)
  assert.equal(rows.length, 2, 'the earlier position is kept')
  const events = ['MotionConvened', 'MotionOpened', 'PositionRecorded', 'MotionTallied']
  const records = recordsOf('five', ...events)
  assert.equal(records.length, 10)
  assert.equal(records.at(-1)?.meta.dissent_count, 1)
  assert.ok(!JSON.stringify(records).includes(against), 'a record contains the reasoning')
})

test('whoever has not voted is heard: a settled vote waits for objections, and its effects with it', async () => {
  const charter = await newCharter(stage, 'patient', 5)
  const [ann, bob, cid, dan, eve] = charter as unknown as [Party, Party, Party, Party, Party]
  const { clock } = stage.ports
  const fay = await newParty(stage, 'patient')
  const grow = { effects: [{ kind: 'charter_members', add: [fay.did] }] }
  const input = convening(grow, { deadline_ms: 10 * day_ms, objection_ms: 3_600_000 })
  const { motion_id } = await run(ann, 'convene', input)
  for (const member of [ann, bob]) await council.vote(member, motion_id, 'for')
  const { closes_at } = await council.vote(cid, motion_id, 'for')
  assert.equal(Date.parse(closes_at), clock.now_ms() + 3_600_000)
  const { details } = await refused(ann, 'tally', { motion_id }, 'objections awaited')
  assert.equal(details.closes_at, closes_at)
  clock.advance(3_599_999)
  const objection = await council.vote(dan, motion_id, 'against', 'Fay is my rival.')
  assert.equal(Date.parse(objection.closes_at), clock.now_ms() + 3_600_000, 'eve gets the time to answer')
  clock.advance(3_599_999)
  await refused(ann, 'tally', { motion_id }, 'objections awaited')
  clock.advance(1)
  const verdict = await council.tally(ann, motion_id)
  assert.deepEqual([verdict.outcome, verdict.counts.absent], ['PASSED', 1])
  assert.deepEqual(
    verdict.dissent.map(({ reasoning }: Output) => reasoning),
    ['Fay is my rival.'],
  )
  const mailed = notices.filter(({ body }) => body.motion_id === motion_id)
  assert.deepEqual(
    new Set(mailed.filter(({ to }) => to === eve.did).map(({ body }) => body.event)),
    new Set(['seated', 'voting_opened', 'result']),
  )
  assert.equal(mailed.length, 15)
})

test('a minority cannot be made to decide, and nobody sits who could not vote', async () => {
  const [ann, bob] = (await newCharter(stage, 'careful', 2)) as unknown as [Party, Party]
  for (const quorum of ['1/2', '1/3', { attendance: '1/1', threshold: '1/2' }])
    await refused(ann, 'convene', convening({}, { quorum }), 'threshold below a majority')
  await run(ann, 'convene', convening({}, { quorum: '51/100' }))
  const gone = await newParty(stage, 'careful')
  poor.add(gone.did)
  const seats = { composition_rules: { delegates: [ann.did, gone.did] } }
  await refused(ann, 'convene', convening({}, seats), 'delegate cannot vote')
  const required = { composition_rules: { must_include_did: gone.did } }
  await refused(ann, 'convene', convening({}, required), 'delegate cannot vote')
  await run(bob, 'convene', convening({}, { composition_rules: { delegates: [ann.did, bob.did] } }))
})

test('the registered verdict has the hash of its content, and each vote is signed by its seat', async () => {
  const charter = await newCharter(stage, 'signers', 3)
  const [ann] = charter
  const verdict = await council.decide(charter, { charter_level: true })
  const { motion_hash } = await run(ann, 'tally', { motion_id: verdict.motion_id, action: 'view' }).then(
    ({ motion }) => motion,
  )
  const entry = verdict.registered.replace('mars://', '')
  const { entries } = await run(ann, 'MARS.query_registry', { entry })
  const { content } = entries[0].body
  assert.equal(contentHash(content), verdict.verdict_id)
  assert.equal(content.positions.length, 3)
  for (const { did, position, reasoning_hash, signed } of content.positions) {
    const vote = `svc-vote-v1\n${JSON.stringify({ did, motion_hash, position, reasoning_hash })}`
    assert.ok(isKeyOf(did, signed.public_key) && isSignedBy(signed.public_key, vote, signed.signature))
  }
})

test('a motion opens with a quorum, and lapses without one or without a tally', async () => {
  const [ann, bob] = (await newCharter(stage, 'three', 3)) as unknown as [Party, Party]
  const { clock } = stage.ports
  const sweep = () => sweepMotions(stage.store.engine, testTick(clock.now_ms()))
  const { motion_id } = await run(ann, 'convene', convening({ charter_level: true }))
  assert.equal((await council.vote(ann, motion_id, 'for')).state, 'CONVENED')
  clock.advance(day_ms - 1)
  assert.equal(await sweep(), 0)
  assert.equal((await council.vote(bob, motion_id, 'present')).state, 'OPEN')
  const second = await run(ann, 'convene', convening(binding('labs'), { deadline_ms: 3_600_000 }))
  assert.ok(second.charter_level, 'its binding makes it charter-level')
  await council.vote(ann, second.motion_id, 'for')
  clock.advance(3_600_000)
  await refused(bob, 'deliberate', { motion_id, position: 'for', reasoning: 'late' }, 'deadline passed')
  assert.equal((await council.tally(bob, motion_id)).outcome, 'FAILED', 'one of three is no majority')
  const lapsed = 'motion is LAPSED; tally needs CONVENED or OPEN'
  await refused(ann, 'tally', { motion_id: second.motion_id }, lapsed)
  await sweep()
  assert.equal(await sweep(), 0)
  await refused(ann, 'tally', { motion_id: second.motion_id }, lapsed)
  const unknown_ref = 'mace://verdict/sha256:' + '0'.repeat(64)
  await assertRefused(allocate(ann, 'labs', unknown_ref), 'policy_denied', 'charter quorum required')
  const third = await run(ann, 'convene', convening({ charter_level: true }, { deadline_ms: 3_600_000 }))
  for (const member of [ann, bob]) await council.vote(member, third.motion_id, 'for')
  clock.advance(3_600_000 + 7 * day_ms)
  await refused(ann, 'tally', { motion_id: third.motion_id }, lapsed)
})

test('an authority binds one operation, for its executor or a member, until it expires', async () => {
  const charter = await newCharter(stage, 'quorate', 3)
  const [ann] = charter
  const [clerk, stranger] = [await newParty(stage, 'quorate'), await newParty(stage, 'quorate')]
  await assertRefused(
    allocate(ann, 'research', 'mace://sole-member'),
    'policy_denied',
    'charter quorum required',
  )
  const { ref } = await council.decide(charter, binding('research', { executor_did: clerk.did }))
  await assertRefused(allocate(ann, 'other', ref), 'policy_denied', 'authority does not bind this operation')
  await assertRefused(allocate(stranger, 'research', ref), 'policy_denied', 'charter quorum required')
  await allocate(clerk, 'research', ref)
  await assertRefused(allocate(ann, 'research', ref), 'policy_denied', 'authority already used')
  const passed = recordsOf('quorate', 'AuthorizationCheck').find(({ meta }) => meta.pass === true)
  assert.deepEqual(
    [passed?.meta.verdict, passed?.meta.operation, passed?.meta.use],
    [ref, 'MANA.allocate', 1],
  )
  const { ref: old } = await council.decide(charter, binding('late', { authority_ttl_days: 1 }))
  stage.ports.clock.advance(day_ms + 1)
  await assertRefused(allocate(ann, 'late', old), 'policy_denied', 'authority expired')
})

test('a refusal by a failed verdict names who dissented', async () => {
  const charter = await newCharter(stage, 'divided', 3)
  const [ann, bob, cid] = charter as unknown as [Party, Party, Party]
  const { motion_id } = await run(ann, 'convene', convening(binding('sales')))
  await council.vote(ann, motion_id, 'for', 'We need it.')
  for (const member of [bob, cid]) await council.vote(member, motion_id, 'against')
  const { ref } = await council.tally(ann, motion_id)
  const { details } = await assertRefused(
    allocate(ann, 'sales', ref),
    'policy_denied',
    'charter quorum required',
  )
  assert.deepEqual(
    (details.dissent as Output[]).map(({ did }) => did),
    [ann.did],
  )
  assert.deepEqual([details.appeal_path, details.denying_policy], ['MACE convene', 'MACE quorum'])
})

test('an authority is used only as often as allowed, also concurrently', async () => {
  const charter = await newCharter(stage, 'rush', 3)
  const { ref } = await council.decide(charter, binding('rush'))
  const calls = Array.from({ length: 20 }, (_, place) => allocate(charter[place % 3]!, 'rush', ref))
  const results = await Promise.allSettled(calls)
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const [place, { status }] of results.entries())
    if (status === 'rejected') await assertRefused(calls[place]!, 'policy_denied', 'authority already used')
  await owner('UPDATE verdicts SET uses = 0')
  await assertRefused(allocate(charter[0], 'rush', ref), 'policy_denied', 'authority already used')
})

test('without a reference the newest unused verdict that binds the operation is used', async () => {
  const charter = await newCharter(stage, 'operator', 3)
  await nameOperator(stage.store.engine, 'operator')
  const order = { action: 'set_tier', tenant_id: 'rush', tier: 'charter' }
  const binds = [{ protocol: 'MEAL', operation: 'admin', subject: contentHash(order) }]
  const administer = (input: object) => run(charter[0], 'MEAL.admin', input)
  await assertRefused(administer(order), 'policy_denied', 'charter quorum required')
  await council.decide(charter, { binds }, 'against')
  const twice = await council.decide(charter, { binds, max_uses: 2 })
  stage.ports.clock.advance(1000)
  const once = await council.decide(charter, { binds })
  await assertRefused(
    administer({ ...order, tier: 'institution' }),
    'policy_denied',
    'charter quorum required',
  )
  assert.equal((await administer(order)).authority, once.ref, 'the newest')
  const calls = Array.from({ length: 8 }, () => administer(order))
  const results = await Promise.allSettled(calls)
  const used = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.authority] : []))
  assert.deepEqual(used, [twice.ref, twice.ref])
  for (const [place, { status }] of results.entries())
    if (status === 'rejected') await assertRefused(calls[place]!, 'policy_denied', 'authority already used')
})

test('a changed row of a vote, a motion or a verdict voids the authority and raises an alarm', async () => {
  const charter = await newCharter(stage, 'tampered', 2)
  const changes: Readonly<Record<string, string>> = {
    vote: "UPDATE positions SET position = 'abstain' WHERE motion_id = $1 AND revision = 1",
    words: "UPDATE positions SET reasoning = 'else' WHERE motion_id = $1",
    signature: "UPDATE positions SET signature = repeat('A', 86) WHERE motion_id = $1",
    motion: "UPDATE motions SET body = replace(body, 'Let it', 'Let us') WHERE motion_id = $1",
    verdict: `UPDATE verdicts SET body = replace(body, '"verdict"', '"wider"') WHERE motion_id = $1`,
  }
  for (const [department, change] of Object.entries(changes)) {
    const { ref, motion_id } = await council.decide(charter, binding(department))
    const { rowCount } = await owner(change, motion_id)
    assert.ok(rowCount)
    const subject = department === 'verdict' ? 'wider' : department
    await assertRefused(allocate(charter[0], subject, ref), 'policy_denied', 'charter quorum required')
  }
  assert.deepEqual(
    recordsOf('tampered', 'SecurityViolation').map(({ meta }) => meta.reason),
    Array(5).fill('verdict does not recompute'),
  )
})

test('a charter changes by its own motion, and its only member acts alone', async () => {
  const [ann] = await newCharter(stage, 'small', 1)
  await allocate(ann, 'alone', 'mace://sole-member')
  const [check] = recordsOf('small', 'AuthorizationCheck')
  assert.deepEqual([check?.meta.sole_member, check?.meta.pass], [true, true])
  await assertRefused(
    allocate(ann, 'alone', String(check?.meta.verdict)),
    'policy_denied',
    'authority already used',
  )
  const bob = await newParty(stage, 'small', { in_custody: false })
  const grow = { effects: [{ kind: 'charter_members', add: [bob.did] }] }
  const { effects_applied } = await council.decide([ann], grow)
  assert.deepEqual(effects_applied, [{ kind: 'charter_members', add: [bob.did], remove: [] }])
  await assertRefused(allocate(ann, 'more', 'mace://sole-member'), 'policy_denied', 'charter quorum required')
  const nobody = { effects: [{ kind: 'charter_members', remove: [ann.did, bob.did] }] }
  await refused(ann, 'convene', convening(nobody), 'last charter member')
  const { motion_id } = await run(bob, 'convene', convening({ charter_level: true }))
  const vote = { motion_id, position: 'for', reasoning: 'Yes.' }
  const { details } = await refused(bob, 'deliberate', vote, 'signature required', 'invalid_payload')
  const text = (details.faults as Output[])[0].message
  const proof = { signature: signText(bob.key.private_key, text), public_key: bob.key.public_key }
  await refused(bob, 'deliberate', { ...vote, position: 'against', ...proof }, 'signature invalid')
  await run(bob, 'deliberate', { ...vote, ...proof })
})

test('a council of delegates waits for its required seats', async () => {
  const [ann] = await newCharter(stage, 'guild', 1)
  const [bob, cid] = [await newParty(stage, 'guild'), await newParty(stage, 'guild')]
  const rules = { delegates: [ann.did, bob.did], must_include_did: cid.did, min_delegates: 2 }
  const too_many = convening({}, { composition_rules: { ...rules, min_delegates: 9 } })
  await refused(ann, 'convene', too_many, 'composition cannot reach quorum')
  await refused(bob, 'convene', convening(binding('x')), 'charter members only')
  lesser.add(bob.did)
  await refused(bob, 'convene', convening(binding('x')), 'conformance L2 required')
  const input = { ...convening({}), motion: 'May we?', composition_rules: rules }
  const { motion_id } = await run(bob, 'convene', input)
  const citations = [`mace://verdict/sha256:${'0'.repeat(64)}`]
  const vote = { motion_id, position: 'for', reasoning: 'As before.' }
  await refused(ann, 'deliberate', { ...vote, citations }, 'not_found', 'invalid_payload')
  for (const member of [ann, bob]) await council.vote(member, motion_id, 'for')
  await refused(ann, 'tally', { motion_id }, 'vote still open')
  await council.vote(cid, motion_id, 'recuse')
  assert.equal((await council.tally(ann, motion_id)).outcome, 'NO_QUORUM')
})

test('guests vote on their own motion and see nothing else, and the convener may withdraw', async () => {
  const [ann, bob] = [await newParty(stage, 'hosts'), await newParty(stage, 'hosts')]
  const guest = await newParty(stage, 'abroad')
  const among = (...parties: Party[]) =>
    convening({}, { composition_rules: { delegates: parties.map(({ did }) => did) } })
  const closed = await run(ann, 'convene', among(ann, bob))
  const view = { motion_id: closed.motion_id, action: 'view' }
  for (const tenant_id of ['hosts', 'abroad'])
    await assertRefused(run(guest, 'tally', view, tenant_id), 'invalid_payload', 'not_found')
  const { motion_id } = await run(ann, 'convene', among(ann, guest))
  const vote = { motion_id, position: 'for', reasoning: 'We agree.' }
  await run(guest, 'deliberate', vote, 'hosts')
  await refused(bob, 'deliberate', vote, 'not seated')
  assert.equal(recordsOf('abroad', 'PositionRecorded').length, 1, 'in both chains')
  await refused(bob, 'tally', { motion_id, action: 'withdraw' }, 'not the convener')
  assert.equal((await run(ann, 'tally', { motion_id, action: 'withdraw' })).state, 'WITHDRAWN')
  await refused(ann, 'deliberate', vote, 'motion is WITHDRAWN; deliberate needs CONVENED or OPEN')
})

test('no convener can have three of five decide before the other two could be heard', async () => {
  const charter = await newCharter(stage, 'hasty', 5)
  const [ann] = charter as unknown as [Party]
  for (const more of [
    { deadline_ms: 1000 },
    { objection_ms: 0 },
    { deadline_ms: 3_599_999 },
    { objection_ms: 3_599_999 },
  ])
    await refused(ann, 'convene', convening(binding('labs'), more), 'too short to be heard')
  const shortest = { deadline_ms: 3_600_000, objection_ms: 3_600_000 }
  const { motion_id } = await run(ann, 'convene', convening(binding('labs'), shortest))
  for (const member of charter.slice(0, 3)) await council.vote(member, motion_id, 'for')
  await refused(ann, 'tally', { motion_id }, 'vote still open')
  // What binds nobody else may be as short as one likes, and whoever is alone waits for nobody.
  await run(ann, 'convene', convening({}, { deadline_ms: 1000, objection_ms: 0 }))
  const [alone] = (await newCharter(stage, 'alone', 1)) as unknown as [Party]
  await run(alone, 'convene', convening({ charter_level: true }, { deadline_ms: 1000, objection_ms: 0 }))
})
