import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Answer, ErrorBody } from '@svc/contract/dispatch'
import type { Protocol } from '@svc/contract/protocol'
import type { Ports } from '@svc/engine/ports'
import { Compile } from 'typebox/compile'
import { openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { askedOf, gist, test_did, tryProtocol } from '../../checks/rehearsal/test-ports.ts'

const request = askedOf().request
const echo = tryProtocol((input) => ({ ...input }))
const isErrorBody = Compile(ErrorBody)
const isAnswer = Compile(Answer)

async function open(t: TestContext, protocol: Protocol = echo, other: Partial<Ports> = {}) {
  const opened = await openTestEndpoint([protocol], other)
  t.after(() => opened.close())
  return opened
}
async function errorOf(response: Response) {
  const body = await response.json()
  assert.ok(isErrorBody.Check(body), JSON.stringify(body))
  return body.error
}

test('a dispatch is answered with its output, its record and its limits', async (t) => {
  const { post, records } = await open(t)
  const response = await post({ ...request, input: { b: 2, a: 'é' } })
  assert.equal(response.status, 200)
  const body = await response.json()
  assert.ok(isAnswer.Check(body), JSON.stringify(body))
  assert.deepEqual(body.output, { a: 'é', b: 2 })
  const [record, ...more] = records()
  assert.deepEqual([record?.id, more.length], [body.metadata.audit_record_id, 0])
  assert.equal(response.headers.get('x-correlation-id'), body.metadata.correlation_id)
  assert.deepEqual(
    ['limit', 'remaining', 'reset'].map((name) => response.headers.get(`x-ratelimit-${name}`)),
    ['500', '499', '1'],
  )
})

test('a refusal of the pipeline has its stage, its status and its one record', async (t) => {
  const { post, records } = await open(t)
  const response = await post({ ...request, protocol: 'TRI' })
  assert.equal(response.status, 404)
  const error = await errorOf(response)
  assert.deepEqual([error.code, error.stage], ['unknown_protocol', 1])
  assert.match(error.message, /Did you mean TRY\?/)
  assert.deepEqual(records().map(gist), ['Error refused unknown_protocol stage 1'])
  assert.equal(records()[0]?.correlation_id, error.correlation_id)
})

test("a refusal before the pipeline is recorded once, in the audit log of a known caller's tenant", async (t) => {
  const { post, records, operatorRecords, ports } = await open(t)
  const table: [
    body: unknown,
    headers: Record<string, string>,
    status: number,
    code: string,
    reason: string,
  ][] = [
    ['{', {}, 400, 'invalid_request', 'malformed body'],
    [{ ...request, extra: 1 }, {}, 400, 'invalid_request', 'envelope'],
    [{ ...request, tenant_id: undefined }, {}, 400, 'invalid_request', 'envelope'],
    [{ ...request, protocol: 'TRY\0' }, {}, 400, 'invalid_request', 'malformed body'],
    [[], {}, 400, 'invalid_request', 'envelope'],
    [request, { 'content-type': 'text/plain' }, 400, 'invalid_request', 'content type'],
    [request, { 'x-svc-dry-run': 'maybe' }, 400, 'invalid_request', 'dry run header'],
    [`"${'x'.repeat(8 * 1024 * 1024)}"`, {}, 413, 'payload_too_large', 'body too large'],
  ]
  for (const [body, headers, status, code, reason] of table) {
    const before = records().length
    const response = await post(body, headers)
    const error = await errorOf(response)
    assert.deepEqual([response.status, error.code, error.reason, error.stage], [status, code, reason, null])
    assert.equal(records().length, before + 1, reason)
    assert.deepEqual([records().at(-1)?.meta.code, records().at(-1)?.outcome], [code, 'refused'])
    assert.equal(records().at(-1)?.correlation_id, error.correlation_id)
  }
  assert.equal(operatorRecords().length, 0)
  assert.equal(ports.dispatched.length, 0)
})

test("an unknown caller is refused before its body is read, and recorded in the operator's audit log", async (t) => {
  const { post, records, operatorRecords } = await open(t)
  const table: [headers: Record<string, string>, reason: string][] = [
    [{ authorization: '' }, 'malformed credential'],
    [{ authorization: 'Bearer svc_live_zzzzzzzz_' + 'x'.repeat(43) }, 'unknown key'],
  ]
  const supplied = { claimed_did: test_did, method: 'POST', path: '/v1/dispatch' }
  for (const [headers, reason] of table) {
    const response = await post('{', headers)
    assert.equal(response.status, 401)
    assert.equal((await errorOf(response)).reason, reason)
    const record = operatorRecords().at(-1)!
    assert.equal(gist(record), 'SecurityViolation refused unauthenticated stage -')
    assert.deepEqual(
      [record.caller_did, record.meta.source, record.meta.supplied],
      ['unauthenticated', '127.0.0.1', supplied],
    )
  }
  assert.deepEqual([operatorRecords().length, records().length], [table.length, 0])
})

test("a key with a wrong DID is recorded in the log of the key's tenant", async (t) => {
  const { post, records, operatorRecords } = await open(t)
  const other = `did:oas:rival:agent:${'b'.repeat(64)}`
  for (const [claimed, expected] of [
    [other, other],
    ['not a did', undefined],
  ] as const) {
    const response = await post('{', { 'x-agent-did': claimed })
    const { reason, correlation_id } = await errorOf(response)
    assert.deepEqual([response.status, reason], [401, 'agent did mismatch'])
    const record = records().at(-1)!
    assert.equal(gist(record), 'SecurityViolation refused unauthenticated stage -')
    assert.deepEqual(
      [record.correlation_id, record.caller_did, record.meta.credential, record.meta.source],
      [correlation_id, test_did, 'abcdefgh', undefined],
    )
    assert.equal((record.meta.supplied as { claimed_did?: string }).claimed_did, expected)
  }
  assert.deepEqual([operatorRecords().length, records().length], [0, 2])
})

test('500 requests without a credential are one record at once and one count, which add up to 500', async (t) => {
  const { url, ports, dispatch_endpoint, operatorRecords } = await open(t)
  const ids = new Set<string>()
  for (let sent = 0; sent < 500; sent += 50) {
    const answers = Array.from({ length: 50 }, () => fetch(`${url}/v1/dispatch`, { method: 'POST' }))
    for (const answer of await Promise.all(answers)) {
      assert.equal(answer.status, 401)
      ids.add((await errorOf(answer)).correlation_id)
    }
  }
  assert.equal(operatorRecords().length, 1)
  ports.clock.advance(1_000)
  dispatch_endpoint.sums.settle()
  assert.deepEqual(
    operatorRecords().map(({ meta }) => [meta.reason, meta.source, meta.count]),
    [
      ['no credential', '127.0.0.1', undefined],
      ['no credential', '127.0.0.1', 499],
    ],
  )
  const recorded = new Set(operatorRecords().map(({ correlation_id }) => correlation_id))
  assert.deepEqual(ids, recorded, 'every id that was answered leads to a record')
  assert.equal(ids.size, 1)
})

test('a flood of unknown operations empties the bucket and is counted, to the last one', async (t) => {
  const { post, records, ports, dispatch_endpoint } = await open(t)
  const capacity = 500
  const sent = capacity + 100
  const statuses = new Map<number, number>()
  for (let at = 0; at < sent; at += 50) {
    const names = Array.from({ length: 50 }, (_, n) => `no_such_${at + n}`)
    const answers = await Promise.all(names.map((operation) => post({ ...request, operation })))
    for (const answer of answers) {
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      await answer.arrayBuffer()
    }
  }
  assert.deepEqual(Object.fromEntries(statuses), { 404: capacity, 429: sent - capacity })
  ports.clock.advance(1_000)
  dispatch_endpoint.sums.settle()
  const counts = Map.groupBy(records(), ({ meta }) => String(meta.code))
  const sumOf = (code: string) =>
    counts.get(code)?.reduce((sum, { meta }) => sum + Number(meta.count ?? 1), 0)
  assert.deepEqual([sumOf('unknown_operation'), sumOf('rate_limited')], [capacity, sent - capacity])
  assert.equal(records().length, 13, 'ten one by one, the first of the other kind, and two counts')
})

test('identity claims in an invoke_context are ignored', async (t) => {
  const outcomes: unknown[] = []
  const { post, records } = await open(
    t,
    tryProtocol((_input, context) => {
      outcomes.push([context.caller.did, context.caller.auth_method, context.invoke.metadata])
      return {}
    }),
  )
  const admin = { did: `did:oas:acme:agent:${'f'.repeat(64)}`, auth_method: 'local-admin' }
  const invoke_context = {
    agent_did: admin.did,
    tenant_id: 'globex',
    correlation_id: '33333333-3333-4333-8333-333333333333',
    metadata: { caller_did: admin.did, origin: 'internal', note: 'kept' },
  }
  const response = await post({ ...request, invoke_context })
  assert.equal(response.status, 200)
  assert.deepEqual(outcomes, [
    [test_did, 'unresolved', { note: 'kept', caller_did: test_did, origin: 'http' }],
  ])
  assert.equal(records()[0]?.caller_did, test_did)
  assert.equal(
    records()[0]?.correlation_id,
    invoke_context.correlation_id,
    'a label, which the caller may choose',
  )
  const forged = {
    ...invoke_context,
    resolved_identity: { ...admin, capabilities: [{ name: 'svc.*.*', caveats: [] }] },
  }
  assert.equal(
    (await post({ ...request, invoke_context: forged })).status,
    400,
    'and half an identity is no envelope',
  )
})

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('a valid trace is passed on, from the header or from the context', async (t) => {
  const { post, records } = await open(t)
  const within = (value: string) => ({
    ...request,
    invoke_context: { trace_context: { traceparent: value } },
  })
  assert.equal((await post(request, { traceparent })).headers.get('traceparent'), traceparent)
  assert.equal((await post(within(traceparent))).headers.get('traceparent'), traceparent)
  for (const wrong of ['x', 'é', 'a\r\nx-injected: 1', `${traceparent}\n`]) {
    const response = await post(within(wrong))
    assert.equal(response.status, 200, JSON.stringify(wrong))
    assert.deepEqual([response.headers.get('traceparent'), response.headers.get('x-injected')], [null, null])
  }
  assert.deepEqual([...new Set(records().map(gist))], ['ProtocolInvocation success ok stage -'])
  assert.equal(records().length, 6)
})

test('an idempotency key in the header follows the same rules as in the body', async (t) => {
  const { post } = await open(
    t,
    tryProtocol(() => ({}), { effect: 'read' }),
  )
  assert.equal((await post({ ...request, idempotency_key: 'a' }, { 'idempotency-key': 'a' })).status, 200)
  const two = await errorOf(await post({ ...request, idempotency_key: 'a' }, { 'idempotency-key': 'b' }))
  assert.deepEqual([two.code, two.reason], ['idempotency_key_reused', 'two keys'])
  for (const key of ['', 'x'.repeat(256), 'é']) {
    const response = await post(request, { 'idempotency-key': key })
    assert.equal(response.status, 400, `${key.length} characters`)
    assert.equal((await errorOf(response)).reason, 'envelope')
  }
})

test('a receipt is given to a caller that waits for it', async (t) => {
  const { post } = await open(t)
  const response = await post(request, { prefer: 'wait=audit' })
  const body = await response.json()
  assert.equal(response.headers.get('preference-applied'), 'wait=audit')
  assert.ok(isAnswer.Check(body))
  assert.equal(body.metadata.receipt?.record.id, body.metadata.audit_record_id)
  assert.match(body.metadata.receipt?.checkpoint ?? '', /^svc\/acme\n1\n/)
})

interface DryRunBody {
  verdict: string
  error: unknown
  stages: unknown[]
}

test('a dry run answers what would happen, and has no effect', async (t) => {
  let ran = 0
  const { post, records } = await open(
    t,
    tryProtocol(() => ({ ran: ++ran })),
  )
  const response = await post(request, { 'x-svc-dry-run': 'true' })
  assert.equal(response.status, 200)
  const { dry_run } = (await response.json()) as { dry_run: DryRunBody }
  assert.deepEqual([dry_run.verdict, dry_run.error, dry_run.stages.length, ran], ['allowed', null, 8, 0])
  assert.deepEqual(
    records().map(({ event_type, meta }) => [event_type, meta.dry_run]),
    [['AuthorizationCheck', true]],
  )
})

test('while the engine drains every answer ends its connection', async (t) => {
  const { post, dispatch_endpoint, records } = await open(t)
  await dispatch_endpoint.engine.drain()
  const response = await post(request)
  assert.deepEqual([response.status, response.headers.get('connection')], [503, 'close'])
  assert.equal((await errorOf(response)).code, 'draining')
  assert.equal(response.headers.get('retry-after'), '1')
  assert.deepEqual(records().map(gist), ['Error refused draining stage 0'])
})

test('a call that cannot be journalled is not answered as done', async (t) => {
  const { post, ports } = await open(t)
  ports.audit_log.failWrites(new Error('disk full: secret path'))
  const response = await post(request)
  assert.equal(response.status, 500)
  const error = await errorOf(response)
  assert.equal(error.code, 'internal')
  assert.ok(!JSON.stringify(error).includes('secret path'))
  assert.ok(ports.logged.some(({ level }) => level === 'error'))
})

test('a caller that cannot be looked up is told that nothing was done, and may retry', async (t) => {
  const { post, dispatch_endpoint, operatorRecords } = await open(t)
  t.mock.method(dispatch_endpoint.keys, 'find', () =>
    Promise.reject(new Error('timeout exceeded when trying to connect')),
  )
  const response = await post(request)
  const error = await errorOf(response)
  assert.deepEqual(
    [response.status, error.code, error.reason, error.retryable, response.headers.get('retry-after')],
    [503, 'unavailable', 'database unavailable', true, '1'],
  )
  assert.equal(operatorRecords().at(-1)?.meta.reason, 'database unavailable')
})
