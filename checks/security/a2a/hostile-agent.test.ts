// A hostile A2A agent elsewhere harms only the task that was passed on to it: never its caller's list, and never for ever.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { sql } from '@svc/database/sql'
import { task_bytes_max } from '@svc/protocols/awareness/mim/tasks/limits'
import { type A2aScene, ask, type Fields, register, startA2a } from '../../conformance/a2a/a2a-scene.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { skill } from '../../neighbours/a2a-agent.ts'

let scene: A2aScene
let ann: Addresses
let cy: Addresses
/** What the agent answers; undefined never answers. */
let result: () => unknown
const server = createServer(async (req, res) => {
  if (req.method === 'GET') {
    const url = `http://${req.headers.host}/rpc`
    const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
    return void res.end(JSON.stringify({ name: 'Hostile', supportedInterfaces, skills: [skill] }))
  }
  await json(req)
  const answer = result()
  if (answer !== undefined) res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer }))
})

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  scene = await startA2a({ config: { tool_hosts: [host], allowed_networks: ['127.0.0.1/32'] } })
  ann = await scene.newParty()
  cy = await scene.newParty()
  const url = `http://${host}/card`
  await register(cy, { service_endpoints: [{ kind: 'a2a', url, protocols: ['a2a'] }] })
  await ask(ann, 'MAT', 'tool', { action: 'register', server: { id: 'hostile', transport: 'a2a', url } })
  await ask(ann, 'MAT', 'tool', { action: 'approve', tool_id: 'a2a:hostile/translate' })
})
after(async () => {
  await scene?.stop()
  server.closeAllConnections()
  server.close()
})

async function send(text: string) {
  const input = { agent_did: cy.agent_did, message: { message_id: text, parts: [{ text }] } }
  return dispatch(ann, { protocol: 'MIM', operation: 'task_send', input })
}

const newest = async (): Promise<Fields> =>
  (await ask(ann, 'MIM', 'task_list', { limit: 1, history_length: 10, include_artifacts: true })).items[0]

const task = (more: Fields, state = 'TASK_STATE_COMPLETED') => ({
  task: { id: 'their id', contextId: 'theirs', status: { state }, ...more },
})
const long = 'x'.repeat(5_000)
const artifact = (more: Fields) =>
  task({ artifacts: [{ artifactId: 'a', parts: [{ text: 'ok' }], ...more }] })
const part = (more: Fields) => artifact({ parts: [more] })

const answers: Readonly<Record<string, Fields>> = {
  'a long filename': part({ raw: 'AA==', filename: long }),
  'a long media type': part({ text: 'x', mediaType: long }),
  'a long address': part({ url: `https://x.example/${long}` }),
  'a part with two contents': part({ text: 'x', data: { x: 1 } }),
  'an empty part': part({}),
  'bytes that are none': part({ raw: 'not base64 !' }),
  'a long artifact id': artifact({ artifactId: long }),
  'a long name': artifact({ name: long, description: long }),
  'half a character in a name': artifact({ name: '\ud800', artifactId: 'x\udfff' }),
  'half a character in its ids': task({ id: '\ud800', contextId: '\ud800' }, 'TASK_STATE_INPUT_REQUIRED'),
  'half a character in its state': task({}, '\ud800'),
  'artifacts of one id': task({
    artifacts: Array.from({ length: 300 }, () => ({ artifactId: 'a', parts: [{ text: 'x' }] })),
  }),
}
for (const [name, answer] of Object.entries(answers))
  test(`${name} in an answer leaves tasks readable`, async () => {
    result = () => answer
    const { status, body } = await send(name)
    assert.equal(status, 200, JSON.stringify(body))
    const { task_id } = await newest()
    const { task: whole } = await ask(ann, 'MIM', 'task_get', { task_id })
    assert.equal(JSON.stringify(whole).includes('their id'), false)
  })

test('an answer that is too large to be handed on ends the task', async () => {
  result = () => part({ text: long.repeat(150) })
  await send('too large')
  assert.equal((await newest()).state, 'failed')
})

test('an agent that fails ends its tasks, and the mail of others goes on', async () => {
  result = () => ({})
  for (let i = 0; i < 12; i++) {
    const { status } = await send(`fails ${i}`)
    assert.ok(status >= 500, String(status))
    assert.equal((await newest()).state, 'failed')
  }
  const bob = await scene.newParty('globex')
  await ask(bob, 'MIM', 'message_send', { to: bob.agent_did, body: 'still here' })
})

test('an agent that fails while its task is looked at leaves the task as it was', async () => {
  result = () => task({}, 'TASK_STATE_WORKING')
  await send('works')
  const { task_id, state } = await newest()
  assert.equal(state, 'working')
  result = () => ({})
  for (let i = 0; i < 12; i++)
    assert.equal((await ask(ann, 'MIM', 'task_get', { task_id })).task.state, 'working')
})

test('an agent that adds more than a task holds ends it', async () => {
  result = () => task({}, 'TASK_STATE_WORKING')
  await send('fill it')
  const { task_id } = await newest()
  const { engine } = scene.service.store
  await sql`UPDATE mim_tasks SET bytes = ${task_bytes_max} WHERE task_id = ${task_id}`.execute(engine)
  result = () =>
    task({ artifacts: [{ artifactId: 'a', parts: [{ text: 'more' }] }] }, 'TASK_STATE_INPUT_REQUIRED')
  assert.equal((await ask(ann, 'MIM', 'task_get', { task_id })).task.state, 'failed')
})
