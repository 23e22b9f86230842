// The engine's own MCP surface for operators: where it listens, what it lists, whom it refuses, and how it
// stops.
import assert from 'node:assert/strict'
import { connect as connectSocket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { revokeKey } from '@svc/adapters/access/api-keys'
import { catalogue } from '@svc/catalogue/catalogue'
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject, Closed, Text } from '@svc/contract/schema'
import { startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { connect, keyOf, list_message, type McpScene, post, startWithMcp, toolOf } from './mcp-scene.ts'

let gate = Promise.withResolvers<void>()
let inside = Promise.withResolvers<void>()
let left = Promise.withResolvers<void>()

const plain = { level: 'L0', meters: ['seconds'], input: Closed({}), output: AnyObject, example: {} } as const
const flow = protocol({
  id: 'FLOW',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-commerce',
  summary: 'Reports, and then waits for the test or for its caller to leave.',
  operations: {
    wait: operation({
      ...plain,
      summary: 'Report and wait.',
      effect: 'read',
      async handle(_input, context) {
        context.progress({ message: 'begun', fraction: 0.5 })
        context.signal.addEventListener('abort', () => left.resolve())
        inside.resolve()
        await gate.promise
        return { waited: true }
      },
    }),
    echo: operation({
      ...plain,
      summary: 'Say what was given, and where it came from.',
      effect: 'write',
      input: Closed({ text: Text(4096) }),
      example: { text: 'x' },
      handle: ({ text }, { invoke }) => ({ text, trace: invoke.trace_context?.traceparent ?? null }),
    }),
  },
})

const list_message_text = JSON.stringify(list_message)
let engine: McpScene

before(async () => {
  engine = await startWithMcp({ more_protocols: [flow], caller: { capabilities: ['svc.*.*'] } })
})
after(async () => {
  gate.resolve()
  await engine?.stop()
})

function renew(): void {
  gate = Promise.withResolvers()
  inside = Promise.withResolvers()
  left = Promise.withResolvers()
}

for (const era of ['legacy', 'modern'] as const) {
  test(`what this engine serves is listed with its schemas, also beyond the catalogue: ${era}`, async (t) => {
    const client = await connect(engine.mcp_url, { headers: keyOf(engine), era })
    t.after(() => client.close())
    const { tools } = await client.listTools()
    const echo = tools.find(({ name }) => name === 'svc.flow.echo')
    assert.deepEqual(echo?.inputSchema.required, ['text'])
    assert.equal(echo?._meta?.['svc/category'], 'svc-commerce')
    await client.close()
    const commerce = await connect(`${engine.mcp_url}?category=commerce`, { headers: keyOf(engine), era })
    t.after(() => commerce.close())
    const named = (await commerce.listTools()).tools.map(({ name }) => name)
    const own = catalogue.filter(({ category }) => category === 'svc-commerce')
    const expected = own.flatMap(({ id, operations }) =>
      Object.keys(operations).map((name) => toolOf(id, name)),
    )
    const first = ['svc.search_tools', 'svc.flow.echo', 'svc.flow.wait']
    assert.deepEqual(named.slice(0, 3), first)
    assert.deepEqual(named.slice(3).sort(), expected.sort())
    await commerce.close()
  })

  test(`a call equals the call over HTTP: output, metadata, idempotency, trace, record: ${era}`, async (t) => {
    const client = await connect(engine.mcp_url, { headers: keyOf(engine), era })
    t.after(() => client.close())
    const traceparent = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`
    const call = {
      name: 'svc.flow.echo',
      arguments: { text: 'hello' },
      _meta: { 'svc/idempotency_key': `once-${era}`, traceparent },
    }
    const first = await client.callTool(call)
    const again = await client.callTool(call)
    assert.deepEqual(first.structuredContent, { text: 'hello', trace: traceparent })
    assert.deepEqual(again.structuredContent, first.structuredContent)
    assert.deepEqual([first._meta?.replayed, again._meta?.replayed], [false, true])
    const input = { text: 'hello' }
    const http = await dispatch(engine, { protocol: 'FLOW', version: 'v1.0.0', operation: 'echo', input })
    const same = (names: object) => Object.keys(names).filter((name) => name in http.body.metadata)
    assert.deepEqual(same(first._meta!).sort(), Object.keys(http.body.metadata).sort())
    const { correlation_id } = first._meta as { correlation_id: string }
    const [record] = await engine.records(engine.tenant_id, { correlation_ids: [correlation_id] })
    assert.equal(record?.meta.origin, 'mcp')
    await client.close()
  })
}

test('progress is reported during the call, and the module notices a disconnect', async (t) => {
  // A request of the older era has no session to cancel in; its connection can still be closed.
  for (const [url, era] of [
    [engine.mcp_url, 'modern'],
    [engine.sse_url, 'legacy'],
  ] as const) {
    renew()
    const client = await connect(url, { headers: keyOf(engine), era })
    t.after(() => client.close())
    const notifications: unknown[] = []
    const leaving = new AbortController()
    const onprogress = ({ message }: { message?: string }) => void notifications.push(message)
    const options = { signal: leaving.signal, onprogress }
    const rejected = assert.rejects(client.callTool({ name: 'svc.flow.wait', arguments: {} }, options))
    await eventually(() => assert.deepEqual(notifications, ['begun'], url))
    leaving.abort()
    await Promise.all([left.promise, rejected])
    gate.resolve()
    await client.close()
  }
  renew()
  const gone = new AbortController()
  const body = JSON.stringify({ ...list_message, method: 'tools/call', params: { name: 'svc.flow.wait' } })
  const headers = { ...keyOf(engine), accept: 'application/json, text/event-stream' }
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
  const rejected = fetch(engine.mcp_url, { ...init, signal: gone.signal }).then((answer) => answer.text())
  const ended = assert.rejects(rejected)
  await inside.promise
  gone.abort()
  await Promise.all([left.promise, ended])
  gate.resolve()
})

test('revoking a key ends its open sessions at once, and a session belongs to nobody else', async (t) => {
  const caller = await engine.newCaller({ capabilities: ['svc.*.*'] })
  const clients = [
    await connect(engine.mcp_url, { headers: keyOf(caller) }),
    await connect(engine.sse_url, { headers: keyOf(caller) }),
  ]
  for (const client of clients) t.after(() => client.close())
  for (const client of clients) await client.listTools()
  await revokeKey(engine.service.store.engine, caller.tenant_id, caller.key_id)
  for (const client of clients) {
    await eventually(() => assert.rejects(client.listTools()))
    await client.close()
  }
})

async function errorOf(answer: Response): Promise<{ code: number; message: string }> {
  return ((await answer.json()) as { error: { code: number; message: string } }).error
}

test('a message that is costly to parse is refused before parsing', async () => {
  const wrap = (body: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc.flow.echo","arguments":${body}}}`
  const deep = 2_000_000
  for (const body of [
    `{"text":${'['.repeat(deep)}${']'.repeat(deep)}}`,
    `{"text":[${Array.from({ length: 200_000 }, (_, i) => `{"k${i}":1}`).join()}]}`,
    '{"text":"a","text":"b"}',
  ]) {
    const answer = await post(engine.mcp_url, keyOf(engine), wrap(body))
    assert.deepEqual([answer.status, (await errorOf(answer)).code], [400, -32_700])
  }
  const large = await post(engine.mcp_url, keyOf(engine), wrap(`{"text":"${'x'.repeat(8 * 1024 * 1024)}"}`))
  assert.equal(large.status, 413)
  const fits = await post(engine.mcp_url, keyOf(engine), wrap(`{"text":"${'x'.repeat(2 * 1024 * 1024)}"}`))
  assert.match(await fits.text(), /payload_too_large/)
})

test('another Host or Origin, another route and bytes that are not HTTP are refused', async () => {
  const before = (await engine.records(engine.operator.tenant_id)).length
  for (const origin of ['http://evil.example', 'null'])
    assert.equal((await post(engine.mcp_url, { ...keyOf(engine), origin }, list_message)).status, 403)
  const nowhere = await fetch(new URL('/v1/dispatch', engine.mcp_url))
  assert.equal(nowhere.status, 404)
  const { port } = new URL(engine.mcp_url)
  for (const [bytes, status] of [
    ['NONSENSE\r\n\r\n', 400],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 404],
    [`GET /mcp HTTP/1.1\r\nHost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['POST /mcp HTTP/1.1\r\nHost: rebound.example\r\ncontent-length: 0\r\nconnection: close\r\n\r\n', 403],
  ] as const) {
    const socket = connectSocket(Number(port), '127.0.0.1')
    socket.write(bytes)
    assert.match(await textOf(socket), new RegExp(`^HTTP/1.1 ${status} `), bytes.slice(0, 20))
  }
  // The first refusal of a kind per address is recorded at once, and later ones within a second as a count.
  await eventually(async () => {
    const records = (await engine.records(engine.operator.tenant_id)).slice(before)
    const counts: Record<string, number> = {}
    for (const { meta } of records) {
      const kind = `${meta.origin}: ${meta.reason}`
      counts[kind] = (counts[kind] ?? 0) + Number(meta.count ?? 1)
    }
    assert.deepEqual(counts, {
      'mcp: foreign origin': 2,
      'mcp: no such route': 2,
      'mcp: malformed http': 2,
      'mcp: foreign host': 1,
    })
    const first = records.find(({ meta }) => meta.reason === 'no such route')
    assert.equal(nowhere.headers.get('x-correlation-id'), first?.correlation_id)
  })
})

test('refusals of a known caller are in its own audit log', async () => {
  const caller = await engine.newCaller({ tenant_id: 'turned-away' })
  const requests: [string, string][] = [
    [engine.mcp_url, '{"no": '],
    [`${engine.mcp_url}?compact=perhaps`, list_message_text],
    [engine.mcp_url, 'x'.repeat(8 * 1024 * 1024 + 1)],
    [new URL('/messages?session_id=nobodys', engine.mcp_url).href, list_message_text],
  ]
  const statuses: number[] = []
  for (const [url, body] of requests) {
    const headers = { ...keyOf(caller), 'content-type': 'application/json' }
    statuses.push((await fetch(url, { method: 'POST', headers, body })).status)
  }
  assert.deepEqual(statuses, [400, 400, 413, 404])
  const records = await engine.records('turned-away')
  assert.deepEqual(
    records.map(({ meta, caller_did }) => [caller_did === caller.agent_did, meta.code, meta.reason]),
    [
      [true, 'invalid_request', 'malformed body'],
      [true, 'invalid_request', 'bad query'],
      [true, 'payload_too_large', 'body too large'],
      [true, 'not_found', 'no such session'],
    ],
  )
})

test('an engine that serves some protocols lists those; stopping it ends streams, after calls in progress are finished', async (t) => {
  renew()
  t.after(() => gate.resolve())
  const config = { protocols: ['FLOW'] }
  const other = await startWithMcp({ more_protocols: [flow], config, caller: { capabilities: ['svc.*.*'] } })
  t.after(() => other.stop())
  const { hostname, port } = new URL(other.mcp_url)
  await assert.rejects(
    startInProcess({ config: { mcp_port: Number(port) } }),
    new RegExp(`^ConfigError: Port ${port} for MCP is in use; .*SVC_MCP_PORT`),
  )
  const headers = keyOf(other)
  const [client, older] = [
    await connect(other.mcp_url, { headers }),
    await connect(other.sse_url, { headers }),
  ]
  t.after(() => Promise.all([client.close(), older.close()]))
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['svc.search_tools', toolOf('FLOW', 'echo'), toolOf('FLOW', 'wait')],
  )
  const calling = client.callTool({ name: 'svc.flow.wait', arguments: {} })
  await inside.promise
  const stopping = other.stop()
  const refused = await older.callTool({ name: 'svc.flow.echo', arguments: { text: 'late' } })
  assert.partialDeepStrictEqual(refused._meta, { 'svc/error': { code: 'draining' } })
  gate.resolve()
  assert.deepEqual((await calling).structuredContent, { waited: true })
  await stopping
  await Promise.all([client.close(), older.close()])
  await eventually(
    () =>
      new Promise<void>((resolve, reject) => {
        const probe = connectSocket(Number(port), hostname)
        probe.once('error', () => resolve()).once('connect', () => reject(new Error('it still listens')))
      }),
  )
})

test('there is no MCP if calls come only through a gateway', async (t) => {
  const gateways = { trusted_gateways: [engine.operator.did], require_gateway: true }
  const behind = await startInProcess({ config: { mcp_port: 0, ...gateways } })
  t.after(() => behind.stop())
  assert.equal(behind.service.mcp_url, undefined)
  await behind.stop()
})
