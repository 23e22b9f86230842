import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ErrorBody } from '@svc/contract/dispatch'
import { refuse } from '@svc/contract/refusal'
import { Compile } from 'typebox/compile'
import { caller_headers, openTestEndpoint } from '../checks/engines/test-endpoint.ts'
import { askedOf, tryProtocol } from '../checks/rehearsal/test-ports.ts'
import { serveMetrics } from './metrics-server.ts'

const body = JSON.stringify(askedOf().request)
const isErrorBody = Compile(ErrorBody)

async function open(t: TestContext) {
  const echo = tryProtocol((input) => ({ ...input }))
  const opened = await openTestEndpoint([echo], {}, ['svc.try.*'], (app) => {
    app.get('/boom', () => Promise.reject(new Error('secret cause')))
    app.get('/no', () => Promise.reject(refuse('policy_denied', 'Not today.', { reason: 'closed' })))
    app.put('/echo', async (request) => request.body)
  })
  t.after(() => opened.close())
  return opened
}

/** Sends raw bytes and returns everything until the server closes. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}
const header_lines = Object.entries({ ...caller_headers, host: 'x' }).map(
  ([name, value]) => `${name}: ${value}`,
)
const post = (lines: string[], rest: string) =>
  ['POST /v1/dispatch HTTP/1.1', ...header_lines, ...lines, '', rest].join('\r\n')
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

test('ambiguous requests are refused', async (t) => {
  const { port, ports, operatorRecords } = await open(t)
  const smuggled = `POST /v1/dispatch HTTP/1.1\r\n${header_lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const both = ['content-length: 5', 'transfer-encoding: chunked']
  const attacks: Record<string, string> = {
    'length and chunks': post(both, `0\r\n\r\n${smuggled}`),
    'chunks and length': post(both.toReversed(), `${chunked}${smuggled}`),
    'two lengths': post([`content-length: ${body.length}`, 'content-length: 0'], `${body}${smuggled}`),
    'a list of lengths': post([`content-length: ${body.length}, 0`], `${body}${smuggled}`),
    'an odd encoding': post(['transfer-encoding: xchunked'], `${chunked}${smuggled}`),
    'an encoding under another': post(['transfer-encoding: chunked, identity'], `${chunked}${smuggled}`),
    'a space before the colon': post([`content-length : ${body.length}`], `${body}${smuggled}`),
    'a folded line': post(
      ['x-a: 1', ' x-agent-did: other', `content-length: ${body.length}`],
      `${body}${smuggled}`,
    ),
    'a bare line feed': post([`x-a: 1\nx-b: 2`, `content-length: ${body.length}`], `${body}${smuggled}`),
    'a bare carriage return': post(
      [`x-a: 1\rx-b: 2`, `content-length: ${body.length}`],
      `${body}${smuggled}`,
    ),
    'a NUL in a header': post([`x-a: 1\0`, `content-length: ${body.length}`], `${body}${smuggled}`),
    'a chunk size with a sign': post(['transfer-encoding: chunked'], `-1\r\n${body}\r\n0\r\n\r\n${smuggled}`),
    'no HTTP at all': '\x16\x03\x01\x02\x00\x01\x00',
  }
  for (const [name, bytes] of Object.entries(attacks)) {
    ports.clock.advance(1_000)
    const [served, recorded] = [ports.dispatched.length, operatorRecords().length]
    const answer = await sendRaw(port, bytes)
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, name)
    assert.match(answer, /\r\nconnection: close\r\n/i, name)
    assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1, `${name} was answered more than once`)
    assert.equal(ports.dispatched.length, served, `${name} was served`)
    assert.equal(operatorRecords().length, recorded + 1, `${name} has no record of its own`)
    assert.equal(operatorRecords().at(-1)?.meta.reason, 'malformed http', name)
    const error: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
    assert.ok(isErrorBody.Check(error), name)
    assert.equal(error.error.correlation_id, operatorRecords().at(-1)?.correlation_id)
  }
  const ordinary = await sendRaw(port, post(['transfer-encoding: chunked', 'connection: close'], chunked))
  assert.match(ordinary, /^HTTP\/1\.1 200 OK/, 'and it still serves')
})

test('headers above the limit are refused as such', async (t) => {
  const { port, ports, operatorRecords } = await open(t)
  const answer = await sendRaw(port, post([`x-a: ${'x'.repeat(20_000)}`, 'content-length: 0'], ''))
  assert.match(answer, /^HTTP\/1\.1 431 /)
  assert.deepEqual([operatorRecords().length, ports.dispatched.length], [1, 0])
})

test('a sender whose headers or body never end is refused and recorded', async (t) => {
  let server: Server | undefined
  const { port, ports, operatorRecords, close } = await openTestEndpoint([], {}, [], (app) => {
    server = app.server
  })
  t.after(close)
  const { headersTimeout, requestTimeout } = server!
  assert.deepEqual([headersTimeout, requestTimeout], [10_000, 30_000])
  const arrived = once(server!, 'connection')
  const answer = sendRaw(port, 'POST /v1/dispatch HTTP/1.1\r\nhost: x\r\nx-a')
  const [socket] = await arrived
  // As Node reports it when the time is over.
  server!.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  assert.match(await answer, /^HTTP\/1\.1 408 [\s\S]*"code":"invalid_request"/)
  assert.deepEqual([operatorRecords().length, ports.dispatched.length], [1, 0])
})

test('a repeated DID is refused, and nothing is done for either', async (t) => {
  const { port, ports } = await open(t)
  const twice = post(['x-agent-did: did:other', `content-length: ${body.length}`, 'connection: close'], body)
  assert.match(await sendRaw(port, twice), /^HTTP\/1\.1 400 [\s\S]*duplicate header/)
  assert.equal(ports.dispatched.length, 0)
})

test('requests on one connection are answered one by one, in order', async (t) => {
  const { port, ports } = await open(t)
  const one = (n: number, more: string[]) => {
    const text = JSON.stringify({ ...askedOf().request, input: { n } })
    return post([`content-length: ${text.length}`, ...more], text)
  }
  const answer = await sendRaw(port, one(1, []) + one(2, []) + one(3, ['connection: close']))
  assert.deepEqual(
    [...answer.matchAll(/"output":\{"n":(\d)\}/g)].map(([, n]) => n),
    ['1', '2', '3'],
  )
  assert.equal(ports.dispatched.length, 3)
})

test('every other route has the same envelope for its refusals, and hides the cause', async (t) => {
  const { url, ports } = await open(t)
  const table: [path: string, init: RequestInit, status: number, code: string][] = [
    ['/nowhere', {}, 404, 'not_found'],
    ['/v1/dispatch', {}, 404, 'not_found'],
    ['/v1/dispatch?x=1', { method: 'POST', body }, 404, 'not_found'],
    ['/boom', {}, 500, 'internal'],
    ['/no', {}, 422, 'policy_denied'],
    [
      '/echo',
      { method: 'PUT', body: '{', headers: { 'content-type': 'application/json' } },
      400,
      'invalid_request',
    ],
    [
      '/echo',
      { method: 'PUT', body: '{"__proto__":1}', headers: { 'content-type': 'application/json' } },
      400,
      'invalid_request',
    ],
    ['/echo', { method: 'PUT', body: 'x', headers: { 'content-type': 'text/xml' } }, 400, 'invalid_request'],
    [
      '/echo',
      { method: 'PUT', body: `"${'x'.repeat(70_000)}"`, headers: { 'content-type': 'application/json' } },
      413,
      'payload_too_large',
    ],
  ]
  for (const [path, init, status, code] of table) {
    const response = await fetch(url + path, init)
    const text = await response.text()
    const error: unknown = JSON.parse(text)
    assert.ok(isErrorBody.Check(error), `${path} ${text}`)
    assert.deepEqual([response.status, error.error.code, error.error.stage], [status, code, null], path)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.ok(!text.includes('secret cause'))
  }
  assert.ok(ports.logged.some(({ fields }) => (fields.err as Error | undefined)?.message === 'secret cause'))
})

test('closing waits for running answers', async (t) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: may_end, resolve: end } = Promise.withResolvers<void>()
  const opened = await openTestEndpoint([
    tryProtocol(async () => {
      begin()
      await may_end
      return { done: true }
    }),
  ])
  t.after(() => opened.close())
  const answering = opened.post(askedOf().request)
  await begun
  const closing = opened.close()
  end()
  assert.equal((await answering).status, 200)
  await closing
  await assert.rejects(opened.post(askedOf().request))
})

test('metrics have a separate listener with a single page', async (t) => {
  let fails = false
  const read = async () => {
    if (fails) throw new Error('secret cause')
    return { type: 'text/plain; version=0.0.4', text: 'svc_up 1\n' }
  }
  const metrics = await serveMetrics('127.0.0.1', 0, read)
  t.after(() => metrics.close())
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${metrics.port}${path}`, init)
  const response = await get('/metrics')
  assert.deepEqual(
    [response.status, response.headers.get('content-type'), await response.text()],
    [200, 'text/plain; version=0.0.4', 'svc_up 1\n'],
  )
  assert.equal((await get('/')).status, 404)
  assert.equal((await get('/metrics', { method: 'POST' })).status, 404)
  fails = true
  const failed = await get('/metrics')
  assert.deepEqual([failed.status, await failed.text()], [500, ''])
  await assert.rejects(serveMetrics('127.0.0.1', metrics.port, read), { code: 'EADDRINUSE' })
})
