// A gateway's own refusals are in the audit log of the tenant concerned, once, and floods are counted.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { authorizeRequest } from '@svc/contract/identity/did-auth'
import type { SigningKey } from '@svc/contract/signing/signature'
import { Client } from 'pg'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { askThrough, type GatewayScene, newSigner, openGateway, send } from './gateway-scene.ts'

const signer = newSigner()
let engine: InProcessService
let caller: Addresses & { readonly key_id: string }
let scene: GatewayScene

before(async () => {
  engine = await startInProcess({
    more_protocols: [trialProtocol().protocol],
    identity: key_only_resolver,
    config: { trusted_gateways: [signer.did], require_gateway: true },
  })
  caller = await engine.newCaller({ capabilities: ['svc.trial.*'] })
  scene = await openGateway(behind(), { signer })
})
after(async () => {
  await scene?.stop()
  await engine?.stop()
})

const behind = () => ({
  db_url: engine.db_url,
  api_url: engine.api_url,
  engine_did: engine.operator.did,
})

const reported = async (tenant_id: string) =>
  (await engine.records(tenant_id)).filter(
    ({ meta }) => meta.gateway === signer.did && meta.code !== undefined,
  )
const sumOf = (records: readonly AuditRecord[]) =>
  records.reduce((sum, { meta }) => sum + Number(meta.count ?? 1), 0)

test("a key with a wrong DID at the gateway is in the log of the key's tenant, with the answered id", async () => {
  const claimed_did = `did:oas:rival:agent:${'b'.repeat(64)}`
  const { status, body } = await askThrough(scene, caller, 'echo', {}, { 'x-agent-did': claimed_did })
  assert.equal(status, 401)
  const { correlation_id } = body.error
  await eventually(async () => assert.equal((await reported(caller.tenant_id)).length, 1))
  const [record = assert.fail()] = await reported(caller.tenant_id)
  assert.deepEqual(
    [record.event_type, record.correlation_id, record.caller_did, record.meta.credential],
    ['SecurityViolation', correlation_id, caller.agent_did, caller.key_id],
  )
  assert.deepEqual(
    [record.meta.reason, record.meta.supplied],
    ['agent did mismatch', { claimed_did, method: 'POST', path: '/v1/dispatch' }],
  )
})

test("a flood without credentials is a few records in the operator's log, whose counts add up", async () => {
  const before_flood = sumOf(await reported('operator'))
  const sent = 200
  for (let at = 0; at < sent; at += 4)
    await Promise.all(Array.from({ length: 4 }, () => send(scene, 'POST', '/v1/dispatch')))
  await eventually(async () => assert.equal(sumOf(await reported('operator')) - before_flood, sent))
  const records = (await reported('operator')).filter(({ meta }) => meta.reason === 'no credential')
  assert.ok(records.length < sent / 4, `${records.length} records`)
  for (const { meta, caller_did } of records)
    assert.deepEqual([meta.source, caller_did], ['127.0.0.1', 'unauthenticated'])
})

test('refusals without a reachable engine are reported when one answers', async (t) => {
  const { hostname, port: engine_port } = new URL(engine.api_url)
  const road = createServer((socket) => {
    const on = connect(Number(engine_port), hostname)
    for (const end of [socket, on]) end.on('error', () => {})
    socket.pipe(on).pipe(socket)
  })
  const port = await listenOn(road, 0)
  await new Promise((resolve) => road.close(resolve))
  const away = await openGateway({ ...behind(), api_url: `http://127.0.0.1:${port}` }, { signer })
  t.after(() => away.stop())
  const { status, body } = await askThrough(away, caller, 'echo')
  assert.deepEqual([status, body.error.reason], [503, 'engine unreachable'])
  await listenOn(road, port)
  t.after(() => road.close())
  const { correlation_id } = body.error
  const recordsOfCall = () => engine.records(caller.tenant_id, { correlation_ids: [correlation_id] })
  await eventually(async () => assert.equal((await recordsOfCall()).length, 1))
  const [record] = await recordsOfCall()
  assert.deepEqual(
    [record?.event_type, record?.caller_did, record?.meta.reason, record?.meta.gateway],
    ['Error', caller.agent_did, 'engine unreachable', signer.did],
  )
})

async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function report(as: SigningKey, refusals: object[], id: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ refusals })
  const signing = { audience: engine.operator.did, body, now_ms: system_clock.now_ms() }
  return fetch(`${engine.api_url}/v1/gateway/refusals`, {
    method: 'POST',
    headers: { authorization: authorizeRequest(as, signing, id), ...headers },
    body,
  })
}

const refusal = (more: object = {}) => ({
  id: crypto.randomUUID(),
  correlation_id: crypto.randomUUID(),
  timestamp: new Date().toISOString(),
  tenant_id: caller.tenant_id,
  caller_did: caller.agent_did,
  code: 'draining',
  reason: 'draining',
  ...more,
})

test('a report is accepted from trusted gateways only, once, and for existing tenants', async () => {
  const [one, id] = [refusal(), crypto.randomUUID()]
  assert.equal((await report(newSigner(), [one], crypto.randomUUID())).status, 401)
  assert.equal((await report(signer, [{ ...one, code: 'made_up' }], crypto.randomUUID())).status, 400)
  assert.equal((await report(signer, [], crypto.randomUUID())).status, 400)
  const stranger = refusal({ tenant_id: 'nobody', caller_did: `did:oas:nobody:agent:${'c'.repeat(64)}` })
  const crossed = refusal({ tenant_id: 'operator' })
  for (let time = 0; time < 2; time++)
    assert.equal((await report(signer, [one, stranger, crossed], id)).status, 204)
  const own = (await reported(caller.tenant_id)).filter(({ meta }) => meta.code === 'draining')
  assert.deepEqual(
    own.map(({ correlation_id }) => correlation_id),
    [one.correlation_id],
  )
  const others = (await reported('operator')).filter(({ meta }) => meta.code === 'draining')
  assert.deepEqual(
    others.map(({ correlation_id, caller_did }) => [correlation_id, caller_did]),
    [stranger, crossed].map(({ correlation_id }) => [correlation_id, 'unauthenticated']),
  )
})

test('a report that could not be stored is stored when sent again: nothing of it is claimed before', async (t) => {
  const owner = new Client({ connectionString: engine.db_url })
  await owner.connect()
  t.after(() => owner.end())
  const [one, id] = [refusal({ reason: 'kept later' }), crypto.randomUUID()]
  await owner.query(`ALTER TABLE audit_outbox ADD CONSTRAINT not_now CHECK (entry NOT LIKE '%kept later%')`)
  assert.equal((await report(signer, [one], id)).status, 503)
  await owner.query('ALTER TABLE audit_outbox DROP CONSTRAINT not_now')
  for (let time = 0; time < 2; time++) assert.equal((await report(signer, [one], id)).status, 204)
  const records = await engine.records(caller.tenant_id, { correlation_ids: [one.correlation_id] })
  assert.deepEqual(
    records.map(({ meta }) => meta.reason),
    ['kept later'],
  )
})

test("a gateway's counts for several callers of a tenant are in that tenant's log", async () => {
  const many = refusal({ caller_did: 'other sources', source: 'other sources', count: 7 })
  assert.equal((await report(signer, [many], crypto.randomUUID())).status, 204)
  const [sum] = await engine.records(caller.tenant_id, { correlation_ids: [many.correlation_id] })
  assert.deepEqual([sum?.caller_did, sum?.meta.count], ['other sources', 7])
})
