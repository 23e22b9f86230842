// An external protocol: registered at run time, called over the contract, trusted only if it signs.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { after, before, beforeEach, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { tenantBucket } from '@svc/engine/stages/1-resolve-version'
import { admin as runAdmin } from '@svc/service/admin'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'
import { newKey, openSigningService, type Reply, type SigningService } from './signing-service.ts'
import { trialProtocol } from './trial-protocol.ts'

const allowed_networks = ['127.0.0.0/8']
const master_key = randomBytes(32)
let service: InProcessService
let outside: SigningService

before(async () => {
  outside = await openSigningService()
  service = await startInProcess({
    config: { allowed_networks, master_key },
    more_protocols: [trialProtocol().protocol],
    caller: { capabilities: ['svc.weather.*'] },
  })
})
beforeEach(() => {
  outside.answer = ({ payload }) => ({ body: { data: { said: payload }, metadata: {} } })
})
after(async () => {
  await service.stop()
  await outside.close()
})

async function type(args: readonly string[], db_url = service.db_url): Promise<string> {
  let out = ''
  const write = async (chunk: string) => {
    out += chunk
  }
  const env = { SVC_DB_URL: db_url, SVC_TENANT_ID: 'operator', SVC_ALLOWED_NETWORKS: allowed_networks.join() }
  assert.equal(await runAdmin(['protocol', ...args], env, { input: Readable.from([]), write }), 0, out)
  return out
}
async function wrong(...args: string[]): Promise<string> {
  const error = await type(args).then(
    (out) => assert.fail(`${args.join(' ')}: ${out}`),
    (thrown) => thrown as Error,
  )
  assert.equal(error.name, 'ConfigError', String(error))
  return error.message
}
const add = (name: string, version: string, to: SigningService, ...more: string[]) =>
  type(['add', name, version, to.url, '--did', to.did, ...more])
const weather = (operation = 'forecast', input: unknown = {}, caller: Addresses = service, more = {}) =>
  dispatch(caller, { protocol: 'WEATHER', version: 'v1', operation, input, ...more })

test('registration (name, version, endpoint, timeout, operations, auth) takes effect while the engine runs', async () => {
  assertRefusal(await weather(), { code: 'unknown_protocol', stage: 1 })
  const printed = await add(
    'WEATHER',
    'v1.0.0',
    outside,
    '--operation',
    'forecast,alert.raise',
    '--timeout',
    '2s',
  )
  assert.match(printed, /All engines apply this within a second\./)
  await eventually(async () => assertSuccess(await weather()))
  const idempotency_key = 'k-1'
  const { output, metadata } = assertSuccess(
    await weather('forecast', { where: 'Oslo' }, service, { idempotency_key }),
  )
  assert.deepEqual([output, metadata.version], [{ said: { where: 'Oslo' } }, 'v1.0.0'])
  const { headers, operation, payload, ctx, bytes } = outside.seen.at(-1)!
  assert.deepEqual(
    ['protocol', 'operation', 'version', 'correlation-id'].map((name) => headers[`x-svc-${name}`]),
    ['WEATHER', 'forecast', 'v1.0.0', metadata.correlation_id],
  )
  assert.equal(headers['idempotency-key'], idempotency_key)
  assert.deepEqual([operation, payload], ['forecast', { where: 'Oslo' }])
  assert.deepEqual([ctx.tenant_id, ctx.agent_did], [service.tenant_id, service.agent_did])
  assert.equal(ctx.resolved_identity?.did, service.agent_did)
  const capabilities = ctx.metadata.held as { name: string }[]
  assert.ok(capabilities.some(({ name }) => name === 'svc.weather.*'))
  assert.ok(!bytes.includes(service.api_key), "the caller's bearer is never passed on")
  assertRefusal(await weather('sunshine'), { code: 'unknown_operation', stage: 1 })
  assertRefusal(await weather('forecast', 'rain'), { code: 'invalid_payload', stage: 7 })
  assertSuccess(await weather('alert.raise'))
})

test('capabilities in a caller’s own context are ignored', async () => {
  const invoke_context = { metadata: { held: [{ name: 'svc.*.*', caveats: [] }], note: 'x' } }
  assertSuccess(await weather('forecast', {}, service, { invoke_context }))
  const { held, note } = outside.seen.at(-1)!.ctx.metadata
  assert.ok((held as { source?: string }[]).every(({ source }) => source !== undefined))
  assert.equal(note, 'x')
})

test('an answer counts only if the registered service signed it for this engine, this request and these bytes', async () => {
  const body = { data: { said: {} }, metadata: {} }
  const forged: Record<string, Reply> = {
    'no did-auth signature': { body, signer: null },
    'signed by somebody else': { body, signer: newKey() },
    'signed for another request': { body, jti: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10' },
    'signed for another service': { body, audience: newKey().did },
  }
  const swapped: Reply = { body, sent: JSON.stringify({ data: { said: 'other' }, metadata: {} }) }
  const denied = { error: { code: 'policy_denied', message: 'No.', reason: 'no' } }
  const cases: [Reply, string][] = [
    ...Object.entries(forged).map(([why, reply]): [Reply, string] => [reply, why]),
    [swapped, 'signed for another request'],
    [{ status: 422, body: denied, signer: null }, 'no did-auth signature'],
  ]
  for (const [reply, why] of cases) {
    outside.answer = () => reply
    const answer = await weather()
    const expected = { code: 'adapter_error', stage: 7, reason: 'answer not signed' } as const
    const { record } = await assertRefusedAndRecorded(service, answer, expected)
    assert.equal(Object(record.meta.supplied).signature, why)
    outside.answer = () => ({ body })
    // Successes in between keep its circuit closed.
    for (let well = 0; well < 2; well++) assertSuccess(await weather())
  }
})

test('on error a non-2xx with error object holding code and message: own refusals pass, all else is adapter_error', async () => {
  const cases: [status: number, code: string, seen: string][] = [
    [422, 'invalid_payload', 'invalid_payload'],
    [422, 'policy_denied', 'policy_denied'],
    [404, 'unknown_operation', 'unknown_operation'],
    [403, 'missing_capability', 'missing_capability'],
    [413, 'payload_too_large', 'payload_too_large'],
    [422, 'idempotency_key_reused', 'idempotency_key_reused'],
    [409, 'idempotency_in_flight', 'idempotency_in_flight'],
    [504, 'timeout', 'timeout'],
    [500, 'policy_denied', 'adapter_error'],
    [403, 'capability_denied', 'adapter_error'],
    [401, 'unauthenticated', 'adapter_error'],
    [429, 'rate_limited', 'adapter_error'],
    [500, 'internal', 'adapter_error'],
    [503, 'draining', 'adapter_error'],
    [302, 'policy_denied', 'adapter_error'],
  ]
  const misleading = 'timeout invalid adapter missing capability 😀'
  for (const [status, code, expected] of cases) {
    outside.answer = () => ({
      status,
      body: { error: { code, message: misleading.repeat(100), reason: 'r' } },
    })
    const { body } = await weather()
    assert.equal(body.error.code, expected, `${status} ${code}`)
    assert.ok(body.error.message.length <= 500 && body.error.message.isWellFormed())
    outside.answer = () => ({ body: { data: {}, metadata: {} } })
    for (let well = 0; well < 2; well++) assertSuccess(await weather())
  }
})

test('too slow is timeout; too large, too deep, not an object or invalid JSON is adapter_error', async () => {
  await add('SLOWPOKE', 'v1.0.0', outside, '--operation', 'crawl', '--timeout', '150ms')
  const crawl = () =>
    dispatch(service, { protocol: 'SLOWPOKE', version: 'v1', operation: 'crawl', input: {} })
  await eventually(async () => assertSuccess(await crawl()))
  const hang = Promise.withResolvers<Reply>()
  outside.answer = () => hang.promise
  const slow = await crawl()
  await assertRefusedAndRecorded(service, slow, { code: 'timeout', stage: 7, reason: 'service too slow' })
  hang.resolve({ body: {} })
  let deep: unknown = {}
  for (let level = 0; level < 70; level++) deep = { deep }
  for (const reply of [
    { body: { data: { much: 'x'.repeat(6 * 1024 * 1024) } } },
    { body: { data: deep } },
    { body: { data: [] } },
    { body: { data: 'text' } },
    { body: { nothing: {} } },
    { body: 'text' },
  ]) {
    outside.answer = () => reply
    const expected = { code: 'adapter_error', stage: 7, reason: 'unreadable answer' } as const
    assertRefusal(await weather(), expected)
    outside.answer = () => ({ body: { data: {} } })
    for (let well = 0; well < 2; well++) assertSuccess(await weather())
  }
})

test('metadata of the service is bounded, and its tokens are metered', async () => {
  const metadata = { model: 'small', usage: { tokens_in: 7, tokens_out: 1e12 } }
  outside.answer = () => ({ body: { data: {}, metadata } })
  const { metadata: first } = assertSuccess(await weather())
  assert.equal(first.usage.tokens_in, 0, 'untyped operations meter seconds only')
  outside.answer = () => ({ body: { data: {}, metadata: { much: 'x'.repeat(5_000) } } })
  const { metadata: second } = assertSuccess(await weather())
  const modules = await Promise.all(
    [first, second].map(async ({ correlation_id }) => {
      const [record] = await service.records(service.tenant_id, { correlation_ids: [correlation_id] })
      return [record!.meta.module, record!.meta.supplied]
    }),
  )
  assert.deepEqual(modules, [
    [{ answers: 'signed', served_by: outside.did }, { module: { model: 'small' } }],
    [{ answers: 'signed', served_by: outside.did }, { module: { metadata_chars: 5_011 } }],
  ])
})

test('a caller that disconnects cancels the request, and does not count against the service', async () => {
  let gone: Promise<unknown> | undefined
  const leaving = new AbortController()
  outside.answer = () => {
    leaving.abort()
    gone = new Promise(() => {})
    return gone as Promise<Reply>
  }
  const request = { protocol: 'WEATHER', version: 'v1', operation: 'forecast', input: {}, tenant_id: 'dev' }
  const headers = {
    authorization: `Bearer ${service.api_key}`,
    'x-agent-did': service.agent_did,
    'content-type': 'application/json',
  }
  const body = JSON.stringify(request)
  const asking = fetch(`${service.api_url}/v1/dispatch`, {
    method: 'POST',
    headers,
    body,
    signal: leaving.signal,
  })
  await assert.rejects(asking, { name: 'AbortError' })
  await eventually(async () => {
    const records = await service.records(service.tenant_id, { protocol: 'WEATHER' })
    assert.ok(records.some(({ meta }) => meta.reason === 'caller left'))
  })
})

test('registered endpoints replace the native one; disabling the last restores it', async () => {
  const input = catalogue.find(({ id }) => id === 'MOTET')!.operations.emit!.example
  const ask = () => dispatch(service, { protocol: 'MOTET', operation: 'emit', input })
  const servedBy = async () => {
    const { metadata } = assertSuccess(await ask())
    const [record] = await service.records(service.tenant_id, { correlation_ids: [metadata.correlation_id] })
    return record!.meta.endpoint
  }
  const native = assertSuccess(await ask()).output
  outside.answer = () => ({ body: { data: native, metadata: {} } })
  assert.equal(await servedBy(), 'native')
  const printed = await add('motet', 'v1.0.0', outside)
  assert.match(printed, /It replaces the built-in MOTET v1\.0\.0\./)
  await eventually(async () => assert.equal(await servedBy(), outside.url))
  outside.answer = () => ({ body: { data: { made: 'up' }, metadata: {} } })
  assertRefusal(await ask(), { code: 'adapter_error', stage: 7, reason: 'unreadable answer' })
  assert.match(await type(['disable', 'MOTET', 'v1.0.0']), /runs in the engines again/)
  await eventually(async () => assert.equal(await servedBy(), 'native'))
  await type(['remove', 'MOTET', 'v1.0.0', '--endpoint', outside.url])
})

/** The version that answers each of these tenants, as the engine reports it. */
async function versionsOf(callers: readonly Addresses[]): Promise<string[]> {
  const answers = await Promise.all(callers.map((caller) => weather('forecast', {}, caller)))
  return answers.map((answer) => assertSuccess(answer).metadata.version)
}

test('two versions in parallel with a canary by tenant hash: changed without restart, persistent, on every replica', async (t) => {
  const newer = await openSigningService()
  t.after(() => newer.close())
  newer.answer = () => ({ body: { data: { newer: true }, metadata: {} } })
  const ids = Array.from({ length: 12 }, (_, i) => `canary-${i}`)
  const callers = await Promise.all(ids.map((tenant_id) => service.newCaller({ tenant_id })))
  const expected = (bps: number) =>
    ids.map((tenant_id) => (tenantBucket(tenant_id, 'WEATHER') < bps ? 'v1.1.0' : 'v1.0.0'))
  // At first only callers that name the newer version get it.
  await type(['canary', 'WEATHER', 'v1.0.0=100%'])
  await add('WEATHER', 'v1.1.0', newer, '--operation', 'forecast')
  const exactly = { version: 'v1.1.0' }
  await eventually(async () => assertSuccess(await weather('forecast', {}, service, exactly)))
  assert.deepEqual(await versionsOf(callers), expected(0))
  const shift = async (share: string, bps: number, at: readonly Addresses[]) => {
    await type(['canary', 'WEATHER', share])
    await eventually(async () => assert.deepEqual(await versionsOf(at), expected(bps)))
  }
  await shift('v1.1.0=20%', 2_000, callers)
  assert.ok(new Set(expected(2_000)).size === 2 && new Set(expected(6_000)).size === 2)
  await shift('v1.1.0=60%', 6_000, callers)
  const second = await startInProcess({ config: { allowed_networks, master_key, db_url: service.db_url } })
  t.after(() => second.stop())
  const there = callers.map((caller) => ({ ...caller, api_url: second.api_url }))
  assert.deepEqual(await versionsOf(there), expected(6_000), 'what was registered before it started')
  await shift('v1.1.0=85.5%', 8_550, [...there])
  await type(['canary', 'WEATHER', 'off'])
  await eventually(async () =>
    assert.deepEqual(
      await versionsOf([...callers, ...there]),
      [...ids, ...ids].map(() => 'v1.1.0'),
    ),
  )
  assert.match(await type(['remove', 'WEATHER', 'v1.1.0']), /is unavailable until it is registered/)
  await eventually(async () => assert.deepEqual(await versionsOf(there), expected(0)))
})

test('endpoints of a version share its calls, and only registered ones are probed', async (t) => {
  const twin = await openSigningService()
  t.after(() => twin.close())
  const before = twin.asked()
  await add('WEATHER', 'v1.0.0', twin)
  await eventually(async () => {
    assertSuccess(await weather())
    assert.ok(twin.seen.length > 0)
  })
  const counts = () => [outside.seen.length, twin.seen.length]
  const [a, b] = counts() as [number, number]
  for (let call = 0; call < 10; call++) assertSuccess(await weather())
  assert.deepEqual(counts(), [a + 5, b + 5])
  await service.service.probe()
  await eventually(() => assert.ok(twin.asked() > before + twin.seen.length))
  await type(['balance', 'WEATHER', 'tenant-hash'])
  await eventually(async () => {
    const [from] = counts()
    for (let call = 0; call < 4; call++) assertSuccess(await weather())
    assert.ok([0, 4].includes(counts()[0]! - from!))
  })
  await type(['disable', 'WEATHER', 'v1.0.0', '--endpoint', twin.url])
  await eventually(async () => {
    const left = twin.seen.length
    for (let call = 0; call < 4; call++) assertSuccess(await weather())
    assert.equal(twin.seen.length, left)
  })
  const rows = (await type(['list', '--json']))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const mine = rows.filter(({ name }) => name === 'WEATHER')
  assert.deepEqual(
    mine.map(({ endpoint, enabled, timeout }) => [endpoint, enabled, timeout]),
    [
      [outside.url, true, '2s'],
      [twin.url, false, '30s'],
    ],
  )
})

test('every change is in the operator’s audit log', async () => {
  const changes = async () =>
    (await service.records('operator')).filter(({ meta }) => meta.gate === 'operator')
  await eventually(async () => {
    const commands = (await changes()).map(({ meta }) => meta.command)
    for (const verb of ['add', 'remove', 'disable', 'balance', 'canary'])
      assert.ok(commands.includes(`protocol ${verb}`), verb)
  })
  const { name, version, endpoint, did, timeout_ms } = (await changes())[0]!.meta
  assert.deepEqual(
    [name, version, endpoint, did, timeout_ms],
    ['WEATHER', 'v1.0.0', outside.url, outside.did, 2_000],
  )
})

test('wrong use is refused with a message that says what to do', async () => {
  const { did } = outside
  const cases: [args: string[], expected: RegExp][] = [
    [['add', 'WEATHER', 'v1', outside.url, '--did', did], /write all of it, such as v1\.0\.0/],
    [['add', 'W3', 'v1.0.0', outside.url, '--did', did], /1 to 32 letters/],
    [['add', 'OAS', 'v1.0.0', outside.url, '--did', did], /set SVC_OAS_URL instead/],
    [['add', 'SNOW', 'v1.0.0', outside.url, '--did', did], /list its operations with --operation/],
    [['add', 'SNOW', 'v1.0.0', outside.url, '--operation', 'fall'], /--did with the DID/],
    [['add', 'SNOW', 'v1.0.0', outside.url, '--did', did, '--operation', 'Fall'], /operations\/0/],
    [['add', 'SNOW', 'v1.0.0', outside.url, '--did', did, '--timeout', '11m'], /at most 10m/],
    [['add', 'SNOW', 'v1.0.0', `${outside.url}?a=1`, '--did', did], /without a query/],
    [['add', 'MAX', 'v1.0.0', outside.url, '--did', did, '--operation', 'audit_query'], /moves as a whole/],
    [['add', 'MAX', 'v1.0.0', outside.url, '--did', did, '--operation', 'fly'], /has no operation fly/],
    [
      ['add', 'WEATHER', 'v1.0.0', 'http://127.0.0.9', '--did', did, '--operation', 'rain'],
      /must have the same operations/,
    ],
    [['add', 'WEATHER', 'v1.0.0', outside.url, '--did', did, '--weight', '0'], /from 1 to 1000/],
    [['remove', 'WEATHER', 'v9.0.0'], /is not registered; protocol show WEATHER/],
    [['enable', 'WEATHER', 'v1.0.0', '--endpoint', 'https://a.example'], /not registered at https/],
    [['balance', 'WEATHER', 'random'], /it must be one of round-robin, least-request, tenant-hash/],
    [['balance', 'NOBODY', 'round-robin'], /There is no protocol NOBODY/],
    [['canary', 'WEATHER', 'v1.0.0=60%,v1.0.1=60%'], /has no v1\.0\.1; did you mean v1\.0\.0/],
    [['canary', 'WEATHER', 'v1.0.0=101%'], /add up to 101 %/],
    [['canary', 'WEATHER', 'v1.0.0=60%,v1.0.0=20%'], /named twice/],
    [['canary', 'WEATHER', 'half'], /write v1\.1\.0=10%/],
    [['show', 'NOBODY'], /There is no protocol NOBODY/],
    [['list', '--after', 'x'], /the id of the last/],
  ]
  for (const [args, expected] of cases) assert.match(await wrong(...args), expected, args.join(' '))
  const [shown] = (await type(['show', 'weather', '--json']))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([shown.version, shown.runs, shown.balance], ['v1.0.0', [outside.url], 'tenant-hash'])
})
