// Tasks between organizations: an agent of another one is reached, and answers, only while a treaty stands.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { heard, type MoatScene, openMoatScene } from '../governance/moat-scene.ts'
import { ask, type Fields, register } from './a2a-scene.ts'

let scene: MoatScene

before(async () => {
  scene = await openMoatScene()
})
after(() => scene.service.stop())

test('a task of one organization is answered by an agent of another, and by nobody else of it', async () => {
  const { ann, bob } = scene
  await register(bob, { visibility: 'public' })
  const input = { agent_did: bob.agent_did, message: { message_id: 'm', parts: [{ text: 'hello' }] } }
  const early = await dispatch(ann, { protocol: 'MIM', operation: 'task_send', input })
  assertRefusal(early, { code: 'capability_denied', stage: 7, reason: 'no active treaty' })
  await scene.agree({ capability_schedule: [{ capability: 'svc.mim.message_send', granted_to: 'both' }] })
  let task: Fields = {}
  await heard(async () => {
    const answer = await dispatch(ann, { protocol: 'MIM', operation: 'task_send', input })
    if (answer.status === 200) task = assertSuccess(answer).output.task as Fields
    return answer.status === 200
  })
  const { messages } = await ask(bob, 'MIM', 'message_receive', {})
  const { reply_to: to, thread_id } = messages[0]
  assert.equal(to, ann.agent_did)
  const other = await scene.newParty('globex')
  await ask(other, 'MIM', 'message_send', { to, thread_id, body: 'not the agent' })
  assert.equal((await ask(ann, 'MIM', 'task_get', { task_id: task.task_id })).task.state, 'submitted')
  await ask(bob, 'MIM', 'message_send', { to, thread_id, body: 'hallo' })
  const { task: done } = await ask(ann, 'MIM', 'task_get', { task_id: task.task_id })
  assert.deepEqual([done.state, done.artifacts[0].parts], ['completed', [{ text: 'hallo' }]])
})
