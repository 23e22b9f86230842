import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { protocols, refusals } from '../../generated/sdk-operations.ts'
import { createClient } from './client.ts'
import type { Wire } from './send.ts'

const metadata = { correlation_id: 'c' }

interface Sent {
  readonly url: string
  readonly headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

/** A client with scripted answers, the last one repeated; records requests and waits. */
function clientOf(answers: readonly (() => Response)[], more: object = {}) {
  const sent: Sent[] = []
  const waited: number[] = []
  const fetch: Wire['fetch'] = async (url, init) => {
    const headers = init!.headers as Record<string, string>
    sent.push({ url: String(url), headers, body: init!.body ? JSON.parse(init!.body as string) : undefined })
    return answers[Math.min(sent.length, answers.length) - 1]!()
  }
  const sleep = async (wait_ms: number) => void waited.push(wait_ms)
  const settings = {
    apiUrl: 'http://engine',
    apiKey: 'key',
    agentDid: 'did:oas:dev:agent:1',
    tenantId: 'dev',
  }
  return { client: createClient({ ...settings, fetch, sleep, ...more }), sent, waited }
}

const ok = (output: unknown = {}, headers: Record<string, string> = {}) => {
  return () => Response.json({ output, metadata }, { headers })
}
function refusing(code: keyof typeof refusals, headers: Record<string, string> = {}): () => Response {
  const { status } = refusals[code]
  return () => Response.json({ error: { code, message: code } }, { status, headers })
}

test('a typed call sends the envelope with the catalogue’s version and returns only the output', async () => {
  const { client, sent } = clientOf([ok({ records: [] })])
  assert.deepEqual(await client.max.audit_query({ limit: 1 }), { records: [] })
  assert.deepEqual(sent[0], {
    url: 'http://engine/v1/dispatch',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer key',
      'x-agent-did': 'did:oas:dev:agent:1',
    },
    body: {
      protocol: 'MAX',
      version: protocols.MAX.version,
      operation: 'audit_query',
      input: { limit: 1 },
      tenant_id: 'dev',
    },
  })
})

test('every option is sent as the wire expects, and the answer’s headers are returned', async () => {
  const limits = { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '8', 'x-ratelimit-reset': '1' }
  const { client, sent } = clientOf([ok({}, { traceparent: 'back', ...limits })], {
    headers: { 'X-SVC-Origin': 'mcp', Authorization: 'another' },
  })
  const { headers } = await client.dispatch('Plugin', 'do', 1, {
    idempotencyKey: 'k',
    traceparent: 't',
    tracestate: 's',
    waitForAudit: true,
    version: 'v3',
    tenantId: 'other',
  })
  assert.deepEqual(headers.rate_limit, { limit: 9, remaining: 8, reset_s: 1 })
  assert.equal(headers.traceparent, 'back')
  const { authorization, 'idempotency-key': key, traceparent, tracestate, prefer } = sent[0]!.headers
  assert.deepEqual(
    [authorization, key, traceparent, tracestate, prefer],
    ['Bearer key', 'k', 't', 's', 'wait=audit'],
  )
  assert.equal(sent[0]!.headers['x-svc-origin'], 'mcp')
  const envelope = { protocol: 'Plugin', version: 'v3', operation: 'do', input: 1, tenant_id: 'other' }
  assert.deepEqual(sent[0]!.body, envelope)
})

test('client options are defaults of every call', async () => {
  const { client, sent } = clientOf([ok()], { traceparent: () => 'of the span', retry: false })
  await client.max.audit_query({})
  await client.max.audit_query({}, { traceparent: 'own' })
  assert.deepEqual(
    sent.map(({ headers }) => headers.traceparent),
    ['of the span', 'own'],
  )
  const failing = clientOf([refusing('circuit_open'), ok()], { retry: false })
  await assert.rejects(failing.client.max.audit_query({}), { code: 'circuit_open' })
  await failing.client.max.audit_query({}, { retry: true })
})

test('reads are retried after rate limits, open circuits and network errors; a Retry-After header counts', async () => {
  const answers = [
    refusing('rate_limited', { 'retry-after': '2' }),
    refusing('circuit_open'),
    ok({ done: 1 }),
  ]
  const { client, waited } = clientOf(answers)
  assert.deepEqual(await client.max.audit_query({}), { done: 1 })
  assert.ok(waited[0]! >= 2_000 && waited[0]! <= 2_200)
  assert.equal(waited[1], 500)
})

test('no write is ever retried, of any operation in the catalogue, with or without a key', async () => {
  for (const [protocol, { operations }] of Object.entries(protocols)) {
    for (const [operation, effect] of Object.entries(operations)) {
      for (const options of [{}, { idempotencyKey: 'k' }]) {
        const { client, sent } = clientOf([refusing('circuit_open'), ok()])
        const work = client.dispatch(protocol as string, operation, {}, options)
        if (effect === 'read') await work
        else await assert.rejects(work, { code: 'circuit_open' })
        assert.equal(sent.length, effect === 'read' ? 2 : 1, `${protocol} ${operation}`)
      }
    }
  }
})

test('unknown protocols, operations and major versions, streams and dry runs are sent once', async () => {
  const cases = [
    ['PLUGIN', 'read', {}],
    ['MAX', 'constructor', {}],
    ['MAX', 'audit_query', { version: 'v2' }],
    ['MAX', 'audit_query', { version: 'latest' }],
  ] as const
  for (const [protocol, operation, options] of cases) {
    const { client, sent } = clientOf([refusing('rate_limited', { 'retry-after': '1' })])
    await assert.rejects(client.dispatch(protocol as string, operation, {}, options))
    assert.equal(sent.length, 1, `${protocol} ${operation}`)
  }
  const { client, sent } = clientOf([refusing('circuit_open')])
  await assert.rejects(client.stream('MAX', 'audit_query', {}).next(), { code: 'circuit_open' })
  await assert.rejects(client.dryRun('MAX', 'audit_query', {}), { code: 'circuit_open' })
  assert.equal(sent.length, 2)
  // Letter case and another version of the same major do not hide a read.
  const versioned = clientOf([refusing('circuit_open'), ok()])
  await versioned.client.dispatch('max', 'audit_query', {}, { version: 'v1' })
})

test('no other refusal is retried', async () => {
  for (const code of Object.keys(refusals) as (keyof typeof refusals)[]) {
    if (code === 'rate_limited' || code === 'circuit_open' || code === 'unavailable') continue
    const { client, sent } = clientOf([refusing(code, { 'retry-after': '1' }), ok()])
    await assert.rejects(client.max.audit_query({}), { code })
    assert.equal(sent.length, 1, code)
  }
})

test('a typing error gets a helpful message, and a client is not a promise', async () => {
  const { client, sent } = clientOf([ok()])
  // biome-ignore lint/suspicious/noExplicitAny: as JavaScript calls it
  const loose = client as any
  await assert.rejects(loose.max.audit_qery({}), {
    code: 'unknown_operation',
    message: 'This client knows no operation audit_qery of MAX; did you mean audit_query?',
  })
  await assert.rejects(loose.max.anything({}), /it has audit_log_entry, audit_query/)
  await assert.rejects(loose.motett.emit({}), /no protocol motett; did you mean motet\?/)
  await assert.rejects(loose.weather.forecast({}), /client\.dispatch\('WEATHER', 'forecast', input\)/)
  assert.equal(sent.length, 0)
  assert.equal(await client, client)
  assert.equal(await client.max, client.max)
  assert.ok(!('weather' in client) && 'max' in client)
  assert.deepEqual([loose.toJSON, loose.then, loose.max.toJSON, loose.nodeType], Array(4).fill(undefined))
  assert.match(inspect(client), /audit_query/)
  assert.match(JSON.stringify(client), /"max":\{\}/)
})

test('a value that is not JSON is refused before it is sent', async () => {
  const { client, sent } = clientOf([ok()])
  const loop: Record<string, unknown> = {}
  loop.loop = loop
  for (const input of [loop, { big: 1n }])
    await assert.rejects(client.dispatch('PLUGIN', 'do', input), { code: 'invalid_payload' })
  assert.equal(sent.length, 0)
})

test('a replaced platform fetch is used at once', async (t) => {
  const { client } = clientOf([], { fetch: undefined })
  t.mock.method(globalThis, 'fetch', async () => ok({ patched: true })())
  assert.deepEqual((await client.dispatch('PLUGIN', 'do', {})).output, { patched: true })
})

test('inputs and outputs are typed for known operations, and any others are allowed', async () => {
  const { client } = clientOf([ok({ records: [] })])
  const { output } = await client.dispatch('MAX', 'audit_query', { limit: 1 })
  const records: readonly { readonly seq: number }[] = output.records
  assert.deepEqual(records, [])
  // @ts-expect-error: a limit is a number
  await client.dispatch('MAX', 'audit_query', { limit: 'many' })
  // @ts-expect-error: there is no such operation
  await client.dispatch('MAX', 'audit_qery', {})
  // @ts-expect-error: its input is wrong here, too
  await client.max.audit_query({ limit: 'many' })
  const [protocol, operation]: string[] = ['MAX', 'audit_query']
  const any: unknown = (await client.dispatch(protocol!, operation!, { anything: 1 })).output
  assert.deepEqual(any, { records: [] })
  for await (const event of client.stream('MAX', 'audit_query', {}))
    if (event.event === 'result') assert.deepEqual(event.answer.output.records, [])
})
