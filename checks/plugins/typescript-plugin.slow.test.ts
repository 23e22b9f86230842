// A TypeScript plugin from source to caller: built, refused unsigned, signed, installed, and called on every
// surface.
import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCli } from '@svc/cli/run'
import { admin } from '@svc/service/admin'
import { clientEnv, testTerminal } from '../clients/test-terminal.ts'
import { connect, keyOf } from '../conformance/gateway/mcp-scene.ts'
import { dispatch } from '../engines/running-engine.ts'
import { is_long } from '../faults/scene/chance.ts'
import { eventually } from '../suite/eventually.ts'
import { buildOnce, greeting, type PluginScene, runPlugin, startPluginScene } from './plugin-scene.ts'

let scene: PluginScene
let built: string

before(async () => {
  scene = await startPluginScene({ SVC_PLUGIN_WATCH_INTERVAL_MS: '200' })
  built = await buildOnce(greeting, join(scene.folder, 'greeting'))
})
after(() => scene?.stop())

const hello = (input: unknown = { name: 'Ada' }) => ({ protocol: 'GREET', operation: 'hello', input })
const remember = { protocol: 'GREET', operation: 'remember', input: { name: 'Grace' } }

async function runAdmin(...args: string[]): Promise<string> {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  const terminal = { input: (async function* () {})(), write }
  assert.equal(await admin([...args, '--data-dir', scene.data_dir], {}, terminal), 0, text)
  return text
}

test("the kit describes the engine's own world", () => {
  const [ours, theirs] = ['contract/wit', 'clients/plugin-typescript/wit'].map((place) =>
    readFileSync(join(import.meta.dirname, '../..', place, 'svc-plugin.wit'), 'utf8'),
  )
  assert.equal(theirs, ours)
})

test('unsigned it stays Pending, is rejected in the audit log, and cannot be called', async () => {
  assert.match((await scene.run('install', built)).text, /It stays Pending on this engine: It is not signed/)
  const pending = await scene.untilState('greeting', 'Pending')
  assert.equal(pending.reason, 'not signed')
  const { status, body } = await dispatch(scene.engine, hello())
  assert.deepEqual([status, body.error.code], [404, 'unknown_protocol'])
})

test('signed, the engine serves it, and its operations answer by dispatch', async () => {
  await scene.run('sign', built)
  assert.match((await scene.run('install', built)).text, /find it within seconds/)
  await scene.untilState('greeting', 'Registered')
  const { status, body } = await dispatch(scene.engine, { ...hello(), version: 'v1.2.0' })
  assert.deepEqual([status, body.output], [200, { greeting: 'Hello, Ada!', language: 'en' }])
  const wrong = await dispatch(scene.engine, hello({ name: 'Ada', loud: true }))
  assert.deepEqual([wrong.status, wrong.body.error.code], [422, 'invalid_payload'])
  assert.match(await runAdmin('export', 'operator'), /"PluginRejected"/)
})

test('progress is streamed, the call reaches memory, and its own event is in the chain', async () => {
  const { body } = await dispatch(scene.engine, remember, { accept: 'text/event-stream' })
  const events = [...(body as string).matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data]) => ({
    event,
    data: JSON.parse(data!),
  }))
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.fraction]),
    [
      ['progress', 0.5],
      ['progress', 1],
      ['result', undefined],
    ],
  )
  const { memory_id } = events.at(-1)!.data.output
  const query = { event_type: ['custom.greeting.remembered'], verify: true }
  const answer = await dispatch(scene.engine, { protocol: 'MAX', operation: 'audit_query', input: query })
  const { records, verified } = answer.body.output
  assert.deepEqual(verified, { ok: true })
  assert.equal(records.length, 1)
  assert.equal(records[0].meta.supplied.memory_id, memory_id)
  assert.equal(records[0].correlation_id, events.at(-1)!.data.metadata.correlation_id)
  const recalled = await dispatch(scene.engine, {
    protocol: 'MIND',
    operation: 'recall_memory',
    input: { predicate: { semantic: { text: 'Whom did we greet?' } } },
  })
  assert.match(JSON.stringify(recalled.body.output), /Greeted Grace with: Hello, Grace!/)
})

test('an MCP client finds it with its schema, and calls it', async () => {
  const client = await connect(scene.engine.mcp_url, { headers: keyOf(scene.engine) })
  try {
    const { tools } = await client.listTools()
    const tool = tools.find(({ name }) => name === 'svc.greet.hello')
    assert.deepEqual(Object.keys(tool?.inputSchema.properties ?? {}).slice(0, 2), ['name', 'language'])
    const answer = await client.callTool({
      name: 'svc.greet.hello',
      arguments: { name: 'Ada', language: 'fr' },
    })
    assert.match(JSON.stringify(answer), /Bonjour, Ada!/)
  } finally {
    await client.close()
  }
})

test('svc invoke calls it', async () => {
  const terminal = testTerminal({ env: clientEnv(scene.engine) })
  const args = [
    'invoke',
    'GREET',
    'hello',
    '--version',
    'v1.2.0',
    '--input',
    '{"name":"Ada","language":"de"}',
  ]
  assert.equal(await runCli(args, terminal), 0, terminal.stderr)
  assert.match(terminal.stdout, /Guten Tag, Ada!/)
})

test("its calls are limited by its manifest and by its caller's permissions", async () => {
  const bare = join(scene.folder, 'bare')
  cpSync(built, bare, { recursive: true })
  const file = join(bare, 'plugin.toml')
  const text = readFileSync(file, 'utf8')
    .replace('name = "greeting"', 'name = "bare"')
    .replace('"GREET"', '"BARE"')
    .replace(/\[plugin\.integrations\.memory\]\n.*\n.*\n/, '')
  writeFileSync(file, text)
  await scene.run('sign', bare)
  await scene.run('install', bare)
  await scene.untilState('bare', 'Registered')
  const beyond = await dispatch(scene.engine, { ...remember, protocol: 'BARE' })
  assert.deepEqual(
    [beyond.status, beyond.body.error.code, beyond.body.error.reason],
    [403, 'capability_denied', "not in the plugin's manifest"],
  )

  const issued = await runAdmin('key', 'issue', 'dev', '--capability', 'svc.greet.*', '--json')
  const { api_key, did: agent_did } = JSON.parse(issued)
  const caller = { ...scene.engine, api_key, agent_did }
  assert.equal((await dispatch(caller, hello())).status, 200)
  const poor = await dispatch(caller, remember)
  assert.deepEqual([poor.status, poor.body.error.code], [403, 'capability_denied'])
})

test('its operator configures it while it runs', async () => {
  writeFileSync(join(scene.data_dir, 'plugins/greeting.json'), '{"language": "fr"}')
  await eventually(async () =>
    assert.equal((await dispatch(scene.engine, hello())).body.output.greeting, 'Bonjour, Ada!'),
  )
  writeFileSync(join(scene.data_dir, 'plugins/greeting.json'), '{"language": "xx"}')
  await eventually(async () => {
    const { status, body } = await dispatch(scene.engine, hello())
    assert.deepEqual(
      [status, body.error?.code, body.error?.reason],
      [422, 'policy_denied', 'unknown language'],
    )
  })
  writeFileSync(join(scene.data_dir, 'plugins/greeting.json'), '{}')
})

test('it can be disabled, enabled and inspected', async () => {
  await scene.run('disable', 'greeting@1.2.0')
  await scene.untilState('greeting', 'Disabled')
  await eventually(async () => assert.equal((await dispatch(scene.engine, hello())).status, 404))
  await scene.run('enable', 'greeting')
  await scene.untilState('greeting', 'Registered')
  await eventually(async () => assert.equal((await dispatch(scene.engine, hello())).status, 200))
  const [inspected] = (await scene.run('inspect', 'greeting', '--json')).rows
  assert.deepEqual(
    [inspected.protocol, inspected.operations, inspected.capabilities],
    ['GREET', ['hello', 'remember'], ['svc.mind.store_memory']],
  )
  await assert.rejects(scene.run('disable', 'nobody'), /No engine has seen nobody/)
  await assert.rejects(scene.run('enable', 'greeting', '--allow-downgrade'), /is for one version/)
  assert.match(await runAdmin('export', 'operator'), /"plugin disable"/)
})

test("the local test host runs every example in the sandbox, and prints the plugin's log", async () => {
  const calls = join(greeting, 'calls.json')
  const good = await runPlugin(['test', built, '--calls', calls, '--json'])
  assert.deepEqual(
    good.rows.slice(0, -1).map(({ operation, result }) => [operation, result]),
    [
      ['hello', 'ok'],
      ['remember', 'ok'],
    ],
  )
  assert.ok(good.rows.at(-1).heard.includes('progress 0.5 greeting Grace'))
  const poor = await runPlugin(['test', built])
  assert.equal(poor.exit, 1)
  assert.match(
    poor.text,
    /remember +failed .*capability_denied: The test has no answer for MIND\.store_memory/,
  )
})

const odd_plugin = `
import { definePlugin, operation, Type } from '@svc/plugin'
const facts = { summary: 'Tries.', effect: 'read', input: Type.Object({}), output: Type.Object({}), example: {} } as const
export const plugin = definePlugin({ operations: {
  records: operation({ ...facts, handle(_, context) { context.audit('custom.Loud', {}); return {} } }),
  halves: operation({ ...facts, handle: () => ({ text: '\\ud800' }) }),
  loops: operation({ ...facts, deadline_ms: 500, handle() { for (;;); } }),
  paints: operation({ ...facts, handle(_, { log }) { log('info', '\\x1b[2J'); return {} } }),
  sees: operation({ ...facts, handle: (_, { metadata }) => ({ metadata }) }),
} })
`

const only_long = { skip: !is_long && 'only in the long form (SVC_TEST_ASSURANCE=1)' }

test('the local test host refuses what the engine refuses, and goes on after a kill', only_long, async () => {
  const source = join(scene.folder, 'odd')
  await runPlugin(['new', 'odd', '--dir', source])
  writeFileSync(join(source, 'plugin.ts'), odd_plugin)
  const names = ['records', 'halves', 'loops', 'paints', 'sees']
  const file = join(source, 'plugin.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('["hello"]', JSON.stringify(names)))
  const odd = await buildOnce(source, join(scene.folder, 'odd-built'))
  const { rows } = await runPlugin(['test', odd, '--json'])
  const results = Object.fromEntries(rows.slice(0, -1).map((row) => [row.operation, row.said]))
  assert.match(results.records, /refused as invalid_payload: custom\.Loud is no event/)
  assert.match(results.halves, /refused as protocol_error: .* no JSON/)
  assert.match(results.loops, /refused as timeout/)
  assert.deepEqual(results.paints, {})
  assert.deepEqual(Object.keys(results.sees.metadata).sort(), ['plugin_abi', 'plugin_config'])
  const { text } = await runPlugin(['test', odd, '--operation', 'paints'])
  assert.equal(text.includes('\x1b'), false)
})

// The tour of docs/plugins.md covers this in the short form.
test('the output of new builds, tests and serves unchanged', {
  skip: !is_long && 'only in the long form (SVC_TEST_ASSURANCE=1)',
}, async () => {
  const source = join(scene.folder, 'my-first')
  await runPlugin(['new', 'my-first', '--dir', source])
  const first = await buildOnce(source, join(scene.folder, 'my-first-built'))
  assert.match((await runPlugin(['test', first])).text, /hello +ok/)
  await scene.run('sign', first)
  await scene.run('install', first)
  await scene.untilState('my-first', 'Registered')
  const { body } = await dispatch(scene.engine, {
    protocol: 'MYFIRST',
    operation: 'hello',
    input: { name: 'Ada' },
  })
  assert.deepEqual(body.output, { greeting: 'Hello, Ada!' })
})
