import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import { test } from 'node:test'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { Refusal } from '@svc/contract/refusal'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type ExternalClient, externalClient } from './external-client.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
const context: InvokeContext = {
  correlation_id: '00000000-0000-4000-8000-000000000000',
  tenant_id: 'acme',
  agent_did: `did:oas:acme:agent:${'a'.repeat(64)}`,
  timestamp: '2026-11-15T10:00:00.000Z',
  trace_context: {
    traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
    tracestate: 'a=1',
  },
  metadata: {},
}

async function withService(
  answer: RequestListener,
  work: (client: ExternalClient) => Promise<void>,
  timeout_ms = 120_000,
): Promise<void> {
  const server: Server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  try {
    const url = `http://127.0.0.1:${port}`
    await work(externalClient({ protocol: 'TRY', url, timeout_ms, signer: undefined }, clock))
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function codeOf(client: ExternalClient, signal?: AbortSignal): Promise<string> {
  const thrown = await client.invoke('run', {}, context, signal).then(
    (value) => assert.fail(`answered ${JSON.stringify(value)}`),
    (error) => error,
  )
  assert.ok(thrown instanceof Refusal, String(thrown))
  return `${thrown.code}: ${thrown.details.reason}`
}

test('the request carries operation, payload and context, and the headers of the contract', async () => {
  let received: { headers: Record<string, unknown>; body: unknown } | undefined
  await withService(
    async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk)
      received = { headers: req.headers, body: JSON.parse(Buffer.concat(chunks).toString()) }
      res.end('{"data":{"done":true},"metadata":{}}')
    },
    async (client) => {
      assert.deepEqual(await client.invoke('run', { a: 1 }, context), { done: true })
    },
  )
  assert.deepEqual(received?.body, { operation: 'run', payload: { a: 1 }, ctx: context })
  const { headers } = received!
  assert.equal(headers['x-svc-protocol'], 'TRY')
  assert.equal(headers['x-svc-operation'], 'run')
  assert.equal(headers['x-svc-correlation-id'], context.correlation_id)
  assert.equal(headers.traceparent, context.trace_context?.traceparent)
  assert.equal(headers.tracestate, context.trace_context?.tracestate)
  assert.equal(headers.authorization, undefined)
})

test('any fault of a service is an adapter error, whatever its message', async () => {
  const hostile = JSON.stringify({
    error: { code: 'capability_denied', message: 'timeout missing capability' },
  })
  const wrongs: Record<string, [RequestListener, string]> = {
    'no JSON': [(_req, res) => res.end('<html>'), 'unreadable answer'],
    'no data': [(_req, res) => res.end('{}'), 'unreadable answer'],
    'a code that is not its own': [(_req, res) => res.writeHead(422).end(hostile), 'service failed'],
    'a failure': [(_req, res) => res.writeHead(500).end(hostile), 'service failed'],
    'a redirect': [
      (_req, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'service failed',
    ],
    'a cut connection': [(_req, res) => res.destroy(), 'unreachable'],
    // Where the cut is noticed depends on what arrived before it.
    'half an answer': [
      (req, res) => {
        req.resume()
        res.writeHead(200, { 'content-length': '100' }).write('{"data":', () => res.destroy())
      },
      '(unreadable answer|unreachable)',
    ],
    'more than anybody reads': [
      (_req, res) => void res.end(`{"data":"${'x'.repeat(7 * 1024 * 1024)}"}`),
      'unreadable answer',
    ],
  }
  for (const [name, [answer, reason]] of Object.entries(wrongs)) {
    await withService(answer, async (client) => {
      assert.match(await codeOf(client), new RegExp(`^adapter_error: ${reason}$`), name)
    })
  }
})

test('its own two refusals pass through, within bounds', async () => {
  const error = { code: 'policy_denied', message: 'n'.repeat(10_000), reason: 'not today' }
  await withService(
    (_req, res) => res.writeHead(422).end(JSON.stringify({ error })),
    async (client) => {
      assert.equal(await codeOf(client), 'policy_denied: not today')
      const refusal = await client.invoke('run', {}, context).catch((thrown: Refusal) => thrown)
      assert.equal((refusal as Refusal).message.length, 500)
    },
  )
})

test('a service that hangs is given up, before and after its first byte', async () => {
  const silent: RequestListener = () => {}
  const slow: RequestListener = (_req, res) => void res.writeHead(200).write('{"data":')
  for (const answer of [silent, slow]) {
    await withService(
      answer,
      async (client) => assert.equal(await codeOf(client), 'timeout: service too slow'),
      100,
    )
  }
})

test('a caller who leaves cancels the request', async () => {
  let closed: Promise<unknown> | undefined
  const leaving = new AbortController()
  await withService(
    (req) => {
      closed = new Promise((resolve) => req.once('close', resolve))
      leaving.abort(new Error('left'))
    },
    async (client) => {
      // Not a failure of the service: callers who hang up often must not open its circuit for everybody.
      assert.equal(await codeOf(client, leaving.signal), 'invalid_request: caller left')
      await closed
    },
  )
})

test('health is true only if the service says so', async () => {
  await withService(
    (_req, res) => res.writeHead(503).end(),
    async (client) => assert.equal(await client.isHealthy(), false),
  )
  const gone = externalClient(
    { protocol: 'TRY', url: 'http://127.0.0.1:1', timeout_ms: 1_000, signer: undefined },
    clock,
  )
  assert.equal(await gone.isHealthy(), false)
  assert.equal(await codeOf(gone), 'adapter_error: unreachable')
})
