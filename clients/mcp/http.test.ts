// MCP over HTTP in front of a scripted engine: both transports, sessions, and rejected requests.
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import type { Whoami } from '@svc/sdk'
import type { ToolEngine, ToolRequest } from './engine.ts'
import { createMcpHttp, type McpHttpOptions } from './http.ts'

const patience = { timeout: 180_000 }
const eras = ['legacy', { pin: '2026-07-28' }] as const

function engineFor(caller: string, call?: ToolEngine['call']): ToolEngine {
  const capability = 'svc.mxx.echo'
  const operations = ['echo', 'other'].map((operation) => ({
    protocol: 'MXX',
    operation,
    capability,
    may: 'yes' as const,
  }))
  return {
    whoami: () => Promise.resolve({ operations } as unknown as Whoami),
    call: call ?? (async ({ input }) => ({ ok: true, output: { caller, input }, metadata: {} })),
  }
}

interface Served {
  readonly url: string
  readonly revoked: Set<string>
}

/** Every bearer token is a caller of that name, until it is revoked. */
async function serve(
  t: TestContext,
  options: Partial<McpHttpOptions> = {},
  call?: ToolEngine['call'],
): Promise<Served> {
  const revoked = new Set<string>()
  const mcp = createMcpHttp({
    async admit({ headers }) {
      const caller = headers.authorization?.replace('Bearer ', '')
      if (caller && !revoked.has(caller)) return { ok: true, engine: engineFor(caller, call), caller }
      return {
        ok: false,
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        body: { error: 'who are you' },
      }
    },
    ...options,
  })
  const server = createServer((req, res) => void mcp.handle(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    await mcp.close()
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, revoked }
}

const bearer = (caller: string) => ({ requestInit: { headers: { authorization: `Bearer ${caller}` } } })

async function connect(
  t: TestContext,
  transport: Transport,
  mode: (typeof eras)[number] = 'legacy',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  t.after(() => client.close())
  return client
}

const streamable = (url: string, caller: string) =>
  new StreamableHTTPClientTransport(new URL(url), bearer(caller))
const older = (url: string, caller: string) => new SSEClientTransport(new URL(url), bearer(caller))

for (const mode of eras) {
  suite(`Streamable HTTP, ${typeof mode === 'string' ? '2025-11-25' : mode.pin}`, () => {
    test('lists, calls, and reads the selection from the address', async (t) => {
      const { url } = await serve(t)
      const client = await connect(t, streamable(`${url}/mcp`, 'ada'), mode)
      assert.equal((await client.listTools()).tools.length, 3)
      const { structuredContent } = await client.callTool({ name: 'svc.mxx.echo', arguments: { a: 1 } })
      assert.deepEqual(structuredContent, { caller: 'ada', input: { a: 1 } })
      const few = await connect(t, streamable(`${url}/mcp?tools_max=2`, 'ada'), mode)
      const { tools } = await few.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['svc.search_tools', 'svc.call_tool'],
      )
    })

    test('progress arrives before the result', async (t) => {
      const call = async ({ onProgress }: ToolRequest) => {
        onProgress?.({ message: 'half', fraction: 0.5 })
        return { ok: true, output: {}, metadata: {} } as const
      }
      const { url } = await serve(t, {}, call)
      const client = await connect(t, streamable(`${url}/mcp`, 'ada'), mode)
      const messages: unknown[] = []
      await client.callTool({ name: 'svc.mxx.echo' }, { onprogress: ({ message }) => messages.push(message) })
      assert.deepEqual(messages, ['half'])
    })

    test('a revoked credential fails at the next request', async (t) => {
      const { url, revoked } = await serve(t)
      const client = await connect(t, streamable(`${url}/mcp`, 'ada'), mode)
      await client.listTools()
      revoked.add('ada')
      await assert.rejects(client.callTool({ name: 'svc.mxx.echo' }))
    })
  })
}

test('a client that disconnects ends its call', async (t) => {
  const begun = Promise.withResolvers<AbortSignal>()
  const call: ToolEngine['call'] = ({ signal }) => {
    begun.resolve(signal!)
    return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
  }
  const faults: unknown[] = []
  const { url } = await serve(t, { onFault: (fault) => faults.push(fault) }, call)
  const leaving = new AbortController()
  const response = post(`${url}/mcp`, callOf('svc.mxx.echo'), {}, leaving.signal)
  const signal = await begun.promise
  leaving.abort()
  await assert.rejects(response)
  await t.waitFor(() => assert.ok(signal.aborted), patience)
  assert.deepEqual(faults, [])
})

suite('the older SSE transport', () => {
  test('lists, calls, reports progress, and cancels', async (t) => {
    const begun = Promise.withResolvers<AbortSignal>()
    const heard = Promise.withResolvers<void>()
    const call: ToolEngine['call'] = async ({ operation, input, onProgress, signal }) => {
      if (operation === 'other') {
        begun.resolve(signal!)
        return await new Promise((_, reject) =>
          signal!.addEventListener('abort', () => reject(signal!.reason)),
        )
      }
      onProgress?.({ message: 'half' })
      await heard.promise
      return { ok: true, output: { input }, metadata: {} }
    }
    const { url } = await serve(t, {}, call)
    const client = await connect(t, older(`${url}/sse`, 'ada'))
    assert.equal((await client.listTools()).tools.length, 3)
    const messages: unknown[] = []
    const onprogress = ({ message }: { message?: string }) => {
      messages.push(message)
      heard.resolve()
    }
    const result = await client.callTool({ name: 'svc.mxx.echo', arguments: { a: 1 } }, { onprogress })
    assert.deepEqual([result.structuredContent, messages], [{ input: { a: 1 } }, ['half']])
    const leaving = new AbortController()
    const waiting = client.callTool({ name: 'svc.mxx.other' }, { signal: leaving.signal })
    const signal = await begun.promise
    leaving.abort()
    await assert.rejects(waiting)
    await t.waitFor(() => assert.ok(signal.aborted), patience)
  })

  test('a session belongs to its caller alone, and every message is authenticated', async (t) => {
    const { url, revoked } = await serve(t)
    const stream = await openStream(url, 'ada')
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    assert.equal(
      (await post(new URL(stream.endpoint, `${url}/sse`).href, ping, { authorization: 'Bearer ada' })).status,
      202,
    )
    await t.waitFor(() => assert.match(stream.text(), /"id":1/), patience)
    const foreign = await post(new URL(stream.endpoint, `${url}/sse`).href, ping, {
      authorization: 'Bearer eve',
    })
    const unknown = await post(`${url}/messages?session_id=nonsense`, ping, { authorization: 'Bearer eve' })
    assert.equal(foreign.status, 404)
    assert.equal(await foreign.text(), await unknown.text())
    const batch = await post(new URL(stream.endpoint, `${url}/sse`).href, [ping], {
      authorization: 'Bearer ada',
    })
    assert.equal(batch.status, 400)
    revoked.add('ada')
    assert.equal(
      (await post(new URL(stream.endpoint, `${url}/sse`).href, ping, { authorization: 'Bearer ada' })).status,
      401,
    )
    stream.close()
  })

  test('sessions are bounded per caller and in total, end when idle, and free slots are reused', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const limits = {
      sessions_max: 3,
      sessions_per_caller_max: 2,
      session_idle_ms_max: 1_000,
      heartbeat_ms: 400,
    }
    const { url } = await serve(t, limits)
    const open = async (caller: string) => (await openStream(url, caller)).status
    const first = await openStream(url, 'ada')
    assert.deepEqual([await open('ada'), await open('ada')], [200, 429])
    assert.deepEqual([await open('eve'), await open('eve')], [200, 503])
    t.mock.timers.tick(400)
    await first.read(/: still here/)
    t.mock.timers.tick(700)
    await first.ended
    assert.equal(await open('eve'), 200)
  })

  test('closing the server ends every stream', async (t) => {
    const mcp = createMcpHttp({ admit: async () => ({ ok: true, engine: engineFor('x'), caller: 'x' }) })
    const server = createServer((req, res) => void mcp.handle(req, res))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const stream = await openStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'x')
    await mcp.close()
    await stream.ended
  })
})

suite('who is turned away', () => {
  test('a foreign host, and an unknown web page', async (t) => {
    const { url } = await serve(t, { origins: ['chat.example'] })
    assert.equal((await raw(url, { host: 'evil.example' })).status, 403)
    assert.equal((await raw(url, { origin: 'https://evil.example' })).status, 403)
    assert.equal((await raw(url, { origin: 'null' })).status, 403)
    const allowed = await raw(url, { origin: 'https://chat.example', host: 'localhost:1' })
    assert.equal(allowed.status, 200)
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://chat.example')
    const preflight = await raw(url, { origin: 'https://chat.example', authorization: undefined }, 'OPTIONS')
    assert.equal(preflight.status, 204)
    assert.equal((await raw(url, { origin: 'http://localhost:3000' })).status, 403)
  })

  test('an unknown caller, and an unknown path', async (t) => {
    const { url } = await serve(t)
    const stranger = await fetch(`${url}/mcp`, { method: 'POST' })
    assert.deepEqual([stranger.status, stranger.headers.get('www-authenticate')], [401, 'Bearer'])
    assert.equal((await fetch(`${url}/sse`)).status, 401)
    for (const path of ['/', '/mcp/', '/MCP', '//mcp', '/..%2fmcp']) {
      const answer = await post(`${url}${path}`, {})
      assert.equal(answer.status, 404, path)
      assert.equal(((await answer.json()) as { jsonrpc: string }).jsonrpc, '2.0')
    }
  })

  test('bodies that are too large, not JSON, or not of their declared type', async (t) => {
    const { url } = await serve(t)
    const large = await post(`${url}/mcp`, { x: 'a'.repeat(8 << 20) })
    assert.deepEqual([large.status, ((await large.json()) as RpcBody).error.code], [413, -32000])
    assert.equal((await post(`${url}/mcp`, undefined, {}, undefined, '{"a":')).status, 400)
    assert.equal((await post(`${url}/mcp`, undefined, {}, undefined, '')).status, 400)
    assert.equal((await post(`${url}/mcp`, {}, { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await post(`${url}/mcp?compact=maybe`, {})).status, 400)
    assert.equal((await post(`${url}/mcp?tools_max=1`, {})).status, 400)
    assert.equal((await fetch(`${url}/mcp`, { headers: { authorization: 'Bearer ada' } })).status, 405)
    assert.equal((await post(`${url}/sse`, {})).status, 405)
  })

  test('a chunked body is not buffered past the limit', async (t) => {
    const { url } = await serve(t)
    const piece = new Uint8Array(1 << 20).fill(32)
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        if (sent++ < 64) controller.enqueue(piece)
        else controller.close()
      },
    })
    const headers = { authorization: 'Bearer ada', 'content-type': 'application/json' }
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body, duplex: 'half' }).catch(
      () => undefined,
    )
    assert.ok(answer === undefined || answer.status === 413)
    assert.ok(sent < 64, `${sent} pieces were taken`)
  })

  test('a caller at its limit of concurrent calls', async (t) => {
    const pending: (() => void)[] = []
    const call: ToolEngine['call'] = () =>
      new Promise((resolve) => pending.push(() => resolve({ ok: true, output: {}, metadata: {} })))
    const { url } = await serve(t, { calls_max: 2 }, call)
    const ask = async () => (await post(`${url}/mcp`, callOf('svc.mxx.echo'))).text()
    const running = [ask(), ask()]
    await t.waitFor(() => assert.equal(pending.length, 2), patience)
    assert.match(await ask(), /rate_limited/)
    for (const answer of pending) answer()
    await Promise.all(running)
  })
})

interface RpcBody {
  error: { code: number }
}

function callOf(name: string): object {
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: {} } }
}

function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
  text = JSON.stringify(body),
): Promise<Response> {
  const sent = {
    authorization: 'Bearer ada',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  return fetch(url, { method: 'POST', headers: sent, body: text, ...(signal ? { signal } : {}) })
}

/** With headers that fetch would not send. */
function raw(url: string, headers: Record<string, string | undefined>, method = 'POST') {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const all_headers = {
    authorization: 'Bearer ada',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  const sent = Object.entries(all_headers).filter(([, value]) => value !== undefined) as [string, string][]
  return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const asking = request(`${url}/mcp`, { method, headers: Object.fromEntries(sent) }, (res) => {
      res.resume().on('end', () => resolve({ status: res.statusCode!, headers: res.headers }))
    })
    asking.on('error', reject).end(method === 'POST' ? body : undefined)
  })
}

async function openStream(url: string, caller: string) {
  const answer = await fetch(`${url}/sse`, { headers: { authorization: `Bearer ${caller}` } })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const is_matched = Promise.withResolvers<void>()
  let awaited = /^$/
  const ended = (async () => {
    while (true) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      text += value ?? ''
      if (awaited.test(text)) is_matched.resolve()
      if (done) return
    }
  })()
  const read = async (pattern: RegExp) => {
    awaited = pattern
    if (!pattern.test(text)) await is_matched.promise
  }
  const { status } = answer
  if (status === 200) await readEndpoint()
  return {
    status,
    ended,
    read,
    text: () => text,
    close: () => void reader.cancel(),
    endpoint: endpointOf(text),
  }

  async function readEndpoint() {
    while (!text.includes('\n\n')) await new Promise((resolve) => setImmediate(resolve))
  }
}

function endpointOf(text: string): string {
  return /data: (\S+)/.exec(text)?.[1] ?? ''
}
