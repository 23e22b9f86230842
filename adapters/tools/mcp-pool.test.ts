import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { ToolServer } from '@svc/contract/foreign/tools'
import type { Refusal } from '@svc/contract/refusal'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { McpPool } from './mcp-pool.ts'

const clock = manualClock('2026-11-18T10:00:00.000Z')
const signal = new AbortController().signal
const wait = { timeout_ms: 120_000, signal }
/** The requests the server got, by session and method. */
const requests: {
  readonly session: string
  readonly method: string
  readonly headers: IncomingMessage['headers']
}[] = []
const hanging: ServerResponse[] = []
let sessions = 0
let http: Server
let host: string
let pool: McpPool

const answers: Readonly<Record<string, (params: { name?: string }) => unknown>> = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'tiny', version: '1' },
  }),
  'tools/list': () => ({
    tools: [
      { name: 'say', inputSchema: { type: 'object' } },
      { name: 'bad name', inputSchema: { type: 'object' } },
    ],
  }),
  'tools/call': ({ name }) => ({
    content: [{ type: 'text', text: name === 'huge' ? 'x'.repeat(5_000_000) : 'said' }],
  }),
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { headers, url = '' } = request
  if (url.startsWith('/away')) return void response.writeHead(307, { location: 'http://192.0.2.1/mcp' }).end()
  if (url.startsWith('/odd')) return void response.writeHead(999).end()
  if (request.method !== 'POST') {
    requests.push({ session: String(headers['mcp-session-id']), method: request.method!, headers })
    return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
  }
  const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString())
  const session = String(headers['mcp-session-id'] ?? `session-${++sessions}`)
  requests.push({ session, method, headers })
  if (id === undefined) return void response.writeHead(202).end()
  if (params.name === 'hang') return void hanging.push(response)
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]!(params) }))
}

before(async () => {
  http = createServer(serve).listen(0, '127.0.0.1')
  await once(http, 'listening')
  host = `127.0.0.1:${(http.address() as AddressInfo).port}`
  const settings = {
    commands: new Map(),
    tool_hosts: [host, `localhost:${host.split(':')[1]}`],
    tool_secrets: new Map([
      ['token', { headers: { authorization: 'Bearer secret' }, hosts: [host], tenants: ['acme'] }],
    ]),
  }
  pool = new McpPool({ ...settings, allowed_networks: ['127.0.0.1/32'] }, clock)
})
after(async () => {
  for (const response of hanging) response.destroy()
  await pool.close()
  http.closeAllConnections()
  http.close()
})

const server = (id: string, other: Partial<ToolServer> = {}): ToolServer => ({
  tenant_id: 'acme',
  id,
  transport: 'http',
  url: `http://${host}/mcp`,
  ...other,
})
const call = (one: ToolServer, name = 'say', other = {}) =>
  pool.call(one, { name, arguments: {}, ...wait, ...other })
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it was answered'),
    (error: Refusal) => error,
  )
const count = (method: string) => requests.filter((one) => one.method === method).length

test('a list is read once a minute, and invalid names are left out', async () => {
  const one = server('one')
  const [first] = await Promise.all([pool.list(one, wait), pool.list(one, wait)])
  assert.deepEqual(first, [{ name: 'say', description: '', inputSchema: { type: 'object' } }])
  assert.equal(count('tools/list'), 1)
  clock.advance(59_000)
  await pool.list(one, wait)
  assert.equal(count('tools/list'), 1)
  clock.advance(2_000)
  await pool.list(one, wait)
  await pool.list(one, { ...wait, is_fresh: true })
  assert.equal(count('tools/list'), 3)
})

test('a secret is sent only for tenants that may name it, and never returned', async () => {
  const named = server('named', { headers_secret_ref: 'token' })
  await call(named)
  assert.equal(requests.at(-1)!.headers.authorization, 'Bearer secret')
  await call(server('one'))
  assert.equal(requests.at(-1)!.headers.authorization, undefined)
  const other = await refusalOf(call({ ...named, tenant_id: 'rival' }))
  assert.deepEqual([other.code, other.details.reason], ['policy_denied', 'secret not allowed'])
})

test('one connection serves a limited number of calls, and the rest are refused', async () => {
  const busy = server('busy')
  const leaving = new AbortController()
  const calls = Array.from({ length: 16 }, () => refusalOf(call(busy, 'hang', { signal: leaving.signal })))
  await eventually(() => assert.equal(hanging.length, 16))
  const seventeenth = await refusalOf(call(busy))
  assert.deepEqual([seventeenth.code, seventeenth.details.performed], ['no_endpoint_available', 'no'])
  leaving.abort()
  for (const refusal of await Promise.all(calls))
    assert.deepEqual([refusal.code, refusal.details.performed], ['timeout', 'unknown'])
  await eventually(() => assert.equal(count('notifications/cancelled'), 16))
  assert.equal((await call(busy)).content[0]!.text, 'said')
})

test("a tenant's connections are limited; the least recently used one makes room, and is closed cleanly", async () => {
  for (let n = 0; n < 9; n++) {
    clock.advance(10)
    await call(server(`many-${n}`))
  }
  await eventually(() => assert.ok(count('DELETE') >= 4))
  const before_again = count('initialize')
  await call(server('many-8'))
  assert.equal(count('initialize'), before_again)
  await call(server('many-0'))
  assert.equal(count('initialize'), before_again + 1)
  assert.equal((await call({ ...server('many-0'), tenant_id: 'rival' })).content[0]!.text, 'said')
})

test('endless and invalid answers, other origins and internal addresses are not followed', async (t) => {
  const huge = await refusalOf(call(server('huge'), 'huge'))
  assert.deepEqual([huge.code, huge.details.performed], ['adapter_error', 'unknown'])
  const away = await refusalOf(call(server('away', { url: `http://${host}/away` })))
  assert.deepEqual([away.code, away.details.performed], ['adapter_error', 'no'])
  const odd = await refusalOf(call(server('odd', { url: `http://${host}/odd` })))
  assert.deepEqual([odd.code, odd.details.performed], ['adapter_error', 'no'])
  // The name is allowed, but one of its addresses is not.
  const inside = new McpPool(
    { commands: new Map(), tool_hosts: ['localhost'], tool_secrets: new Map(), allowed_networks: [] },
    clock,
  )
  t.after(() => inside.close())
  const local = server('x', { url: 'http://localhost/mcp' })
  // A rule that says no is no failure of the server: it does not open the breaker.
  for (let times = 0; times < 4; times++) {
    const { code, details } = await refusalOf(inside.call(local, { name: 'say', arguments: {}, ...wait }))
    assert.deepEqual(
      [code, details.reason, details.performed],
      ['policy_denied', 'address not allowed', 'no'],
    )
  }
  await inside.close()
  const closed = await refusalOf(inside.call(server('x'), { name: 'say', arguments: {}, ...wait }))
  assert.equal(closed.details.reason, 'engine is stopping')
})
