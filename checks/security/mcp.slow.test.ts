// T15, T21 and isolation on the MCP surface: it leads to the same endpoint, never around it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { catalogue } from '@svc/catalogue/catalogue'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { ErrorBody } from '@svc/contract/dispatch'
import { unresolved } from '@svc/contract/identity/identity'
import type { Operation } from '@svc/contract/protocol'
import { verifyJws } from '@svc/contract/signing/jws'
import { trialProtocol } from '../conformance/execution/trial-protocol.ts'
import { connect, keyOf, type McpScene, startWithMcp, toolOf } from '../conformance/gateway/mcp-scene.ts'
import { dispatch } from '../engines/running-engine.ts'
import { addPerson, signIn } from '../scenes/login-journey.ts'
import { idFields, withId } from './isolation/id-fields.ts'
import { type OutsideService, openOutsideService } from './outside-service.ts'

/** Enough for every operation of a protocol on both surfaces, and divisible by three. */
const bucket = 12
/** The share of id fields to try; the long form takes all. */
const one_in = process.env.SVC_TEST_ASSURANCE ? 1 : 9
let outside: OutsideService
let engine: McpScene

before(async () => {
  outside = await openOutsideService()
  const { url } = outside
  const heavy = { capacity: bucket / 50, refill_per_s: 0.000_001 }
  const limits = {
    infrastructure: { capacity: 2000, refill_per_s: 1000 },
    standard: { capacity: 500, refill_per_s: 250 },
    heavy,
  }
  engine = await startWithMcp({
    // High enough for every operation, so that capabilities alone decide.
    identity: {
      resolve: (did) => ({
        outcome: 'Resolved',
        identity: { ...unresolved(did), auth_method: 'test', conformance_level: 'L2' },
      }),
    },
    more_protocols: [{ ...trialProtocol('v1.0.0', 'HEAVY').protocol, rate: 'heavy' }],
    config: { limits, node_urls: { OAS: url, Arsenal: url, Aegis: url } },
    caller: { capabilities: ['svc.*.*'] },
  })
})
after(async () => {
  await engine?.stop()
  await outside.close()
})

type Refused = ErrorBody['error']

/** From the tool's result; undefined if the call succeeded. */
async function callTool(client: Client, name: string, input: unknown): Promise<Refused | undefined> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> })
  const refused = result._meta?.['svc/error'] as Refused | undefined
  assert.equal(result.isError === true, refused !== undefined, JSON.stringify(result))
  return refused
}

/** A refusal's content, without what identifies this one call. */
function gist({ correlation_id: _, audit_head: __, ...said }: Refused) {
  return said
}

/** A record's content, without what identifies this one call and its position in the audit log. */
function body({ meta, caller_did, event_type, outcome, tenant_id }: AuditRecord) {
  const { origin, ...rest } = meta as Record<string, unknown>
  const stable = Object.entries(rest).filter(([name]) => !varying.has(name))
  return { origin, said: { caller_did, event_type, outcome, tenant_id, meta: Object.fromEntries(stable) } }
}
/** Only operations that prove an identity are open to anyone. */
const isClosed = ({ open_to }: Operation) => open_to !== 'anyone'
const varying = new Set(['input_hash', 'input_salt', 'usage'])

test('T15: a caller without capabilities is refused over MCP as over HTTP, by every operation, with equal records', async (t) => {
  const stranger = await engine.newCaller({ tenant_id: 'stranger' })
  // Removes even the default capabilities of test callers.
  const { engine_pool } = engine.service.store
  await engine_pool.query(`UPDATE api_keys SET capabilities = '[]' WHERE key_id = $1`, [stranger.key_id])
  const client = await connect(engine.mcp_url, { headers: keyOf(stranger), era: 'modern' })
  t.after(() => client.close())
  const pairs: [name: string, http: Refused, mcp: Refused][] = []
  for (const { id, version, operations } of catalogue) {
    for (const [operation, { example }] of Object.entries(operations)) {
      const request = { protocol: id, version, operation, input: example }
      const http = (await dispatch(stranger, request)).body.error as Refused | undefined
      const mcp = await callTool(client, toolOf(id, operation), example)
      assert.deepEqual(mcp && gist(mcp), http && gist(http), `${id} ${operation}`)
      if (http && mcp) pairs.push([`${id} ${operation}`, http, mcp])
    }
  }
  await client.close()
  const closed = catalogue.flatMap(({ operations }) => Object.values(operations)).filter(isClosed).length
  const records = Map.groupBy(await engine.records('stranger'), ({ correlation_id }) => correlation_id)
  for (const [name, http, mcp] of pairs) {
    const [by_http, by_mcp] = [http, mcp].map(({ correlation_id }) => records.get(correlation_id)!.map(body))
    assert.deepEqual(
      by_mcp?.map(({ said }) => said),
      by_http?.map(({ said }) => said),
      name,
    )
    assert.deepEqual([by_http?.[0]?.origin, by_mcp?.[0]?.origin], ['http', 'mcp'], name)
  }
  const denied = pairs.filter(([, { code, stage }]) => code === 'capability_denied' && stage === 4)
  t.diagnostic(`${denied.length} of ${closed} operations denied at stage 4, alike on both surfaces`)
  assert.equal(denied.length, closed)
})

test('T15: keys and tokens sent to the MCP surface reach no remote service', async () => {
  const person = await addPerson(engine, 'ada')
  const { tokens } = await signIn(engine, person.login, { resource: engine.mcp_url })
  const { access_token } = tokens
  outside.seen.length = 0
  for (const headers of [keyOf(engine), { authorization: `Bearer ${access_token}` }]) {
    const client = await connect(engine.mcp_url, { headers })
    await callTool(client, 'svc.oas.resolve', { did: engine.agent_did })
    await callTool(client, 'svc.arsenal.list', {})
    await client.close()
  }
  assert.ok(outside.seen.length >= 2, `only ${outside.seen.length} requests were heard`)
  const proofs = [engine.api_key, engine.api_key.slice(-43), access_token, access_token.split('.')[2]!]
  for (const { authorization, bytes } of outside.seen) {
    assert.equal(verifyJws(authorization.slice('DID '.length))?.did, engine.operator.did)
    for (const proof of proofs) assert.ok(!bytes.includes(proof), bytes)
  }
})

test('T21: HTTP, MCP and both of its transports draw from one bucket', async () => {
  const caller = await engine.newCaller({ tenant_id: 'hasty', capabilities: ['svc.*.*'] })
  const headers = keyOf(caller)
  const clients = [await connect(engine.mcp_url, { headers }), await connect(engine.sse_url, { headers })]
  const request = { protocol: 'HEAVY', version: 'v1.0.0', operation: 'echo', input: {} }
  const turns = [
    async () => (await dispatch(caller, request)).body.error as Refused | undefined,
    ...clients.map((client) => () => callTool(client, 'svc.heavy.echo', {})),
  ]
  const outcomes: string[] = []
  for (let turn = 0; turn < bucket * 2; turn++)
    outcomes.push((await turns[turn % turns.length]!())?.code ?? 'done')
  assert.deepEqual(outcomes, [
    ...Array<string>(bucket).fill('done'),
    ...Array<string>(bucket).fill('rate_limited'),
  ])
  for (const client of clients) await client.close()
})

test("isolation: over MCP another tenant's ids return nothing of that tenant, in any operation", async (t) => {
  const canary = `canary_${randomBytes(8).toString('hex')}`
  const rival = await engine.newCaller({ tenant_id: 'rival', capabilities: ['svc.*.*'] })
  const acme = await engine.newCaller({ tenant_id: 'acme', capabilities: ['svc.*.*'] })
  const logged = await dispatch(rival, {
    protocol: 'MAX',
    operation: 'audit_log_entry',
    input: { event_type: 'custom.secret', meta: { note: canary } },
    idempotency_key: 'shared-key',
  })
  assert.equal(logged.status, 200, JSON.stringify(logged.body))
  const { metadata, output } = logged.body
  const ids = [
    rival.tenant_id,
    rival.agent_did,
    rival.key_id,
    metadata.correlation_id,
    metadata.audit_record_id,
    output.record_hash,
    `max://rival/record/${output.record_hash}`,
    'custom.secret',
  ]
  const own = await connect(engine.mcp_url, { headers: keyOf(rival) })
  t.after(() => own.close())
  const result = await own.callTool({
    name: 'svc.max.audit_query',
    arguments: { event_type: ['custom.secret'] },
  })
  assert.ok(JSON.stringify(result).includes(canary), JSON.stringify(result))
  await own.close()
  const client = await connect(engine.mcp_url, { headers: keyOf(acme) })
  const leaks: string[] = []
  for (const { id: protocol, operations } of catalogue) {
    for (const [operation, { input, example }] of Object.entries(operations)) {
      const places = idFields(input).flatMap((field) =>
        ids.filter((id) => field.takes(id)).map((id) => withId(example, field, id)),
      )
      for (const tried_input of [example, ...places.filter((_, at) => at % one_in === 0)]) {
        const name = toolOf(protocol, operation)
        const _meta = { 'svc/idempotency_key': 'shared-key' }
        leaks.push(
          JSON.stringify(await client.callTool({ name, arguments: tried_input as object, _meta } as never)),
        )
      }
    }
  }
  await client.close()
  assert.ok(leaks.length > 2 * catalogue.length, `only ${leaks.length} calls were made`)
  assert.ok(!leaks.some((text) => text.includes(canary)))
  t.diagnostic(`${leaks.length} calls, 0 bytes of the canary`)
})
