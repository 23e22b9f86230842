// Councils over HTTP: the records of a decision, and motions that lapse on time. Rules:
// protocols/governance/mace/mace.test.ts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { sweepMotions } from '@svc/protocols/governance/mace/motion-sweep'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { type MadeScene, openMadeScene, type Party } from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const day_ms = 86_400_000
let scene: MadeScene

before(async () => {
  scene = await openMadeScene()
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

const ask = (who: Party, operation: string, input: unknown): Promise<Answer> =>
  dispatch(who, { protocol: 'MACE', operation, input })
const done = async (who: Party, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input)).output
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

test('a council decides, its authority is used once, and a failed verdict is recorded as the refusing check', async () => {
  const charter = await newCharter('quorate', 3)
  const [ann, bob, cid] = charter as [Party, Party, Party]
  const { motion_id } = await done(ann, 'convene', motionOf(binding('research')))
  const { body } = await ask(ann, 'deliberate', { motion_id, position: 'for', reasoning: 'As before.' })
  const [convened] = await recordsOf('quorate', 'MotionConvened')
  const citations = [
    `max://quorate/correlation/${body.metadata.correlation_id}`,
    `max://quorate/record/${convened?.record_hash}`,
  ]
  await done(ann, 'deliberate', { motion_id, position: 'for', reasoning: 'As recorded.', citations })
  for (const member of [bob, cid]) await say(member, motion_id, 'for')
  const { ref } = await tally(ann, motion_id)
  assertSuccess(await allocate(ann, 'research', ref))
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
})

test('a motion without a quorum lapses by the sweep, recorded once', async () => {
  const [ann] = (await newCharter('three', 3)) as [Party]
  const { motion_id } = await done(ann, 'convene', motionOf(binding('labs'), { deadline_ms: 3_600_000 }))
  await say(ann, motion_id, 'for')
  scene.clock.advance(3_600_000)
  // The service sweeps as well; the first one records it.
  const { engine } = scene.service.service.store
  await sweepMotions(engine, testTick(scene.clock.now_ms()))
  assert.equal(await sweepMotions(engine, testTick(scene.clock.now_ms())), 0)
  await eventually(async () => {
    const records = await recordsOf('three', 'MotionLapsed')
    assert.deepEqual(
      records.map(({ meta }) => [meta.motion_id, meta.why]),
      [[motion_id, 'no quorum appeared']],
    )
  })
})
