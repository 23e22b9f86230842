// Caller identity with a real identity node: first a separate process that dies and returns, then the bundled
// one.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { revokeIdentity } from '@svc/adapters/access/revocations'
import { system_clock } from '@svc/adapters/clock/system'
import { type ExternalClient, externalClient } from '@svc/adapters/endpoint/external-client'
import { documentHash, type IdentityDocument } from '@svc/contract/identity/identity-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { Client } from 'pg'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch, freePorts } from '../../engines/running-engine.ts'
import { type NodeProcess, startNodeProcess } from '../../engines/running-node.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { descend, documentOf, newSubject, type TestIdentity } from '../../scenes/test-identity.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'

const operator = newSubject('Service', 'operator')
const own_context: InvokeContext = {
  correlation_id: '00000000-0000-4000-8000-000000000000',
  tenant_id: 'operator',
  agent_did: operator.did,
  timestamp: new Date().toISOString(),
  metadata: {},
}
// Another process checks signatures by the wall clock; the rest uses a clock that the test moves.
const clock = { ...manualClock('2026-11-15T10:00:00.000Z'), now_ms: system_clock.now_ms }

let service: InProcessService
let node_database: TestDatabase
let node: NodeProcess
let client: ExternalClient
let port: number
const root = newSubject('HumanRoot', 'dev')
const agent = newSubject('Agent', 'dev')

const startNode = () => startNodeProcess('oas', { port, db_url: node_database.url, engine_did: operator.did })
const publish = (document: IdentityDocument) => client.invoke('publish', { document }, own_context)

async function callerOf(engine: InProcessService, { did }: TestIdentity): Promise<Addresses> {
  const capabilities = ['svc.max.*', 'svc.arsenal.*', 'svc.macs.*', 'svc.oas.*'].map((name) => ({
    name,
    caveats: [],
  }))
  const key_terms = { tenant_id: engine.tenant_id, did, mode: 'test', capabilities } as const
  const { api_key } = await issueKey(engine.service.store.engine, key_terms)
  return { ...engine, agent_did: did, api_key }
}

before(async () => {
  node_database = await testDatabase()
  port = await freePorts()
  node = await startNode()
  client = externalClient(
    { protocol: 'OAS', url: node.url, timeout_ms: 120_000, signer: operator },
    system_clock,
  )
  service = await startInProcess({
    clock,
    identity: (oas) => oas,
    config: { agent_did: operator.did, agent_key: operator, node_urls: { OAS: node.url } },
  })
  await publish(documentOf(root))
  await publish(documentOf(agent, { lineage: [descend(agent, root)] }))
})
after(async () => {
  await service?.stop()
  await node?.stop()
  await node_database?.close()
})

const appendTo = (caller: Addresses) =>
  dispatch(caller, {
    protocol: 'MAX',
    operation: 'audit_log_entry',
    input: { event_type: 'custom.here', meta: {} },
  })
const resolveAs = (caller: Addresses, did: string) =>
  dispatch(caller, { protocol: 'OAS', operation: 'resolve', input: { did } })

async function transitions(): Promise<string[]> {
  const filter = { event_types: ['CircuitBreakerTransition'], protocol: 'OAS' }
  const records = await service.records('operator', filter)
  return records.map(({ meta }) => `${meta.from} ${meta.to}`)
}

test('OAS down: retryable error, circuit open; OAS back: probed, closed, and calls succeed without a restart', async () => {
  const caller = await callerOf(service, agent)
  assertSuccess(await appendTo(caller))
  assert.equal(assertSuccess(await resolveAs(caller, agent.did)).output.outcome, 'Resolved')
  await node.stop('SIGKILL')
  assertSuccess(await appendTo(caller))
  clock.advance(60_000)
  const undecided = { code: 'unavailable', stage: 4, reason: 'identity unavailable' } as const
  await assertRefusedAndRecorded(service, await appendTo(caller), undecided)
  for (let probed = 0; probed < 3; probed++) {
    clock.advance(10_000)
    await service.service.probe()
  }
  const refused = await resolveAs(caller, agent.did)
  const open = { code: 'circuit_open', stage: 5 } as const
  const { record } = await assertRefusedAndRecorded(service, refused, open)
  assert.deepEqual([record.meta.protocol, record.meta.endpoint], ['OAS', node.url])
  assert.equal((await transitions())[0], 'CLOSED OPEN')
  assertRefusal(await appendTo(caller), undecided)

  node = await startNode()
  assertRefusal(await resolveAs(caller, agent.did), open)
  // After the longest possible back-off.
  clock.advance(330_000)
  await service.service.probe()
  await service.service.probe()
  assert.equal(assertSuccess(await resolveAs(caller, agent.did)).output.outcome, 'Resolved')
  assertSuccess(await appendTo(caller))
  assert.deepEqual((await transitions()).slice(-2), ['OPEN HALF_OPEN', 'HALF_OPEN CLOSED'])
})

test('resolve returns a document with verified proof; an unknown DID is a result, not an error', async () => {
  const caller = await callerOf(service, agent)
  const { output } = assertSuccess(await resolveAs(caller, agent.did))
  assert.equal(output.document_hash, documentHash(output.document as IdentityDocument))
  const { did, conformance_level, human_root_did } = output.identity as Record<string, unknown>
  assert.deepEqual([did, conformance_level, human_root_did], [agent.did, 'L1', root.did])
  assert.deepEqual(output.warnings, [])
  const unknown = assertSuccess(await resolveAs(caller, newSubject('Agent', 'dev').did)).output
  assert.deepEqual([unknown.outcome, unknown.document], ['Failed', undefined])
  assert.equal((unknown.identity as Record<string, unknown>).auth_method, 'unresolved')
})

test('verify_lineage: a broken chain is a result, the offline result counts, and the node is compared with it', async () => {
  const caller = await callerOf(service, agent)
  const verify = async (input: object) =>
    assertSuccess(await dispatch(caller, { protocol: 'OAS', operation: 'verify_lineage', input })).output
  assert.deepEqual(await verify({ did: agent.did }), {
    verified: true,
    depth: 1,
    root_did: root.did,
    root_kind: 'HumanRoot',
    chain: [agent.did, root.did],
    agrees: true,
  })
  const forged = { ...descend(agent, root), label: 'other' }
  const broken = await verify({ did: agent.did, lineage: [forged] })
  assert.deepEqual(
    [broken.verified, broken.broken_at, broken.reason, broken.agrees],
    [false, 0, 'signature invalid', true],
  )
  // Revoked here but unknown to the node, so the two disagree.
  const orphan = newSubject('Agent', 'dev')
  const gone = newSubject('HumanRoot', 'dev')
  const revocation = { tenant_id: 'dev', did: gone.did, reason: 'gone', by: operator.did }
  await service.service.store.engine.transaction((db) => revokeIdentity(db, revocation))
  const apart = await verify({ did: orphan.did, lineage: [descend(orphan, gone)] })
  assert.deepEqual([apart.verified, apart.reason, apart.agrees], [false, 'parent revoked', false])
})

test('Partial: the request proceeds, and a LineageUnverified event is recorded', async () => {
  const rootless = newSubject('Agent', 'dev')
  await publish(documentOf(rootless))
  const caller = await callerOf(service, rootless)
  const answer = await dispatch(caller, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: { outcome: 'refused' },
  })
  const { correlation_id } = assertSuccess(answer).metadata
  const records = await service.records('dev', { correlation_ids: [correlation_id] })
  const event = records.find(({ event_type }) => event_type === 'LineageUnverified')
  assert.deepEqual(event?.meta.warnings, ['lineage broken at depth 0: Agent is not a root kind'])
  const refused = { code: 'policy_denied', stage: 4, reason: 'verified lineage required' } as const
  assertRefusal(await appendTo(caller), refused)
  assert.equal(assertSuccess(await resolveAs(caller, rootless.did)).output.outcome, 'Partial')
})

test('a revocation takes effect before the cache expires', async () => {
  const leaver = newSubject('Agent', 'dev')
  await publish(documentOf(leaver, { lineage: [descend(leaver, root)] }))
  const caller = await callerOf(service, leaver)
  const other = await callerOf(service, agent)
  assertSuccess(await appendTo(caller))
  assert.equal(assertSuccess(await resolveAs(other, leaver.did)).output.outcome, 'Resolved')
  const revocation = { tenant_id: 'dev', did: leaver.did, reason: 'left', by: root.did }
  await service.service.store.engine.transaction((db) => revokeIdentity(db, revocation))
  const assertRecorded = async () => {
    const { output } = assertSuccess(await resolveAs(other, leaver.did))
    assert.equal((output.identity as { revoked: boolean }).revoked, true)
  }
  await eventually(assertRecorded)
  assert.equal((await appendTo(caller)).status, 401, 'its keys went with it')
})

test('an invalid answer of the node is an adapter error and is recorded', async () => {
  const victim = newSubject('Agent', 'dev')
  await publish(documentOf(victim, { lineage: [descend(victim, root)] }))
  const owner = new Client({ connectionString: node_database.url })
  await owner.connect()
  await owner.query(
    `UPDATE oas_documents SET document = replace(document, '"capabilities":[]',
      '"capabilities":[{"caveats":[],"name":"svc.mind.*"}]') WHERE did = $1`,
    [victim.did],
  )
  await owner.end()
  const caller = await callerOf(service, agent)
  const answer = await resolveAs(caller, victim.did)
  const error = assertRefusal(answer, { code: 'adapter_error', stage: 7, reason: 'bad answer' })
  const records = await service.records('dev', { correlation_ids: [error.correlation_id] })
  const alarm = records.find(({ event_type }) => event_type === 'SecurityViolation')
  assert.deepEqual([alarm?.meta.did, alarm?.meta.why], [victim.did, 'proof invalid'])
  const as_victim = await callerOf(service, victim)
  assertRefusal(await appendTo(as_victim), { code: 'policy_denied', stage: 4, reason: 'unresolved identity' })
})

test('without an identity node OAS has no endpoint, and callers stay unresolved', async () => {
  const bare = await startInProcess({ identity: (oas) => oas })
  try {
    const caller = await callerOf(bare, agent)
    const refused = { code: 'no_endpoint_available', stage: 6 } as const
    assertRefusal(await resolveAs(caller, agent.did), refused)
    assertRefusal(await appendTo(caller), { code: 'policy_denied', stage: 4, reason: 'unresolved identity' })
  } finally {
    await bare.stop()
  }
})
