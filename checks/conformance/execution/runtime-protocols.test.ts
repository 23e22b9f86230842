// A protocol added at run time appears everywhere: MCP, command line, directory, documents and whoami.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, suite, type TestContext, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import { unresolved } from '@svc/contract/identity/identity'
import type { Whoami } from '@svc/contract/identity/whoami'
import { operation, type Protocol, protocol } from '@svc/contract/protocol'
import { Closed, Text } from '@svc/contract/schema'
import { admin as runAdmin } from '@svc/service/admin'
import { runCli } from '../../../clients/cli/run.ts'
import { clientEnv, testTerminal } from '../../clients/test-terminal.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { connect, keyOf, type McpScene, startWithMcp, transportTo } from '../gateway/mcp-scene.ts'
import { openSigningService } from './signing-service.ts'

const allowed_networks = ['127.0.0.0/8']
let engine: McpScene
/** Has no capability for GREET. */
let other: Addresses

before(async () => {
  engine = await startWithMcp({
    // Nobody has more than the capabilities of the key.
    identity: {
      resolve: (did) => ({
        outcome: 'Resolved',
        identity: { ...unresolved(did), auth_method: 'test', conformance_level: 'L2' },
      }),
    },
    config: { allowed_networks },
    caller: { capabilities: ['svc.greet.*', 'svc.weather.*', 'svc.max.*'] },
  })
  other = await engine.newCaller({ capabilities: ['svc.max.*'] })
})
after(() => engine?.stop())

const hello = operation({
  summary: 'Greets <img src=x onerror=alert(1)> & "whoever" is named.',
  effect: 'read',
  level: 'L0',
  meters: ['seconds'],
  input: Closed({ whom: Text(50) }),
  output: Closed({ said: Text(100) }),
  example: { whom: 'Ada' },
  handle: ({ whom }) => ({ said: `Hello, ${whom}!` }),
})

function greet(version: string, operations: Protocol['operations'] = { hello }): Protocol {
  return protocol({
    id: 'GREET',
    version,
    plane: 'awareness',
    estate: 'protocol',
    rate: 'standard',
    category: 'svc-commerce',
    summary: 'Greets <script>everybody</script>.',
    operations,
  })
}

function register(t: TestContext, definition: Protocol): void {
  engine.service.registry.register(definition, [nativeEndpoint(definition)])
  t.after(() => engine.service.registry.unregister(definition.id, definition.version))
}

async function svc(...argv: string[]) {
  const terminal = testTerminal({ env: clientEnv(engine) })
  const code = await runCli(argv, terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

async function whoami(caller: Addresses): Promise<Whoami['operations']> {
  const headers = { ...keyOf(caller), 'x-agent-did': caller.agent_did }
  const answer = await fetch(`${engine.api_url}/v1/whoami`, { headers })
  const { operations } = (await answer.json()) as Whoami
  return operations.filter((each) => each.protocol === 'GREET')
}

for (const era of ['legacy', 'modern'] as const) {
  test(`its tools have schemas, and the called version is the listed one: ${era}`, async (t) => {
    const client = await connect(engine.mcp_url, { headers: keyOf(engine), era })
    t.after(() => client.close())
    const find = async () => (await client.listTools()).tools.find(({ name }) => name === 'svc.greet.hello')
    assert.equal(await find(), undefined)
    register(t, greet('v1.2.0'))
    const tool = await find()
    assert.deepEqual(
      [tool?.title, tool?.inputSchema.required, tool?.outputSchema?.required],
      ['GREET: hello', ['whom'], ['said']],
    )
    assert.deepEqual(
      [tool?.annotations?.readOnlyHint, tool?._meta?.['svc/category'], tool?._meta?.['svc/version']],
      [true, 'svc-commerce', 'v1.2.0'],
    )
    const called = await client.callTool({ name: 'svc.greet.hello', arguments: { whom: 'Ada' } })
    assert.deepEqual([called.structuredContent, called._meta?.version], [{ said: 'Hello, Ada!' }, 'v1.2.0'])
    register(t, greet('v1.10.0', { hello: { ...hello, summary: 'Greets anew.' } }))
    assert.match((await find())?.description ?? '', /^Greets anew\./)
    const anew = await client.callTool({ name: 'svc.greet.hello', arguments: { whom: 'Ada' } })
    assert.equal(anew._meta?.version, 'v1.10.0')
  })
}

/** A client that counts the notifications that its list changed. */
async function listening(t: TestContext, caller: Addresses, era: 'modern' | 'sse') {
  const mode = era === 'modern' ? ({ pin: '2026-07-28' } as const) : 'legacy'
  const client = new Client({ name: 'check', version: '1' }, { versionNegotiation: { mode } })
  const counted = { told: 0 }
  client.setNotificationHandler('notifications/tools/list_changed', () => void counted.told++)
  await client.connect(
    transportTo(era === 'sse' ? engine.sse_url : engine.mcp_url, { headers: keyOf(caller) }),
  )
  t.after(() => client.close())
  assert.equal(client.getServerCapabilities()?.tools?.listChanged, true)
  if (era === 'modern') await client.listen({ toolsListChanged: true })
  await client.listTools()
  return counted
}

suite('tools/list_changed', () => {
  for (const era of ['modern', 'sse'] as const) {
    test(`is sent only to clients whose list changed: ${era}`, async (t) => {
      const [mine, theirs] = [await listening(t, engine, era), await listening(t, other, era)]
      register(t, greet('v1.2.0'))
      await eventually(() => assert.equal(mine.told, 1))
      // The same protocol at a different endpoint: no visible change.
      engine.service.registry.register(greet('v1.2.0'), [nativeEndpoint(greet('v1.2.0'))])
      engine.service.registry.unregister('GREET', 'v1.2.0')
      await eventually(() => assert.equal(mine.told, 2))
      assert.equal(theirs.told, 0)
    })
  }

  test('is not announced without a stream', async (t) => {
    const client = await connect(engine.mcp_url, { headers: keyOf(engine), era: 'legacy' })
    t.after(() => client.close())
    assert.equal(client.getServerCapabilities()?.tools?.listChanged, undefined)
  })
})

test('whoami and MCP: with parallel versions every operation is listed, in the version that is called', async (t) => {
  const bye = { ...hello, summary: 'Says goodbye.' }
  register(t, greet('v1.0.0', { hello, bye }))
  register(t, greet('v1.1.0', { hello, wave: bye }))
  register(t, greet('v2.0.0-rc.1', { hello, bow: bye }))
  const lines = (await whoami(engine)).map(({ operation, version, may }) => `${operation} ${version} ${may}`)
  const expected = ['hello v1.1.0 yes', 'wave v1.1.0 yes', 'bye v1.0.0 yes']
  // svc.greet.* covers svc.greet.pre-release.
  assert.deepEqual(lines, [...expected, 'bow v2.0.0-rc.1 yes'])
  assert.ok((await whoami(other)).every(({ may }) => may === 'no'))
  const client = await connect(engine.mcp_url, { headers: keyOf(engine) })
  t.after(() => client.close())
  for (const line of lines) {
    const [name, version] = line.split(' ')
    const { _meta } = await client.callTool({ name: `svc.greet.${name}`, arguments: { whom: 'Ada' } })
    assert.equal(_meta?.version, version)
  }
})

test('an external service registered by an operator is announced, listed and called like any other', async (t) => {
  const outside = await openSigningService()
  t.after(() => outside.close())
  outside.answer = ({ payload }) => ({ body: { data: { said: payload }, metadata: {} } })
  const counted = await listening(t, engine, 'sse')
  const env = {
    SVC_DB_URL: engine.db_url,
    SVC_TENANT_ID: 'operator',
    SVC_ALLOWED_NETWORKS: allowed_networks.join(),
  }
  const type = (...args: string[]) =>
    runAdmin(['protocol', ...args], env, { input: Readable.from([]), write: async () => undefined })
  const named = ['--did', outside.did, '--operation', 'forecast']
  assert.equal(await type('add', 'WEATHER', 'v3.0.0', outside.url, ...named), 0)
  await eventually(() => assert.equal(counted.told, 1))
  const client = await connect(engine.mcp_url, { headers: keyOf(engine) })
  t.after(() => client.close())
  const { tools } = await client.listTools()
  const tool = tools.find(({ name }) => name === 'svc.weather.forecast')
  assert.deepEqual(
    [tool?._meta?.['svc/version'], tool?._meta?.['svc/category']],
    ['v3.0.0', 'svc-infrastructure'],
  )
  const called = await client.callTool({ name: 'svc.weather.forecast', arguments: { where: 'Oslo' } })
  assert.deepEqual(called.structuredContent, { said: { where: 'Oslo' } })
  assert.equal(await type('remove', 'WEATHER', 'v3.0.0'), 0)
  await eventually(() => assert.equal(counted.told, 2))
})

suite('the command line', () => {
  test('svc mcp serve lists protocols newer than the program, as the engine does', async (t) => {
    const stopping = new AbortController()
    const terminal = testTerminal({ env: clientEnv(engine), signal: stopping.signal })
    const running = runCli(['mcp', 'serve', '--transport', 'http', '--port', '0'], terminal)
    await eventually(() => assert.match(terminal.stdout, /^http/))
    const [remote, near] = [
      await connect(terminal.stdout.trim()),
      await connect(engine.mcp_url, { headers: keyOf(engine) }),
    ]
    register(t, greet('v1.2.0'))
    assert.deepEqual((await remote.listTools()).tools, (await near.listTools()).tools)
    const called = await remote.callTool({ name: 'svc.greet.hello', arguments: { whom: 'Ada' } })
    assert.deepEqual([called.structuredContent, called._meta?.version], [{ said: 'Hello, Ada!' }, 'v1.2.0'])
    await Promise.all([remote.close(), near.close()])
    stopping.abort()
    assert.equal(await running, 0)
  })

  test('svc mcp list has the schemas, and svc mcp call validates by them and calls that version', async (t) => {
    register(t, greet('v1.2.0'))
    const listed = await svc('mcp', 'list', '--json', '--category', 'greet')
    const [tool] = JSON.parse(listed.out)
    assert.deepEqual(
      [tool.name, tool.version, tool.category, tool.inputSchema.required],
      ['svc.greet.hello', 'v1.2.0', 'svc-commerce', ['whom']],
    )
    const called = await svc('mcp', 'call', 'svc.greet.hello', '--input', '{"whom": "Ada"}')
    assert.deepEqual([called.code, called.err], [0, ''])
    const { output, metadata } = JSON.parse(called.out)
    assert.deepEqual([output, metadata.version], [{ said: 'Hello, Ada!' }, 'v1.2.0'])
    const misfit = await svc('mcp', 'call', 'svc.greet.hello', '--input', '{"who": "Ada"}')
    assert.equal(misfit.code, 1)
    assert.match(
      misfit.err,
      /does not fit .* nothing was sent[\s\S]*\/who +is not a field here; did you mean whom\?/i,
    )
  })

  test('svc invoke defaults to v1.0.0, and names the available versions', async (t) => {
    register(t, greet('v1.2.0'))
    const ask = ['invoke', 'GREET', 'hello', '--input', '{"whom": "Ada"}']
    const missing = await svc(...ask)
    assert.equal(missing.code, 1)
    assert.match(missing.err, /GREET v1\.0\.0 is not installed; installed: v1\.2\.0\. Ask for v1 /)
    assert.match(missing.err, /next +Give an installed version with --version/)
    for (const version of ['v1.2.0', 'v1']) {
      const { code, out } = await svc(...ask, '--version', version)
      assert.deepEqual([code, JSON.parse(out).metadata.version], [0, 'v1.2.0'])
    }
    register(t, greet('v1.0.0'))
    assert.equal(JSON.parse((await svc(...ask)).out).metadata.version, 'v1.0.0')
  })
})

test('the public pages show it, and third-party text is escaped', async (t) => {
  register(t, greet('v1.2.0'))
  const get = async (path: string) => {
    const answer = await fetch(engine.api_url + path)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path)
    return { type: answer.headers.get('content-type') ?? '', text: await answer.text() }
  }
  for (const path of ['/v1/protocols', '/v1/protocols/greet', '/v1/search?q=greets', '/openapi.json']) {
    const { type, text } = await get(path)
    assert.match(type, /^application\/json/, path)
    assert.match(text, /GREET/, path)
  }
  const llms = await get('/llms.txt')
  assert.match(llms.type, /^text\/plain/)
  assert.match(
    llms.text,
    /### GREET\n\nGreets <script>everybody<\/script>\.\n\n- `hello` \(read\): Greets <img/,
  )
  const { schemas } = JSON.parse((await get('/openapi.json')).text).components
  assert.deepEqual(schemas.GreetHelloRequest.properties.input.required, ['whom'])
  const docs = await fetch(`${engine.api_url}/docs`)
  assert.match(docs.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/)
  assert.doesNotMatch(await docs.text(), /GREET|onerror/)
  const schema = await get('/schemas/greet/v1/operations.greet.hello.request.json')
  assert.deepEqual(JSON.parse(schema.text).required, ['whom'])
})

test('once removed, it is gone everywhere', async () => {
  assert.deepEqual(await whoami(engine), [])
  assert.equal((await fetch(`${engine.api_url}/v1/protocols/greet`)).status, 404)
  const request = { protocol: 'GREET', version: 'v1', operation: 'hello', input: {} }
  assertRefusal(await dispatch(engine, request), { code: 'unknown_protocol', stage: 1 })
  assertSuccess(
    await dispatch(engine, {
      protocol: 'MAX',
      version: 'v1',
      operation: 'audit_query',
      input: { after_seq: 0 },
    }),
  )
})
