// Failures on the way, over real connections to a scripted server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { type Client, createClient } from './client.ts'
import type { SvcError } from './errors.ts'

const answer = JSON.stringify({ output: { seq: 1 }, metadata: { correlation_id: 'c' } })
const sse = { 'content-type': 'text/event-stream' }
const write = ['MAX', 'audit_log_entry', { event_type: 'custom.x', meta: {} }] as const

let handle: (req: IncomingMessage, res: ServerResponse) => void
let requests = 0
const server = createServer((req, res) => {
  requests++
  handle(req, res)
})
let apiUrl: string

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  requests = 0
})
after(() => {
  server.closeAllConnections()
  server.close()
})

function newClient(more: object = {}) {
  const sleep = async () => undefined
  return createClient({ apiUrl, apiKey: 'svc_secret', agentDid: 'did:oas:dev:agent:1', sleep, ...more })
}

async function failure(work: Promise<unknown>): Promise<SvcError> {
  return (await work.then(
    () => assert.fail('it was answered'),
    (error) => error,
  )) as SvcError
}

/** Sends the headers and half an answer, then waits. */
function half(res: ServerResponse, headers: Record<string, string> = {}): void {
  res.writeHead(200, { 'content-type': 'application/json', ...headers })
  res.write(answer.slice(0, 10))
}

const places = ['head', 'body'] as const

/** Stalls at the headers or within the body; `then` runs when the client waits there. */
function stalling(at: (typeof places)[number], then: () => void): { client: Client; gone: Promise<unknown> } {
  const { promise: gone, resolve } = Promise.withResolvers<void>()
  handle = (_req, res) => {
    res.once('close', () => resolve())
    if (at === 'body') half(res)
    else setImmediate(then)
  }
  const fetch: typeof globalThis.fetch = async (...args) => {
    const response = await globalThis.fetch(...args)
    setImmediate(then)
    return response
  }
  return { client: newClient({ fetch }), gone }
}

test('the timeout covers the whole attempt: before the headers, and during the body', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const at of places) {
    const { client, gone } = stalling(at, () => t.mock.timers.tick(30_000))
    const error = await failure(client.max.audit_query({}))
    assert.deepEqual([error.code, error.reason, error.retryable], ['timeout', 'client timeout', true])
    assert.match(error.message, /did not answer within 30000 ms/)
    await gone
  }
  // A late answer is not requested again.
  assert.equal(requests, 2)
})

test('an abort throws its own reason: before, while waiting, and in the body', async () => {
  const reason = new Error('I have to go')
  assert.equal(await failure(newClient().max.audit_query({}, { signal: AbortSignal.abort(reason) })), reason)
  assert.equal(requests, 0)
  for (const at of places) {
    const leaving = new AbortController()
    const { client, gone } = stalling(at, () => leaving.abort(reason))
    assert.equal(await failure(client.max.audit_query({}, { signal: leaving.signal })), reason)
    await gone
  }
  assert.equal(requests, 2)
})

test('a broken connection is retried three times, for reads only', async () => {
  handle = (req) => req.socket.destroy()
  const error = await failure(newClient().max.audit_query({}))
  assert.deepEqual([error.code, error.reason, error.retryable], ['network', 'unreachable', true])
  assert.equal(requests, 4)
  handle = (_req, res) => {
    half(res)
    setImmediate(() => res.destroy())
  }
  const cut = await failure(newClient().max.audit_query({}))
  assert.deepEqual([cut.code, cut.reason, requests], ['network', 'connection lost', 8])
  assert.equal((await failure(newClient().max.audit_query({}, { retry: false }))).code, 'network')
  assert.equal(requests, 9)
})

test('a write is sent once, and its error says the outcome is unknown, unless a key or a refused connection settles it', async () => {
  handle = (req) => req.socket.destroy()
  const doubtful = await failure(newClient().dispatch(...write))
  assert.deepEqual([doubtful.code, doubtful.retryable, requests], ['network', false, 1])
  assert.match(doubtful.message, /It may have been executed/)
  const keyed = await failure(newClient().dispatch(...write, { idempotencyKey: 'k' }))
  assert.deepEqual([keyed.retryable, keyed.message.includes('may have')], [true, false])
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  const refused = await failure(newClient({ apiUrl: `http://127.0.0.1:${port}` }).dispatch(...write))
  assert.deepEqual([refused.retryable, refused.message.includes('(ECONNREFUSED)')], [true, true])
})

test('a page, an empty body and foreign JSON are not answers, with any status', async () => {
  const bodies = ['<html>welcome</html>', '', '[]', '{"ok":true}', '{"output":1}', 'null']
  for (const [status, text] of [200, 403, 502].flatMap((s) => bodies.map((b) => [s, b] as const))) {
    handle = (_req, res) => res.writeHead(status).end(text)
    const error = await failure(newClient().max.audit_query({}))
    assert.equal(error.code, 'bad_answer', `${status} ${text}`)
    assert.ok(error.message.startsWith(apiUrl), error.message)
    for (const work of [newClient().whoami(), newClient().dryRun(...write), drain(newClient())])
      assert.equal((await failure(work)).code, 'bad_answer', `${status} ${text}`)
  }
})

async function drain(client: ReturnType<typeof newClient>, options: object = {}): Promise<string[]> {
  const event_names: string[] = []
  for await (const { event } of client.stream('MAX', 'audit_query', {}, options)) event_names.push(event)
  return event_names
}

test('a redirect is not followed, because it would leak the key', async () => {
  handle = (_req, res) => res.writeHead(307, { location: 'http://elsewhere.example/' }).end()
  const error = await failure(newClient().max.audit_query({}))
  assert.deepEqual(
    [error.code, error.details.location, requests],
    ['bad_answer', 'http://elsewhere.example/', 1],
  )
})

test('a stream that is cut, or ends without its result, fails; it is not restarted', async () => {
  const endings = [(res: ServerResponse) => res.destroy(), (res: ServerResponse) => res.end()]
  for (const end of endings) {
    handle = (_req, res) => {
      res.writeHead(200, sse).write('event: progress\ndata: {"message":"begun"}\n\n')
      setImmediate(() => end(res))
    }
    const error = await failure(drain(newClient()))
    assert.deepEqual([error.code, error.reason], ['network', 'connection lost'])
  }
  handle = (_req, res) => res.writeHead(200, sse).end('event: result\ndata: {"outp\n\n')
  assert.equal((await failure(drain(newClient()))).code, 'bad_answer')
  assert.equal(requests, 3)
})

test('a stream is ended by its signal, or by no longer reading, and the service is notified', async () => {
  for (const by of ['signal', 'break']) {
    let gone: Promise<unknown> | undefined
    handle = (_req, res) => {
      gone = once(res, 'close')
      res.writeHead(200, sse).write('event: progress\ndata: {}\n\n')
    }
    const leaving = new AbortController()
    const reading = async () => {
      for await (const _ of newClient().stream(...write, { signal: leaving.signal })) {
        if (by === 'break') break
        leaving.abort(new Error('enough'))
      }
    }
    if (by === 'break') await reading()
    else await assert.rejects(reading, { message: 'enough' })
    await gone
  }
})

test('unknown events are ignored, an error is thrown, and a plain answer is the result', async () => {
  const refusal = { code: 'policy_denied', message: 'no', reason: 'because', stage: 7 }
  handle = (_req, res) =>
    res
      .writeHead(200, { ...sse, 'x-correlation-id': 'c' })
      .end(`event: new\ndata: 1\n\nevent: error\ndata: ${JSON.stringify({ error: refusal })}\n\n`)
  const error = await failure(drain(newClient()))
  assert.deepEqual(
    [error.code, error.reason, error.stage, error.correlation_id],
    ['policy_denied', 'because', 7, 'c'],
  )
  handle = (_req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  assert.deepEqual(await drain(newClient()), ['result'])
})

test('a stream may exceed the timeout as long as events arrive', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let push!: (text: string) => void
  const body = new ReadableStream({
    start: (controller) => {
      push = (text) => controller.enqueue(new TextEncoder().encode(text))
    },
  })
  const fetch = async (_: unknown, { signal }: RequestInit = {}) => {
    const ended = new Promise<never>((_resolve, reject) =>
      signal!.addEventListener('abort', () => reject(signal!.reason)),
    )
    ended.catch(() => undefined)
    const reader = body.getReader()
    const pull = async (controller: ReadableStreamDefaultController) =>
      controller.enqueue((await Promise.race([reader.read(), ended])).value)
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: sse })
  }
  const events = newClient({ fetch, timeoutMs: 1_000 }).stream(...write)
  for (let sent = 0; sent < 4; sent++) {
    const next = events.next()
    await turn()
    t.mock.timers.tick(900)
    push('event: progress\ndata: {}\n\n')
    assert.equal((await next).value?.event, 'progress')
    // However long the reader takes.
    t.mock.timers.tick(5_000)
  }
  const next = failure(events.next())
  await turn()
  t.mock.timers.tick(1_000)
  assert.equal((await next).code, 'timeout')
})

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('an invalid header is named without its value, and nothing is sent', async () => {
  for (const options of [{ idempotencyKey: 'sécret' }, { traceparent: 'secret\n' }]) {
    const error = await failure(newClient().max.audit_query({}, options))
    assert.equal(error.code, 'invalid_request')
    assert.ok(!/s.cret/.test(error.message), error.message)
  }
  assert.equal((await failure(newClient({ headers: { 'a b': 'x' } }).whoami())).code, 'invalid_request')
  assert.equal(requests, 0)
})

test('no error shows the key, however it is printed', async () => {
  handle = (req) => req.socket.destroy()
  const { inspect } = await import('node:util')
  const error = await failure(newClient().dispatch(...write))
  assert.ok(!inspect(error, { depth: null, showHidden: true }).includes('svc_secret'))
  assert.ok(!inspect(newClient(), { depth: null, showHidden: true, showProxy: true }).includes('svc_secret'))
})
