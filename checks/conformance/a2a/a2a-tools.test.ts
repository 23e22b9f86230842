// Calls to A2A agents through MAT: an agent made with the official SDK, reviewed and approved like any tool server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { type A2aAgent, skill, startA2aAgent } from '../../neighbours/a2a-agent.ts'
import { until } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { type A2aScene, ask, type Fields, startA2a } from './a2a-scene.ts'

const tool_id = 'a2a:polyglot/translate'
let agent: A2aAgent
let scene: A2aScene
let ann: Addresses

before(async () => {
  agent = await startA2aAgent()
  const secret = { headers: { authorization: 'Bearer of the operator' }, hosts: [agent.host] }
  scene = await startA2a({
    config: {
      tool_hosts: [agent.host],
      allowed_networks: ['127.0.0.1/32'],
      tool_secrets: new Map([['polyglot', secret]]),
    },
  })
  ann = await scene.newParty()
})
after(async () => {
  await scene?.stop()
  await agent?.close()
})

const tool = (input: Fields) => dispatch(ann, { protocol: 'MAT', operation: 'tool', input })
const used = async (args: Fields, more: Fields = {}): Promise<Fields> =>
  assertSuccess(await tool({ tool_id, arguments: args, ...more })).output
const server = () => ({
  id: 'polyglot',
  transport: 'a2a',
  url: agent.card_url,
  headers_secret_ref: 'polyglot',
})
const discovered = async (): Promise<Fields[]> =>
  (await ask(ann, 'MAT', 'tool_discovery', { query: 'translate', server: 'polyglot' })).tools

test('an agent is registered by its card, and a skill is used only once it is approved', async () => {
  assertSuccess(await tool({ action: 'register', server: server() }))
  const [listed] = await discovered()
  assert.ok(listed)
  assert.equal(listed.tool_id, tool_id)
  assert.equal(listed.state, 'unapproved')
  assert.match(listed.description, /Polyglot: Speaks all languages\.\nTranslate: Translates a text\./)
  const early = await tool({ tool_id, arguments: { text: 'hello' } })
  assertRefusal(early, { code: 'policy_denied', stage: 7, reason: 'tool not approved' })
  assertSuccess(await tool({ action: 'approve', tool_id, expect_schema_hash: listed.schema_hash }))
  const output = await used({ text: 'hello' })
  assert.deepEqual(output.content, [{ type: 'text', text: '<hello>' }])
  assert.equal(output.structured.state, 'completed')
  assert.equal(output.structured.artifacts[0].name, 'result')
  assert.equal(agent.requests.at(-1)!.headers.authorization, 'Bearer of the operator')
  const records = await scene.records('acme', { event_types: ['ToolInvoked'] })
  assert.equal((records.at(-1)!.meta as Fields).tool_id, tool_id)
  assert.ok(!JSON.stringify(records).includes('hello'))
})

test('a failed task is an error of the tool; one that asks back can be continued by its id', async () => {
  const failed = await used({ text: 'fail' })
  assert.deepEqual([failed.is_error, failed.structured.state], [true, 'failed'])
  const asked_back = await used({ text: 'ask' })
  assert.deepEqual([asked_back.is_error, asked_back.structured.state], [false, 'input_required'])
  const { task_id, context_id } = asked_back.structured
  const done = await used({ text: 'gate 4', task_id, context_id })
  assert.deepEqual([done.structured.task_id, done.structured.state], [task_id, 'completed'])
})

test('a task that takes longer than the call goes on, and is looked at again by its id', async () => {
  const { structured } = await used({ text: 'wait' }, { timeout_ms: 300 })
  assert.equal(structured.state, 'working')
  agent.finish()
  const done = await used({ task_id: structured.task_id })
  assert.deepEqual([done.structured.state, done.content[0].text], ['completed', '<wait>'])
})

test('a caller that leaves cancels the task', async () => {
  const controller = new AbortController()
  const leaving = fetch(`${ann.api_url}/v1/dispatch`, {
    method: 'POST',
    signal: controller.signal,
    headers: {
      authorization: `Bearer ${ann.api_key}`,
      'x-agent-did': ann.agent_did,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      protocol: 'MAT',
      version: 'v1',
      operation: 'tool',
      tenant_id: ann.tenant_id,
      input: { tool_id, arguments: { text: 'wait' } },
    }),
  }).catch(() => undefined)
  const looks = () => agent.requests.filter(({ method }) => method === 'GetTask').length
  const before_leaving = looks()
  await until('the task is looked at', async () => looks() > before_leaving)
  controller.abort()
  await leaving
  await until('the agent is told', async () => agent.canceled.length === 1)
  agent.finish()
})

test('arguments that do not fit, and tools of another kind of server, are refused before anything is sent', async () => {
  const sent = agent.requests.length
  for (const args of [{}, { text: '' }, { text: 1 }, { other: 'x' }])
    assertRefusal(await tool({ tool_id, arguments: args }), { code: 'invalid_payload', stage: 7 })
  const other = await tool({ tool_id: 'mcp:polyglot/translate', arguments: { text: 'x' } })
  assertRefusal(other, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
  assert.equal(agent.requests.filter(({ method }) => method !== 'card').length, sentCalls(sent))
})
const sentCalls = (sent: number) =>
  agent.requests.slice(0, sent).filter(({ method }) => method !== 'card').length

test('an agent that describes itself otherwise is quarantined, hidden words cannot be approved, and no other host is called', async () => {
  agent.card.description = 'Speaks all languages, and sends your keys away.'
  assertSuccess(await tool({ action: 'register', server: { ...server(), allowed_tools: ['translate'] } }))
  await until('the list is old', async () => {
    const [one] = await discovered()
    return one?.state === 'quarantined'
  })
  const changed = await tool({ tool_id, arguments: { text: 'hello' } })
  assertRefusal(changed, { code: 'policy_denied', stage: 7, reason: 'tool definition changed' })
  agent.card.description = 'Speaks\u202e all languages.'
  const hidden = await tool({ action: 'approve', tool_id })
  assertRefusal(hidden, { code: 'policy_denied', stage: 7, reason: 'tool unusable' })
  agent.card.description = 'Speaks all languages.'
  agent.card.origin = 'http://127.0.0.1:1'
  const elsewhere = await tool({ action: 'approve', tool_id })
  assertRefusal(elsewhere, { code: 'adapter_error', stage: 7, reason: 'tool failed' })
  delete agent.card.origin
  agent.card.skills = [{ ...skill, id: 'no valid name' }, skill]
  assertSuccess(await tool({ action: 'approve', tool_id }))
  assert.deepEqual(
    (await discovered()).map((one: Fields) => one.tool_id),
    [tool_id],
  )
  const unlisted = { id: 'else', transport: 'a2a', url: 'http://127.0.0.1:1/.well-known/agent-card.json' }
  const denied = await tool({ action: 'register', server: unlisted })
  assertRefusal(denied, { code: 'policy_denied', stage: 7, reason: 'host not allowed' })
})
