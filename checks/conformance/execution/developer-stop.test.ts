// The identity that `npm start` prints clears what it can latch; an agent that it made latches, and clears nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { type DeveloperScene, openDeveloperScene } from '../identity/developer-scene.ts'

let scene: DeveloperScene
before(async () => {
  scene = await openDeveloperScene()
})
after(() => scene.close())

const action = {
  action_kind: 'fetch',
  target: 'nothing',
  executor: { builtin: 'http_request' },
  max_duration_ms: 1_000,
  irreversible: false,
}
const maker = (who: DeveloperScene['developer'], operation: string, input: object) =>
  dispatch(who, { protocol: 'MAKER', operation, input })
const isSet = (answer: Awaited<ReturnType<typeof maker>>) =>
  (assertSuccess(answer).output.latched as { is_set: boolean }).is_set

test('the developer of the quick start clears every scope it latches; an agent of it latches only', async () => {
  const { developer } = scene
  const agent = await scene.derive(developer, 'worker', ['svc.maker.*'])
  const stopped = { code: 'policy_denied', stage: 7, reason: 'emergency stop active' } as const
  for (const scope of [
    { scope: 'tenant' },
    { scope: 'agent', scope_id: developer.agent_did },
    { scope: 'device', scope_id: `did:oas:dev:service:${'a'.repeat(64)}` },
  ])
    for (const who of [developer, agent]) {
      assert.equal(isSet(await maker(who, 'emergency_stop', { ...scope, reason: 'It smells.' })), true)
      const tried = await maker(developer, 'execute_action', action)
      assert.equal(tried.body.error?.reason === stopped.reason, scope.scope !== 'device')
      const clear = { ...scope, reason: 'All is well.', clear: {} }
      assertRefusal(await maker(agent, 'emergency_stop', clear), {
        code: 'policy_denied',
        stage: 7,
        reason: 'charter quorum required',
      })
      assert.equal(isSet(await maker(developer, 'emergency_stop', clear)), false)
      assert.notEqual((await maker(developer, 'execute_action', action)).body.error?.reason, stopped.reason)
    }
})
