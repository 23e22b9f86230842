// A2A to an agent that answers elsewhere: the task is passed on through MAT, and looked at there until it is settled.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { type A2aAgent, startA2aAgent } from '../../neighbours/a2a-agent.ts'
import { assertRefusal } from '../dispatch/expectations.ts'
import { type A2aScene, ask, type Fields, register, startA2a } from './a2a-scene.ts'

let agent: A2aAgent
let scene: A2aScene
let ann: Addresses
let cy: Addresses

before(async () => {
  agent = await startA2aAgent()
  scene = await startA2a({ config: { tool_hosts: [agent.host], allowed_networks: ['127.0.0.1/32'] } })
  ann = await scene.newParty()
  cy = await scene.newParty()
  const endpoint = { kind: 'a2a', url: agent.card_url, protocols: ['a2a'] }
  await register(cy, { service_endpoints: [endpoint] })
})
after(async () => {
  await scene?.stop()
  await agent?.close()
})

const sent = async (text: string, more: Fields = {}): Promise<Fields> => {
  const message = { message_id: text, parts: [{ text }] }
  return (await ask(ann, 'MIM', 'task_send', { agent_did: cy.agent_did, message, ...more })).task
}

test('an agent that nobody approved in MAT is not called: its mailbox gets the message', async () => {
  const before_sending = agent.requests.length
  assert.equal((await sent('hello')).state, 'submitted')
  assert.equal(agent.requests.length, before_sending)
  const { messages } = await ask(cy, 'MIM', 'message_receive', {})
  assert.equal(messages.length, 1)
})

test('an approved one is called as a tool, and its results are those of the task', async () => {
  const tool_id = 'a2a:polyglot/translate'
  const server = { id: 'polyglot', transport: 'a2a', url: agent.card_url }
  await ask(ann, 'MAT', 'tool', { action: 'register', server })
  await ask(ann, 'MAT', 'tool', { action: 'approve', tool_id })
  const { task_id, ...task } = await sent('hello', { context_id: 'ours' })
  assert.deepEqual([task.state, task.context_id], ['completed', 'ours'])
  assert.deepEqual(task.artifacts[0].parts, [{ text: '<hello>', media_type: 'text/plain' }])
  const { messages } = await ask(cy, 'MIM', 'message_receive', {})
  assert.deepEqual(messages, [])
  const records = await scene.records('acme', { event_types: ['ToolInvoked'] })
  assert.equal((records.at(-1)!.meta as Fields).tool_id, tool_id)
  const eve = await scene.newParty()
  const hidden = await dispatch(eve, { protocol: 'MIM', operation: 'task_get', input: { task_id } })
  assertRefusal(hidden, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
})

test('it asks back, goes on under our ids, and a long one is read until it is done', async () => {
  const waiting = await sent('ask')
  assert.equal(waiting.state, 'input_required')
  const done = await sent('gate 4', { task_id: waiting.task_id })
  assert.deepEqual([done.task_id, done.state], [waiting.task_id, 'completed'])
  const long = await sent('wait')
  assert.equal(long.state, 'working')
  agent.finish()
  const { task } = await ask(ann, 'MIM', 'task_get', { task_id: long.task_id, wait_ms: 20_000 })
  assert.deepEqual([task.state, task.artifacts[0].parts[0].text], ['completed', '<wait>'])
})

test('a refusal of MAT is the caller’s, and the task says that it failed', async () => {
  await ask(ann, 'MAT', 'tool', {
    action: 'register',
    server: { id: 'polyglot', transport: 'a2a', url: agent.card_url },
  })
  agent.card.description = 'Somebody else now.'
  const input = { agent_did: cy.agent_did, message: { message_id: 'x', parts: [{ text: 'hi' }] } }
  const request = { protocol: 'MIM', operation: 'task_send', input }
  const { items: before_refusal } = await ask(ann, 'MIM', 'task_list', {})
  await ask(ann, 'MAT', 'tool_discovery', { query: 'translate', server: 'polyglot' })
  assertRefusal(await dispatch(ann, request), {
    code: 'policy_denied',
    stage: 7,
    reason: 'tool definition changed',
  })
  const { items } = await ask(ann, 'MIM', 'task_list', {})
  assert.deepEqual([items.length, items[0].state], [before_refusal.length + 1, 'failed'])
  // Quarantined now, so it is not called any more.
  assert.equal((await sent('hi again')).state, 'submitted')
})
