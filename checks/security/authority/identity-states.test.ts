// Who suspends, resumes and revokes whom: nobody reaches a stranger, and nobody escapes those above.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { system_clock } from '@svc/adapters/clock/system'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import {
  asAgent,
  beforeSession,
  challengeOf,
  childOf,
  claim,
  delegate,
  family,
  inSession,
  query,
  reasonOf,
} from '../../scenes/key-owner.ts'
import { makeOwnKeyed, proveItself } from '../../scenes/own-keyed-agent.ts'
import { newKeyed, outputOf, responseOf, type TestIdentity, vouch } from '../../scenes/test-descent.ts'
import { eventually } from '../../suite/eventually.ts'

let engine: InProcessService
before(async () => {
  engine = await startInProcess({ with_nodes: true, identity: (others) => others })
})
after(async () => await engine?.stop())

const at = (tenant_id: string): Addresses => ({ ...engine, tenant_id })

const setState = (home: Addresses, by: TestIdentity, agent_did: string, state: string): Promise<Answer> =>
  asAgent(home, by, 'set_state', { agent_did, state, reason: 'a test' })

/** Calls in one session that lasts. */
async function calling(home: Addresses, agent: TestIdentity, request: object = query) {
  const { session_token } = await proveItself(home, agent)
  return () => inSession(home, agent, session_token, request)
}

test('who claims a stranger as its child takes nobody along when it is suspended or revoked', async () => {
  const home = at('claimed')
  const top = await makeOwnKeyed(engine, 'claimed', ['svc.macs.*', 'svc.mars.*'])
  const mallory = await childOf(home, top, ['svc.macs.*', 'svc.mars.*'])
  const victim = await makeOwnKeyed(engine, 'claimed', ['svc.mars.*'])
  const [byMallory, byVictim] = [await calling(home, mallory), await calling(home, victim)]
  assert.deepEqual([(await byMallory()).status, (await byVictim()).status], [200, 200])
  outputOf((await claim(home, mallory, victim)).answer)
  for (const [state, status] of [
    ['suspended', 403],
    ['revoked', 401],
  ] as const) {
    assert.equal(outputOf(await setState(home, top, mallory.did, state)).identities, 1)
    await eventually(async () => assert.equal((await byMallory()).status, status))
    assert.equal((await byVictim()).status, 200, `${state}: the stranger goes on`)
  }
})

test('a claimed stranger stays unknown to the operations of its claimer', async () => {
  const home = at('unknown')
  const mallory = await makeOwnKeyed(engine, 'unknown', ['svc.macs.*'])
  const victim = await makeOwnKeyed(engine, 'unknown', ['svc.mars.*'])
  outputOf((await claim(home, mallory, victim)).answer)
  const agent_did = victim.did
  const { public_key } = mallory
  for (const [operation, input] of [
    ['set_state', { agent_did, state: 'revoked', reason: 'a test' }],
    ['update_identity', { agent_did, name: 'Mine' }],
    ['rotate_key', { agent_did }],
    ['create_key', { agent_did, label: 'mine' }],
    ['list_keys', { agent_did }],
    ['recover_key', { agent_did, public_key, next_key_hash: 'a'.repeat(64) }],
  ] as const) {
    const answer = await asAgent(home, mallory, operation, input)
    const reason = operation === 'recover_key' ? 'not named for recovery' : 'not_found'
    assert.equal(reasonOf(answer), reason, operation)
  }
})

test('a child does not escape its parent by proving another descent', async () => {
  const { home, parent, child } = await family(engine, 'escape')
  // A root of its own making vouches for it.
  const lineage = [vouch(child, newKeyed('escape', 'HumanRoot'))]
  const response = responseOf(child, await challengeOf(home, child), { lineage })
  outputOf(await beforeSession(home, child, 'verify_response', response))
  for (const state of ['suspended', 'revoked'])
    assert.equal(outputOf(await setState(home, parent, child.did, state)).changed, true, state)
  await assert.rejects(proveItself(home, child))
})

test('whom two have suspended is not resumed by the lower one', async () => {
  const { home, parent, child } = await family(engine, 'twice')
  const low = await childOf(home, child)
  for (const by of [child, parent]) outputOf(await setState(home, by, low.did, 'suspended'))
  assert.equal(reasonOf(await setState(home, child, low.did, 'active')), 'suspended from above')
  outputOf(await setState(home, parent, low.did, 'active'))
  await eventually(() => proveItself(home, low))
})

test('a member of the charter changes no identity of another organization', async () => {
  const member = await makeOwnKeyed(engine, 'here', ['svc.macs.*'])
  const other = await makeOwnKeyed(engine, 'elsewhere', ['svc.macs.*'])
  await addMember(engine.service.store.engine, 'here', member.did, new Date(system_clock.now_ms() - 1000))
  for (const state of ['suspended', 'active', 'revoked'])
    assert.equal(reasonOf(await setState(at('here'), member, other.did, state)), 'not_found', state)
  await proveItself(at('elsewhere'), other)
})

test('what a suspended identity delegated counts for nobody, and its keys open nothing', async () => {
  const names = ['svc.macs.*', 'svc.aegis.*', 'svc.mars.*']
  const home = at('delegated')
  const above = await makeOwnKeyed(engine, 'delegated', names)
  const helper = await makeOwnKeyed(engine, 'delegated', [])
  const child = await childOf(home, above, names)
  const made = await asAgent(home, child, 'create_key', { label: 'a test' })
  const { api_key } = made.body.output
  outputOf(await delegate(home, child, helper.did, 'svc.mars.query_registry'))
  const byKey = () => dispatch({ ...home, agent_did: child.did, api_key }, query)
  const byHelper = await calling(home, helper)
  assert.deepEqual([(await byKey()).status, (await byHelper()).status], [200, 200])
  outputOf(await setState(home, above, child.did, 'suspended'))
  await eventually(async () => {
    assert.deepEqual([(await byKey()).status, (await byHelper()).status], [403, 403])
  })
  await assert.rejects(proveItself(home, child))
})
