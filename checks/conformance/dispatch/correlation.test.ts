// A caller's correlation id is kept on every surface if it is a UUID, and does not join another tenant's
// trace.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Uuid } from '@svc/contract/schema'
import { Compile } from 'typebox/compile'
import type { Addresses } from '../../engines/running-engine.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { askThrough, type GatewayScene, newSigner, openGateway } from '../gateway/gateway-scene.ts'
import { connect, keyOf, type McpScene, startWithMcp } from '../gateway/mcp-scene.ts'
import { ask, assertRefusal, assertSuccess } from './expectations.ts'

const isUuid = Compile(Uuid)
const signer = newSigner()
const not_ids = ['no uuid', '00000000-0000-0000-0000-000000000000', `${randomUUID()}0`, `{${randomUUID()}}`]
let engine: McpScene
let gateway: GatewayScene

before(async () => {
  engine = await startWithMcp({
    more_protocols: [trialProtocol().protocol],
    caller: { capabilities: ['svc.*.*'] },
    config: { trusted_gateways: [signer.did] },
  })
  const { db_url, api_url, operator } = engine
  gateway = await openGateway({ db_url, api_url, engine_did: operator.did }, { signer })
})
after(async () => {
  await gateway?.stop()
  await engine?.stop()
})

/** One echo through a surface: the ids in the header, in the invoke context and in the answer. */
type Surface = (header?: string, inside?: string) => Promise<string>

const headerOf = (id?: string): Record<string, string> => (id === undefined ? {} : { 'x-correlation-id': id })
const insideOf = (id?: string): { invoke_context?: Record<string, unknown> } =>
  id === undefined ? {} : { invoke_context: { correlation_id: id } }

const surfaces: Record<string, Surface> = {
  http: async (header, inside) =>
    assertSuccess(await ask(engine, 'echo', {}, headerOf(header), insideOf(inside))).metadata.correlation_id,
  stream: async (header, inside) => {
    const headers = { ...headerOf(header), accept: 'text/event-stream' }
    const { body, headers: response_headers } = await ask(engine, 'echo', {}, headers, insideOf(inside))
    const { metadata } = JSON.parse(/^event: result\ndata: (.*)$/m.exec(String(body))![1]!)
    assert.equal(response_headers.get('x-correlation-id'), metadata.correlation_id)
    return metadata.correlation_id
  },
  gateway: async (header, inside) => {
    const answer = await askThrough(gateway, engine, 'echo', {}, headerOf(header), insideOf(inside))
    return assertSuccess(answer).metadata.correlation_id
  },
  mcp: (header, inside) => callByMcp(engine.mcp_url, header, inside),
  'mcp over sse': (header, inside) => callByMcp(engine.sse_url, header, inside),
}

async function callByMcp(url: string, header?: string, inside?: string): Promise<string> {
  const client = await connect(url, { headers: { ...keyOf(engine), ...headerOf(header) } })
  const _meta = inside === undefined ? {} : { 'svc/correlation_id': inside }
  const result = await client.callTool({ name: 'svc.trial.echo', arguments: {}, _meta })
  await client.close()
  return String(result._meta?.correlation_id)
}

for (const [name, surface] of Object.entries(surfaces)) {
  test(`${name}: a supplied UUID is kept, from the header or from the context, which comes first`, async () => {
    const [header, inside] = [randomUUID(), randomUUID()]
    assert.equal(await surface(header), header)
    assert.equal(await surface(undefined, inside), inside)
    assert.equal(await surface(header, inside), inside)
    assert.equal(await surface(header.toUpperCase()), header, 'in the lower case that records have')
    const records = await engine.records(engine.tenant_id, { correlation_ids: [header, inside] })
    assert.deepEqual(
      records.map(({ correlation_id }) => correlation_id),
      [header, inside, inside, header],
    )
  })

  test(`${name}: anything but a UUID is replaced by a fresh one`, async () => {
    const minted = [await surface()]
    for (const wrong of not_ids) minted.push(await surface(wrong))
    assert.ok(
      minted.every((id) => isUuid.Check(id) && !not_ids.includes(id)),
      minted.join(' '),
    )
    assert.equal(new Set(minted).size, minted.length)
  })
}

test("a refusal keeps a known caller's id, before and in the pipeline; a stranger gets a fresh one", async () => {
  const id = randomUUID()
  const unknown = await ask(engine, 'nothing', {}, headerOf(id))
  assert.equal(assertRefusal(unknown, { code: 'unknown_operation', stage: 1 }).correlation_id, id)
  const malformed = await ask(engine, '', {}, headerOf(id))
  assert.equal(assertRefusal(malformed, { code: 'invalid_request', stage: null }).correlation_id, id)
  const stranger = await ask({ ...engine, api_key: 'svc_test_x' }, 'echo', {}, headerOf(id))
  assert.notEqual(assertRefusal(stranger, { code: 'unauthenticated', stage: null }).correlation_id, id)
  const twice = await ask(engine, 'echo', {}, headerOf(`${id}, ${id}`))
  assert.notEqual(assertSuccess(twice).metadata.correlation_id, id)
})

test('two calls with one id are two calls: each has its record, its receipt and its place in the trace', async () => {
  const id = randomUUID()
  const headers = { ...headerOf(id), prefer: 'wait=audit' }
  const answers = [await ask(engine, 'echo', { say: 'a' }, headers), await ask(engine, 'echo', {}, headers)]
  const metadata = answers.map((answer) => assertSuccess(answer).metadata)
  assert.notEqual(metadata[0]!.audit_record_id, metadata[1]!.audit_record_id)
  assert.deepEqual(
    metadata.map(({ receipt }) => receipt?.record.id),
    metadata.map(({ audit_record_id }) => audit_record_id),
  )
  const graph = await max(engine, 'traceability_graph', { correlation_id: id })
  const nodes = graph.nodes as { type: string }[]
  assert.equal(nodes.filter(({ type }) => type === 'record').length, 2)
})

test("another tenant's id gives no access to its trace and adds nothing to it", async () => {
  const id = randomUUID()
  const rival = await engine.newCaller({ tenant_id: 'rival', capabilities: ['svc.*.*'] })
  assertSuccess(await ask(engine, 'echo', {}, headerOf(id)))
  const before_rival = await engine.records(engine.tenant_id, { correlation_ids: [id] })
  assertSuccess(await ask(rival, 'echo', {}, headerOf(id)))
  assert.deepEqual(await engine.records(engine.tenant_id, { correlation_ids: [id] }), before_rival)
  const { records } = await max(rival, 'audit_query', { correlation_id: id })
  assert.deepEqual(
    (records as { tenant_id: string }[]).map(({ tenant_id }) => tenant_id),
    ['rival'],
  )
  const other = { correlation_id: id, tenant_id: engine.tenant_id }
  assert.deepEqual((await max(rival, 'audit_query', other)).records, [])
  const graph = await max(rival, 'traceability_graph', { correlation_id: id })
  assert.ok(!JSON.stringify(graph).includes(engine.agent_did))
})

async function max(caller: Addresses, operation: string, input: unknown): Promise<Record<string, unknown>> {
  return assertSuccess(await ask(caller, operation, input, {}, { protocol: 'MAX' })).output
}
