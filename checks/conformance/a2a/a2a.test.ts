// A2A over HTTP with the official client: cards, messages, tasks and streams, each judged and recorded like any call.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Client } from '@a2a-js/sdk/client'
import type { Addresses } from '../../engines/running-engine.ts'
import {
  type A2aScene,
  answering,
  ask,
  cardUrlOf,
  connect,
  connectLegacy,
  type Fields,
  fetchAs,
  register,
  startA2a,
} from './a2a-scene.ts'

let scene: A2aScene
let ann: Addresses
let cy: Addresses
let stop: () => Promise<void>

before(async () => {
  scene = await startA2a()
  ann = await scene.newParty()
  cy = await scene.newParty()
  await register(cy)
  stop = answering(cy, async ({ body }, send) => {
    const text = body.message?.parts[0]?.text
    const words = (reply: string) => ({
      message_id: `reply to ${body.message?.message_id}`,
      parts: [{ text: reply }],
    })
    if (text === 'talk') await send({ body: { message: words('just talking') } })
    if (text === 'ask me') await send({ body: { state: 'input_required', message: words('Which gate?') } })
    if (text === 'plain') await send({ content_type: 'text/plain', body: 'a plain text' })
    if (text !== 'work' && text !== 'gate 4') return
    const piece = (words_of_it: string, more = {}) => ({
      artifact_id: 'a',
      parts: [{ text: words_of_it }],
      ...more,
    })
    await send({ body: { state: 'working', message: words('begun') } })
    await send({ body: { state: 'working', artifacts: [piece('one ')] } })
    await send({ body: { state: 'working', artifacts: [piece('two', { append: true, last_chunk: true })] } })
    await send({ body: { state: 'completed', message: words('done') } })
  })
})
after(async () => {
  await stop?.()
  await scene?.stop()
})

let count = 0
const sending = (text: string, more: Fields = {}, configuration: Fields = {}): never =>
  ({
    tenant: '',
    message: {
      messageId: `m${count++}`,
      contextId: '',
      taskId: '',
      role: 1,
      parts: [{ content: { $case: 'text', value: text }, mediaType: '', filename: '', metadata: undefined }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
    configuration: { acceptedOutputModes: [], returnImmediately: false, ...configuration },
    metadata: undefined,
  }) as never

const states = {
  submitted: 1,
  working: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  input_required: 6,
}
const textsOf = (task: Fields): string[] =>
  task.artifacts.flatMap(({ parts }: Fields) => parts.map(({ content }: Fields) => content.value))

async function rpc(who: Addresses, agent_did: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetchAs(who, {
    'a2a-version': '1.0',
    'content-type': 'application/json',
    ...headers,
  })(`${who.api_url}/a2a/${agent_did}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Fields }
}
const call = (method: string, params: Fields = {}) => ({ jsonrpc: '2.0', id: 7, method, params })

test('the official client reads the card, sends a message, and waits for the completed task', async () => {
  const client = await connect(ann, cy.agent_did)
  const card = (await client.getAgentCard()) as Fields
  assert.equal(card.name, 'Translator')
  assert.deepEqual([card.capabilities.streaming, card.capabilities.pushNotifications], [true, false])
  assert.equal(card.supportedInterfaces[0].url, `${ann.api_url}/a2a/${cy.agent_did}`)
  const task = (await client.sendMessage(sending('work'))) as Fields
  assert.equal(task.status.state, states.completed)
  assert.deepEqual(textsOf(task), ['one ', 'two'])
  const again = (await client.getTask({ tenant: '', id: task.id, historyLength: 1 })) as Fields
  assert.equal(again.history.length, 1)
  assert.deepEqual(textsOf(again), ['one ', 'two'])
})

test('every call of it is in the audit log with its origin, and metered', async () => {
  const correlation_id = '0b8e5d0e-6c1f-4a7c-9f38-0a5f6f4b9b01'
  const message = { messageId: 'logged', role: 'ROLE_USER', parts: [{ text: 'work' }] }
  const { body, headers } = await rpc(ann, cy.agent_did, call('SendMessage', { message }), {
    'x-correlation-id': correlation_id,
  })
  assert.equal(body.result.task.status.state, 'TASK_STATE_COMPLETED')
  assert.equal(headers.get('x-correlation-id'), correlation_id)
  const records = await scene.records('acme', { correlation_ids: [correlation_id] })
  const calls = records.filter(({ event_type }) => event_type === 'ProtocolInvocation')
  const operations = calls.map(({ operation }) => operation)
  assert.ok(operations.includes('task_send') && operations.includes('task_get'), String(operations))
  for (const { meta, caller_did } of calls) {
    assert.equal((meta as Fields).origin, 'a2a')
    assert.equal(caller_did, ann.agent_did)
  }
  assert.ok(!JSON.stringify(records).includes('logged'), 'no content in records')
})

test('a stream begins with the task, has every step in order, and ends with it', async () => {
  const client = await connect(ann, cy.agent_did)
  const events: string[] = []
  for await (const { payload } of client.sendMessageStream(sending('work')) as AsyncIterable<Fields>) {
    const { $case, value } = payload
    if ($case === 'artifactUpdate')
      events.push(`${value.artifact.parts[0].content.value}${value.append ? '+' : ''}`)
    else events.push(`${$case} ${value.status.state}`)
  }
  assert.deepEqual(events.slice(0, 1), [`task ${states.submitted}`])
  assert.deepEqual(
    events.filter((event) => !event.startsWith('status')),
    [`task ${states.submitted}`, 'one ', 'two+'],
  )
  assert.equal(events.at(-1), `statusUpdate ${states.completed}`)
})

test('an agent asks back, the answer goes to the same task, and a subscriber sees it end', async () => {
  const client = await connect(ann, cy.agent_did)
  const waiting = (await client.sendMessage(sending('ask me'))) as Fields
  assert.equal(waiting.status.state, states.input_required)
  assert.equal(waiting.status.message.parts[0].content.value, 'Which gate?')
  const seen_states: number[] = []
  const following = (async () => {
    for await (const { payload } of client.resubscribeTask({
      tenant: '',
      id: waiting.id,
    }) as AsyncIterable<Fields>)
      if (payload.$case !== 'artifactUpdate') seen_states.push(payload.value.status.state)
  })()
  const { id: taskId, contextId } = waiting
  const done = (await client.sendMessage(sending('gate 4', { taskId, contextId }))) as Fields
  assert.deepEqual([done.id, done.status.state], [taskId, states.completed])
  await following
  assert.equal(seen_states.at(-1), states.completed)
  await assert.rejects(
    async () => {
      for await (const _ of client.resubscribeTask({ tenant: '', id: taskId })) assert.fail('it has ended')
    },
    { name: 'UnsupportedOperationError' },
  )
  await assert.rejects(client.sendMessage(sending('more', { taskId })), { name: 'UnsupportedOperationError' })
})

test('an agent may answer with a message alone, or with any mail in the thread', async () => {
  const client = await connect(ann, cy.agent_did)
  const message = (await client.sendMessage(sending('talk'))) as Fields
  assert.equal(message.parts[0].content.value, 'just talking')
  const task = (await client.sendMessage(sending('plain'))) as Fields
  assert.deepEqual(textsOf(task), ['a plain text'])
})

test('tasks are listed, and canceled while they have not ended', async () => {
  const client = await connect(ann, cy.agent_did)
  const task = (await client.sendMessage(sending('unanswered', {}, { returnImmediately: true }))) as Fields
  assert.equal(task.status.state, states.submitted)
  const { contextId } = task
  const listed = await rpc(ann, cy.agent_did, call('ListTasks', { contextId, pageSize: 10 }))
  assert.deepEqual(
    [listed.body.result.totalSize, listed.body.result.tasks[0].id, listed.body.result.nextPageToken],
    [1, task.id, ''],
  )
  const canceled = (await client.cancelTask({ tenant: '', id: task.id, metadata: undefined })) as Fields
  assert.equal(canceled.status.state, states.canceled)
  await assert.rejects(client.cancelTask({ tenant: '', id: task.id, metadata: undefined }), {
    name: 'TaskNotCancelableError',
  })
  await assert.rejects(client.getTask({ tenant: '', id: 'nothing' }), { name: 'TaskNotFoundError' })
})

test('a client of 0.3 does the same, without a version header', async () => {
  const client = await connectLegacy(ann, cy.agent_did)
  const task = (await client.sendMessage(sending('work'))) as Fields
  assert.equal(task.status.state, states.completed)
  assert.deepEqual(textsOf(task), ['one ', 'two'])
  const raw = await rpc(
    ann,
    cy.agent_did,
    call('message/send', {
      message: { kind: 'message', messageId: 'old', role: 'user', parts: [{ kind: 'text', text: 'talk' }] },
    }),
    { 'a2a-version': '' },
  )
  assert.deepEqual([raw.body.result.kind, raw.body.result.role], ['message', 'agent'])
  const events: string[] = []
  for await (const { payload } of client.sendMessageStream(sending('work')) as AsyncIterable<Fields>)
    events.push(payload.$case)
  assert.equal(events[0], 'task')
  assert.equal(events.at(-1), 'statusUpdate')
})

test('others do not see a task, and neither it nor an agent can be told from a missing one', async () => {
  const client = await connect(ann, cy.agent_did)
  const { id } = (await client.sendMessage(sending('unanswered', {}, { returnImmediately: true }))) as Fields
  const eve = await scene.newParty()
  const bob = await scene.newParty('globex')
  const missing = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
  for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
    const { body: theirs } = await rpc(eve, cy.agent_did, call(method, { id }))
    const { body: none } = await rpc(eve, cy.agent_did, call(method, { id: missing }))
    assert.equal(theirs.error.code, -32001)
    assert.equal(none.error.message.replace(missing, id), theirs.error.message)
  }
  const send = call('SendMessage', {
    message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
  })
  const hidden = await rpc(bob, cy.agent_did, send)
  const unknown_did = cy.agent_did.replace(/.{4}$/, 'ffff')
  const unknown = await rpc(bob, unknown_did, send)
  assert.deepEqual([hidden.body.error.code, unknown.body.error.code], [-32602, -32602])
  assert.equal(unknown.body.error.message.replace(unknown_did, cy.agent_did), hidden.body.error.message)
  const cards = [cy.agent_did, unknown_did, 'nonsense'].flatMap((did) => [
    fetchAs(bob)(cardUrlOf(bob, did)),
    fetch(cardUrlOf(bob, did)),
  ])
  const texts = await Promise.all(
    cards.map(async (answer) => {
      const { status } = await answer
      const { error } = (await (await answer).json()) as Fields
      return `${status} ${error.code} ${error.reason} ${error.message}`
    }),
  )
  assert.equal(new Set(texts).size, 1, texts.join('\n'))
  assert.match(texts[0]!, /^404 not_found/)
})

test('a public agent has a card for everybody, in the form of the version asked for', async () => {
  const dot = await scene.newParty()
  await register(dot, { name: 'Weather', visibility: 'public', capabilities: ['svc.mars.query_registry'] })
  const url = cardUrlOf(dot, dot.agent_did)
  const answer = await fetch(url, { headers: { 'a2a-version': '1.0' } })
  const card = (await answer.json()) as Fields
  assert.deepEqual(
    card.skills.map(({ id }: Fields) => id),
    ['message', 'svc.mars.query_registry'],
  )
  assert.equal(card.securitySchemes.bearer.httpAuthSecurityScheme.scheme, 'Bearer')
  assert.match(answer.headers.get('cache-control')!, /^public/)
  const etag = answer.headers.get('etag')!
  const unchanged = await fetch(url, { headers: { 'a2a-version': '1.0', 'if-none-match': etag } })
  assert.equal(unchanged.status, 304)
  const old = (await (await fetch(`${url}?A2A-Version=0.3`)).json()) as Fields
  assert.deepEqual(
    [old.protocolVersion, old.preferredTransport, old.securitySchemes.bearer.type],
    ['0.3.0', 'JSONRPC', 'http'],
  )
  const client: Client = await connect(ann, dot.agent_did)
  const extended = (await client.getAgentCard()) as Fields
  assert.equal(extended.name, 'Weather')
})

test('refusals of the engine keep their code, reason and sentence', async () => {
  const open_agent = await scene.newParty()
  await register(open_agent, { visibility: 'public' })
  const bob = await scene.newParty('globex')
  const send = call('SendMessage', {
    message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
  })
  const { status, body } = await rpc(bob, open_agent.agent_did, send)
  const [info, whole] = body.error.data
  assert.deepEqual(
    [status, body.error.code, info.metadata.code, whole.value.reason, whole.value.stage],
    [403, -32000, 'capability_denied', 'no active treaty', 7],
  )
  assert.equal(whole.value.message, body.error.message)
  const no_key = await fetch(`${ann.api_url}/a2a/${cy.agent_did}`, { method: 'POST', body: '{}' })
  assert.equal(no_key.status, 401)
  const { error } = (await no_key.json()) as Fields
  assert.equal(error.data[1].value.code, 'unauthenticated')
  const records = await scene.records(scene.operator.tenant_id)
  const reasons = records.map(({ meta }) => meta as Fields).filter(({ origin }) => origin === 'a2a')
  assert.equal(reasons.at(-1)?.reason, 'no credential')
})

test('what is no valid request is refused in the words of JSON-RPC and A2A', async () => {
  const message = (more: Fields) => ({
    message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'hi' }], ...more },
  })
  const cases: [unknown, number, Record<string, string>?][] = [
    ['{', -32700],
    [call('GetTask', { id: 'x' }), -32005, { 'content-type': 'text/plain' }],
    ['[]', -32600],
    [{ id: 1, method: 'GetTask' }, -32600],
    [{ ...call('GetTask'), id: {} }, -32600],
    [call('Nothing'), -32601],
    [call('message/send'), -32601],
    [call('GetTask', []), -32602],
    [call('GetTask'), -32602],
    [call('GetTask', { id: 'x', historyLength: -1 }), -32602],
    [call('SendMessage'), -32602],
    [call('SendMessage', message({ parts: [] })), -32602],
    [call('SendMessage', message({ parts: [{ text: 'a', url: 'b' }] })), -32602],
    [call('SendMessage', message({ messageId: '' })), -32602],
    [call('SendMessage', message({ taskId: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10' })), -32001],
    [call('SendMessage', message({ parts: [{ raw: 'AA==', mediaType: 'application/x-own' }] })), -32005],
    [
      call('SendMessage', { ...message({}), configuration: { taskPushNotificationConfig: { url: 'x' } } }),
      -32003,
    ],
    [call('CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://x.example' }), -32003],
    [call('ListTasks', { pageSize: 101 }), -32602],
    [call('ListTasks', { status: 'RUNNING' }), -32602],
    [call('ListTasks', { pageToken: 'x' }), -32602],
    [call('GetTask', { id: 'x' }), -32009, { 'a2a-version': '0.5' }],
  ]
  for (const [body, code, headers] of cases) {
    const answer = await rpc(ann, cy.agent_did, body, headers)
    assert.equal(answer.body.error?.code, code, `${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
    assert.equal(answer.body.error.data[0].domain, 'a2a-protocol.org')
    assert.equal(answer.body.jsonrpc, '2.0')
  }
})

test('the same idempotency key sends one task', async () => {
  const send = call('SendMessage', {
    message: { messageId: 'once', role: 'ROLE_USER', parts: [{ text: 'unanswered' }] },
    configuration: { returnImmediately: true },
  })
  const headers = { 'idempotency-key': 'once and for all' }
  const [first, second] = [
    await rpc(ann, cy.agent_did, send, headers),
    await rpc(ann, cy.agent_did, send, headers),
  ]
  assert.equal(first.body.result.task.id, second.body.result.task.id)
  const { total } = await ask(ann, 'MIM', 'task_list', { context_id: first.body.result.task.contextId })
  assert.equal(total, 1)
})
