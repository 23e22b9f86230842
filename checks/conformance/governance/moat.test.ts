// Treaties over HTTP: calls between organizations, and the records they leave in both. Rules: protocols/governance/moat/moat.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { sweepTreaties } from '@svc/protocols/governance/moat/treaty-sweep'
import fc from 'fast-check'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import * as made from '../identity/made-scene.ts'
import { assertHeldByCourt, newArbiter } from './moat-others.ts'
import { cross, day_ms, echo, heard, type MoatScene, mayCross, moat, openMoatScene } from './moat-scene.ts'
import { assertFoundByPartner, assertSeenByParties, assertSharedAuditLog } from './moat-visibility.ts'
import { actions, walk } from './moat-walk.ts'

let scene: MoatScene
const hour_ms = 3_600_000

before(async () => {
  scene = await openMoatScene()
})
after(() => scene.service.stop())

const invalid = (reason: string) => ({ code: 'invalid_payload', stage: 7, reason }) as const
const closed = (reason: string) => ({ code: 'capability_denied', stage: 4, reason }) as const
const engine = () => scene.service.service.store.engine
const stateOf = async (id: unknown) => {
  const text = 'SELECT state FROM treaties WHERE id = $1'
  return (await asOwner(scene.service.db_url, (client) => client.query(text, [id]))).rows[0]?.state
}
const refusedNow = async (reason: string) => {
  const { body } = await cross(scene.ann, scene.bob)
  return body.error?.reason === reason
}
const eventsOf = (tenant_id: string, answer: Answer) => made.eventsOf(scene, tenant_id, answer)
const offer = (terms: object = {}) => ({
  counterparty_did: scene.bob.agent_did,
  capability_schedule: [{ capability: echo, granted_to: 'both' }],
  expires_at: scene.later(365 * day_ms),
  ...terms,
})
const end = async (treaty_id: unknown) => {
  assertSuccess(await moat(scene.ann, 'terminate', { treaty_id, reason: 'the test is over' }))
  await heard(async () => (await cross(scene.ann, scene.bob)).status === 403)
}

test('scenario 7: without a treaty no cross-tenant call succeeds, and both chains record why', async () => {
  const { ann, bob, service } = scene
  const { correlation_id } = assertRefusal(await cross(ann, bob), closed('no active treaty'))
  await eventually(async () => {
    for (const tenant_id of ['acme', 'globex']) {
      const [record] = await service.records(tenant_id, { correlation_ids: [correlation_id] })
      assert.equal(record?.meta.reason, 'no active treaty')
    }
  })
  assert.equal((await mayCross(ann, ann, bob)).reason, 'no active treaty')
})

test('scenario 8: after both sign, a cross-tenant call succeeds and is recorded in both chains', async () => {
  const { ann, bob, eve, service } = scene
  const key = { idempotency_key: 'first-treaty' }
  const proposed = await moat(ann, 'propose', offer(), key)
  const { treaty_id, body, state, sign_by } = assertSuccess(proposed).output
  assert.deepEqual([state, sign_by], ['PROPOSED', scene.later(30 * day_ms)])
  assert.equal(`sha256:${sha256Hex(canonicalJson(body))}`, treaty_id)
  assert.equal((body as { nonce: string }).nonce, key.idempotency_key)
  for (const tenant_id of ['acme', 'globex'])
    assert.ok((await eventsOf(tenant_id, proposed)).includes('TreatyProposed'), tenant_id)
  // The terms are visible to both parties before they sign, and to nobody else.
  const entriesFor = (who: made.Party) =>
    dispatch(who, { protocol: 'MARS', operation: 'query_registry', input: { subject: treaty_id } })
  assert.deepEqual((await entriesFor(bob)).body.output.entries[0].body.content.body, body)
  assert.deepEqual((await entriesFor(eve)).body.output.entries, [])
  const first = assertSuccess(await moat(ann, 'sign', { treaty_id })).output
  assert.deepEqual([first.state, first.missing], ['PARTIALLY_SIGNED', ['globex']])
  assertRefusal(await moat(eve, 'sign', { treaty_id }), invalid('not_found'))
  assertRefusal(await cross(ann, bob), closed('no active treaty'))
  const second = await moat(bob, 'sign', { treaty_id })
  const signed = assertSuccess(second).output
  assert.deepEqual([signed.state, signed.missing, signed.active_from], ['ACTIVE', [], made.start])
  for (const tenant_id of ['acme', 'globex']) {
    const events = await eventsOf(tenant_id, second)
    for (const type of ['CapabilityGrant', 'CapabilityGrant', 'TreatyActivated', 'TreatySigned'])
      assert.ok(events.includes(type), `${tenant_id} ${type}`)
  }
  for (const { tenant, signed_by, timestamp, public_key, signature } of signed.signatures as Signed[]) {
    const text = signingInput('svc-treaty-v1', { treaty_id, tenant, timestamp })
    assert.ok(isKeyOf(signed_by, public_key) && isSignedBy(public_key, text, signature))
  }
  assert.deepEqual(assertSuccess(await moat(ann, 'sign', { treaty_id })).output, signed, 'once is enough')
  await heard(async () => (await cross(ann, bob)).status === 200)
  const { correlation_id } = assertSuccess(await cross(ann, bob)).metadata
  await eventually(async () => {
    const [own] = await service.records('acme', { correlation_ids: [correlation_id] })
    const [copy] = await service.records('globex', { correlation_ids: [correlation_id] })
    assert.deepEqual(
      [own?.meta.treaty_id, (copy?.meta.counterpart as { record_hash: string })?.record_hash],
      [treaty_id, own?.record_hash],
    )
  })
  await assertSharedAuditLog(scene, correlation_id)
  assertSuccess(await cross(bob, ann))
  assertRefusal(await cross(eve, bob), closed('no active treaty'))
  assertRefusal(await cross(ann, bob, 'costly'), closed('capability not granted'))
  await assertSeenByParties(scene, treaty_id as string)
  await assertFoundByPartner(scene)
  await end(treaty_id)
})

interface Signed {
  readonly tenant: string
  readonly signed_by: string
  readonly timestamp: string
  readonly public_key: string
  readonly signature: string
}

test('scenario 10: an amendment replaces the terms and keeps the usage counted so far', async () => {
  const { ann, bob } = scene
  const narrow = [{ capability: echo, limits: { weekly_budget_usd: '5' }, granted_to: 'proposer' }]
  const root = await scene.agree({ capability_schedule: narrow, rate_limits: { per_day: 3 } })
  await heard(async () => (await cross(ann, bob)).status === 200)
  const used = await mayCross(ann, ann, bob)
  const wide = [{ capability: 'svc.trial.*', granted_to: 'proposer' }, ...narrow]
  const changes = { capability_schedule: wide, rate_limits: { per_day: 4 } }
  const amendment = { treaty_id: root, changes, reason: 'we need more' }
  const { amendment_id } = assertSuccess(await moat(ann, 'propose_amendment', amendment)).output
  assertSuccess(await moat(ann, 'sign_amendment', { amendment_id }))
  assertRefusal(await cross(ann, bob, 'report'), closed('capability not granted'))
  assertSuccess(await moat(bob, 'sign_amendment', { amendment_id }))
  await heard(async () => (await cross(ann, bob, 'report')).status === 200)
  const now = await mayCross(ann, ann, bob)
  assert.equal(now.treaty_id, amendment_id)
  const [left, before] = [now, used].map(({ remaining }) => remaining as { weekly_budget_micro_usd: string })
  assert.ok(BigInt(left!.weekly_budget_micro_usd) <= BigInt(before!.weekly_budget_micro_usd))
  assert.ok(BigInt(left!.weekly_budget_micro_usd) < 5_000_000n, 'what was spent under the first terms counts')
  while ((await cross(ann, bob)).status === 200);
  assertRefusal(await cross(ann, bob), { code: 'rate_limited', stage: 5, reason: 'limit reached: per_day' })
  const full = await mayCross(ann, ann, bob)
  assert.deepEqual([full.active, full.reason], [false, 'limit reached: per_day'])
  await end(root)
})

test('a treaty says who may call what, names only what is served, and its refused attempts are findings', async () => {
  const { ann, bob } = scene
  const proposed = (entry: object) => moat(ann, 'propose', { ...offer(), capability_schedule: [entry] })
  assertRefusal(await proposed({ capability: 'svc.trial.ecco', granted_to: 'both' }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'unknown operation',
  })
  const silent = await proposed({ capability: echo })
  assert.deepEqual([silent.status, silent.body.error.code], [422, 'invalid_payload'])
  const treaty_id = await scene.agree({ rate_limits: { per_hour: 1 } })
  await heard(async () => (await cross(ann, bob)).status === 200)
  assertRefusal(await cross(ann, bob), { code: 'rate_limited', stage: 5, reason: 'limit reached: per_hour' })
  assertRefusal(await cross(ann, bob, 'costly'), closed('capability not granted'))
  scene.clock.advance(1_000)
  const period = { from: scene.later(-hour_ms), to: scene.later(hour_ms) }
  await eventually(async () => {
    const { output } = assertSuccess(await moat(bob, 'enforce', { treaty_id, period }))
    const attempts = (output.findings as { kind: string; about: string }[]).map(({ kind, about }) => [
      kind,
      about,
    ])
    assert.deepEqual(
      [output.compliant, attempts],
      [
        true,
        [
          ['refused_attempt', `${echo}: limit reached: per_hour`],
          ['refused_attempt', 'svc.trial.costly: capability not granted'],
        ],
      ],
    )
  })
  const suspension = { treaty_id, period, measure: 'suspend', reason: 'they tried' }
  assertRefusal(await moat(bob, 'enforce', suspension), {
    code: 'policy_denied',
    stage: 7,
    reason: 'no findings',
  })
  const { output } = assertSuccess(await moat(ann, 'enforce', { treaty_id, period }))
  assert.deepEqual(output.findings, [], 'only the attempts of the other party are findings')
  await end(treaty_id)
})

test('scenario 11: a termination takes effect at once; running calls finish, and debts stay due', async () => {
  const { ann, bob, trial, service } = scene
  const coin = { asset_id: 'coin', denomination: { code: 'COIN', decimals: 2 } }
  assertSuccess(await made.publish(ann, coin))
  await made.fund(scene, ann, 1_000n)
  const capability_schedule = [
    { capability: 'svc.trial.*', granted_to: 'both' },
    { capability: 'svc.made.*', granted_to: 'both' },
  ]
  const settlement_terms = { currency: 'COIN' }
  const treaty_id = await scene.agree({ capability_schedule, settlement_terms })
  const obligations = [made.owes('fee', 'proposer', '100')]
  const terms = { counterparty_did: bob.agent_did, obligations, treaty_id }
  const { contract_id } = assertSuccess(await made.create(ann, terms)).output
  assertSuccess(await made.create(bob, { contract_id }))
  await heard(async () => (await cross(ann, bob)).status === 200)
  const pending_call = cross(ann, bob, 'hold')
  await trial.entered()
  const left = await moat(bob, 'terminate', { treaty_id, reason: 'we part' })
  const { output } = assertSuccess(left)
  assert.deepEqual(
    [output.state, output.open_obligations, output.terminated_at],
    ['TERMINATED', [`made://contract/${contract_id}`], scene.later(0)],
  )
  await heard(() => refusedNow('no active treaty'))
  trial.release()
  assert.equal((await pending_call).status, 200)
  const { correlation_id } = assertSuccess(left).metadata
  await eventually(async () => {
    for (const tenant_id of ['acme', 'globex']) {
      const records = await service.records(tenant_id, { correlation_ids: [correlation_id] })
      assert.ok(records.some(({ event_type }) => event_type === 'Terminated'))
    }
  })
  assertSuccess(await made.settle(ann, { contract_id }))
  const again = assertSuccess(await moat(ann, 'terminate', { treaty_id, reason: 'once more' })).output
  assert.deepEqual([again.terminated_at, again.state], [output.terminated_at, 'TERMINATED'])
})

test('a suspension stops calls until it is resumed, or expires while no case is open', async () => {
  const { ann, bob } = scene
  const capability_schedule = [
    { capability: echo, granted_to: 'both' },
    { capability: 'svc.made.*', granted_to: 'both' },
  ]
  const treaty_id = await scene.agree({ capability_schedule, settlement_terms: { currency: 'COIN' } })
  const obligations = [made.owes('late', 'counterparty', '100')]
  const terms = { counterparty_did: bob.agent_did, obligations, treaty_id }
  const { contract_id } = assertSuccess(await made.create(ann, terms)).output
  assertSuccess(await made.create(bob, { contract_id }))
  const period = { from: scene.later(0), to: scene.later(day_ms) }
  scene.clock.advance(hour_ms)
  const enforce = async (measure: string, reason: string) =>
    assertSuccess(await moat(ann, 'enforce', { treaty_id, period, measure, reason })).output
  await enforce('suspend', 'you owe us')
  await heard(() => refusedNow('treaty suspended'))
  await enforce('resume', 'paid')
  await heard(async () => (await cross(ann, bob)).status === 200)
  await enforce('suspend', 'you owe us')
  const arbiter = await newArbiter(scene)
  const { case_id } = await enforce('claim', 'pay us')
  assert.equal((await mayCross(arbiter, ann, bob)).treaty_id, treaty_id)
  await assertHeldByCourt(scene, case_id)
  await heard(async () => (await cross(ann, bob)).status === 200)
  await sweepTreaties(engine(), testTick(scene.clock.now_ms()))
  await eventually(async () => {
    const resumed = await scene.service.records('globex', { event_types: ['TreatyResumed'] })
    assert.deepEqual(resumed.at(-1)?.meta.by, 'time')
  })
  assert.equal(await stateOf(treaty_id), 'ACTIVE')
  await end(treaty_id)
})

test('a treaty starts and expires by time alone', async () => {
  const { ann, bob, later } = scene
  await scene.agree({ effective_from: later(hour_ms), expires_at: later(2 * hour_ms) })
  assertRefusal(await cross(ann, bob), closed('no active treaty'))
  scene.clock.advance(hour_ms)
  await heard(async () => (await cross(ann, bob)).status === 200)
  scene.clock.advance(hour_ms)
  assertRefusal(await cross(ann, bob), closed('treaty grant expired'))
})

test('invariant 8: holds for any order of actions of both parties', async () => {
  await fc.assert(
    fc.asyncProperty(actions, (steps) => walk(scene, steps)),
    { numRuns: is_long ? 300 : 3, endOnFailure: true },
  )
})
