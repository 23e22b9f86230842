// Policies over HTTP: checked on every call from their start on, and explained. Rules:
// protocols/governance/maxim/maxim.test.ts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { asOwner } from '@svc/audit/test-audit-log'
import { overwriteRequest } from '@svc/audit/test-stored'
import { sweepPolicies } from '@svc/protocols/governance/maxim/policy-sweep'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'
import { type MadeScene, openMadeScene, type Party } from '../identity/made-scene.ts'
import { register } from './moot-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const [minute_ms, hour_ms] = [60_000, 3_600_000]
let scene: MadeScene

before(async () => {
  scene = await openMadeScene()
})
after(() => scene.service.stop())

const at = (ms = 0) => new Date(scene.clock.now_ms() + ms).toISOString()
const ask = (who: Party, operation: string, input: unknown, protocol = 'MAXIM'): Promise<Answer> =>
  dispatch(who, { protocol, operation, input })
const done = async (who: Party, operation: string, input: unknown, protocol?: string): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input, protocol)).output
const look = (who: Party) => ask(who, 'query_orderbook', { instrument: 'COIN/usd' }, 'MARKET')
const explain = (who: Party, correlation_id: string, more: Fields = {}) =>
  done(who, 'explainability_request', { correlation_id, ...more }, 'MAX')

/** An organization with this many charter members. */
async function charterOf(tenant_id: string, members: number): Promise<[Party, ...Party[]]> {
  const parties: Party[] = []
  for (let place = 0; place < members; place++) {
    const party = await scene.newParty(tenant_id)
    const since = new Date(scene.clock.now_ms())
    await addMember(scene.service.service.store.engine, tenant_id, party.agent_did, since)
    parties.push(party)
  }
  return parties as [Party, ...Party[]]
}

const forbid = (condition: string, annotations = '') =>
  `${annotations}forbid(principal, action, resource) when { ${condition} };`
const market_hours = forbid(
  'resource.protocol == "MARKET" && (context.hour < 9 || context.hour >= 17)',
  '@reason("the market is open from 9 to 17 UTC") @appeal("MOOT")\n',
)
const rule = (policy_body: string, more: Fields = {}) => ({
  policy_id: 'hours',
  policy_body,
  version: '1.0.0',
  active_from: at(),
  ...more,
})
/** An enacted policy applies on every replica within a second. */
const heard = (who: Party, is: (answer: Answer) => boolean) =>
  eventually(async () => assert.ok(is(await look(who))))
const eventsOf = async (tenant_id: string, ...event_types: string[]) =>
  (await scene.service.records(tenant_id, { event_types })).map(({ event_type, meta }) => [
    event_type,
    `${meta.policy_id}@${meta.version}`,
  ])

/** The charter's verdict on a policy, with the subject that the refusal names. */
async function decideRule(charter: readonly Party[], subject: unknown): Promise<string> {
  const [ann] = charter as [Party]
  const binds = [{ protocol: 'MAXIM', operation: 'author', subject }]
  const motion = {
    motion: { title: 'A rule', text: 'Let it be enacted.', charter_level: true, binds },
    quorum: 'majority',
    deadline_ms: 24 * hour_ms,
    composition_rules: {},
  }
  const { motion_id } = await done(ann, 'convene', motion, 'MACE')
  for (const [place, who] of charter.entries()) {
    const position = place === charter.length - 1 ? 'against' : 'for'
    await done(who, 'deliberate', { motion_id, position, reasoning: 'I say so.' }, 'MACE')
  }
  return `mace://verdict/${(await done(ann, 'tally', { motion_id }, 'MACE')).verdict_id}`
}

const no_quorum = { code: 'policy_denied', stage: 7, reason: 'charter quorum required' } as const
const forbidden = {
  code: 'policy_denied',
  stage: 4,
  reason: 'policy hours@1.0.0 forbids: the market is open from 9 to 17 UTC',
  event: 'SecurityViolation',
} as const

test('a refusal by a policy that a council enacted carries the recorded dissent', async () => {
  const charter = await charterOf('brokers', 3)
  const [ann, bob, cid] = charter as unknown as [Party, Party, Party]
  const input = rule(forbid('resource.protocol == "MARKET"'), { policy_id: 'closed' })
  const { details } = assertRefusal(await ask(ann, 'author', input), no_quorum)
  const verdict = await decideRule(charter, details.subject)
  const { metadata } = assertSuccess(await ask(ann, 'author', input))
  const authored = await explain(bob, metadata.correlation_id, { audience: 'auditor' })
  assert.deepEqual([authored.council.verdict, authored.council.pass], [verdict, true])
  assert.deepEqual(
    authored.council.dissent.map(({ did }: Fields) => did),
    [cid.agent_did],
  )
  const to_others = await explain(bob, metadata.correlation_id)
  assert.ok(!JSON.stringify(to_others.council).includes(cid.agent_did))
  await heard(bob, ({ status }) => status === 422)
  const expected = { ...forbidden, reason: 'policy closed@1.0.0 forbids' }
  const answer = await look(bob)
  const { error, record } = await assertRefusedAndRecorded(scene.service, answer, expected, 'brokers')
  const [dissent, ...others] = error.details.dissent as Fields[]
  assert.deepEqual(others, [])
  assert.deepEqual(
    [dissent?.did, dissent?.position, dissent?.reasoning, error.details.verdict],
    [cid.agent_did, 'against', 'I say so.', verdict],
  )
  const { reasoning: _, ...kept } = dissent!
  assert.deepEqual([record.meta.dissent, record.meta.verdict], [[kept], verdict])
  const { council } = await explain(ann, error.correlation_id, { audience: 'auditor' })
  assert.deepEqual(council, { verdict, pass: true, dissent: [kept] })

  const dry = await dispatch(
    bob,
    { protocol: 'MARKET', operation: 'query_orderbook', input: { instrument: 'COIN/usd' } },
    { 'x-svc-dry-run': 'true' },
  )
  assert.deepEqual(dry.body.dry_run.error.details.dissent, [dissent])
})

test('a policy forbids from its start on, names policy, version, reason and appeal, and can be explained', async () => {
  const [ann] = await charterOf('sellers', 1)
  const { set_digest } = await done(ann, 'author', rule(market_hours, { active_from: at(21 * hour_ms) }))
  scene.clock.advance(20 * hour_ms)
  assert.notEqual((await look(ann)).body.error?.stage, 4, 'before its moment nothing is forbidden')
  scene.clock.advance(hour_ms)
  await heard(ann, ({ status }) => status === 422)
  const { error, record } = await assertRefusedAndRecorded(
    scene.service,
    await look(ann),
    forbidden,
    'sellers',
  )
  assert.deepEqual(
    [error.details.denying_policy, error.details.appeal_path, error.details.requested_capability],
    ['maxim://hours@1.0.0', null, 'svc.market.query_orderbook'],
    'no court sits anywhere, so none is named',
  )
  await register(await scene.newParty('operator'), 0)
  scene.clock.advance(10_000)
  assert.equal((await look(ann)).body.error?.details.appeal_path, 'MOOT')
  assert.deepEqual(record.meta.policy_sets, { sellers: set_digest })
  await sweepPolicies(scene.service.service.store.engine, testTick(at()))
  await eventually(async () => {
    assert.deepEqual(await eventsOf('sellers', 'PolicyAuthored', 'PolicyActivated'), [
      ['PolicyAuthored', 'hours@1.0.0'],
      ['PolicyActivated', 'hours@1.0.0'],
    ])
  })
  const answer = await explain(ann, error.correlation_id)
  assert.deepEqual([answer.decision, answer.stage, answer.consistent], ['refused', 4, true])
  const { policies, counterfactuals } = answer
  assert.deepEqual(policies, [{ id: 'hours', version: '1.0.0', effect: 'forbid', text: market_hours }])
  assert.deepEqual(
    counterfactuals.map(({ change }: Fields) => change),
    [
      'policy hours@1.0.0 had not been in force',
      'the call came at 2026-11-16T09:00:00.000Z, under the same rules',
    ],
  )
  assert.deepEqual(await explain(ann, error.correlation_id), answer, 'asking twice gives the same')
  await assertFound(ann, error.correlation_id)
})

/** An altered record contradicts the policies of its time, and explaining it raises an alarm. */
async function assertFound(ann: Party, correlation_id: string): Promise<void> {
  await scene.service.service.audit_log.flush()
  await asOwner(scene.service.db_url, async (owner) => {
    const change = (body: string) => body.replaceAll('T07:00', 'T12:00')
    await overwriteRequest(owner, ann.tenant_id, correlation_id, change)
  })
  const forged = await ask(ann, 'explainability_request', { correlation_id }, 'MAX')
  assert.equal(assertSuccess(forged).output.consistent, false)
  const correlation_ids = [forged.body.metadata.correlation_id]
  const event_types = ['SecurityViolation']
  assert.equal((await scene.service.records(ann.tenant_id, { correlation_ids, event_types })).length, 1)
}

test('policies are replaced and retired, charter members can always read the audit log, each change is recorded once', async () => {
  const [ann] = await charterOf('lawful', 1)
  const other = await scene.newParty('lawful')
  const both = `${forbid('resource.protocol == "MARKET"')}\n${forbid(
    `resource.protocol == "MAX" && principal.did == "${other.agent_did}"`,
    '@reason("not yours")',
  )}`
  assert.equal((await done(ann, 'author', rule(both))).state, 'ACTIVE')
  await heard(ann, ({ body }) => body.error?.stage === 4)
  const audit = (who: Party) => ask(who, 'audit_query', { limit: 1, outcome: 'refused' }, 'MAX')
  assertRefusal(await audit(other), {
    code: 'policy_denied',
    stage: 4,
    reason: 'policy hours@1.0.0 forbids: not yours',
  })
  await addMember(
    scene.service.service.store.engine,
    'lawful',
    other.agent_did,
    new Date(scene.clock.now_ms()),
  )
  assertSuccess(await audit(other))
  await asOwner(scene.service.db_url, (owner) =>
    owner.query('DELETE FROM charter_members WHERE did = $1', [other.agent_did]),
  )
  const soon = at(minute_ms)
  const next = await done(
    ann,
    'author',
    rule(forbid('context.hour == 25'), { version: '1.1.0', active_from: soon }),
  )
  assert.deepEqual([next.state, next.warnings], ['SCHEDULED', []])
  scene.clock.advance(minute_ms)
  await heard(ann, ({ body }) => body.error?.stage !== 4)
  scene.clock.advance(1)
  const retired = await done(ann, 'author', rule('', { version: '2.0.0', retire: true, active_from: at() }))
  assert.equal(retired.state, 'RETIRED')
  await eventually(async () => {
    // Scheduled changes are announced within a second.
    const events = await eventsOf('lawful', 'PolicyActivated', 'PolicyRetired')
    assert.deepEqual(events.toSorted(), [
      ['PolicyActivated', 'hours@1.0.0'],
      ['PolicyActivated', 'hours@1.1.0'],
      ['PolicyRetired', 'hours@2.0.0'],
    ])
  })
})

test('an interpretation cites earlier decisions', async () => {
  const [ann] = await charterOf('curious', 1)
  await done(ann, 'author', rule(market_hours, { active_from: at(hour_ms) }))
  await done(ann, 'author', rule(market_hours, { policy_id: 'limits' }))
  const scenario = { principal_did: ann.agent_did, protocol: 'MAXIM', operation: 'author' }
  await scene.service.service.audit_log.flush()
  const interpret = () => done(ann, 'constitutional_interpretation', { scenario })
  const interpretation = await interpret()
  assert.equal(interpretation.precedents.length, 2)
  assert.deepEqual(await interpret(), interpretation)
})
