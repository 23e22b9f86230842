// MAZE over HTTP: its proofs can be verified with a public key, and its map matches what others store.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner, entryOf } from '@svc/audit/test-audit-log'
import { verifyProof } from '@svc/sdk'
import type { InProcessService } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { hashOfLeaf, verifiesConsistency, verifiesInclusion } from '../../tamper/rfc9162.ts'
import { writeOver } from '../awareness/written-over.ts'
import { ask, assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { cross, type MoatScene, openMoatScene } from '../governance/moat-scene.ts'

let scene: MoatScene
let service: InProcessService
before(async () => {
  scene = await openMoatScene()
  service = scene.service
})
after(() => service.stop())

const maze = (caller: Addresses, operation: string, input: object) =>
  ask(caller, operation, input, {}, { protocol: 'MAZE' })
const prove = (caller: Addresses, input: object) => maze(caller, 'prove', input)
const entry = (caller: Addresses) =>
  ask(caller, 'audit_log_entry', { event_type: 'custom.x', meta: {} }, {}, { protocol: 'MAX' })

interface Proof {
  readonly leaf_index: number
  readonly tree_size: number
  readonly root_hash: string
  readonly proof: string[]
  readonly leaf: { record_hash: string; canonical_commitment: string }
  readonly first_root: string
  readonly segment: { seq: number; record_hash: string }[]
  readonly previous_hash: string
  readonly checkpoint: string
  readonly checkpoint_proof?: string[]
}

async function proven(caller: Addresses, input: object): Promise<Proof> {
  return assertSuccess(await prove(caller, input)).output as unknown as Proof
}

async function keysOf(caller: Addresses): Promise<string[]> {
  const input = { after_seq: 0, limit: 1, include_checkpoints: true }
  const answer = assertSuccess(await ask(caller, 'audit_query', input, {}, { protocol: 'MAX' }))
  return (answer.output.keys as { public_key: string }[]).map(({ public_key }) => public_key)
}

/** A tenant with some records, each in its own batch. */
async function tenantWithAuditLog(tenant_id: string, count: number): Promise<Addresses> {
  const caller = await service.newCaller({ tenant_id })
  for (let i = 0; i < count; i++) assertSuccess(await entry(caller))
  await service.service.audit_log.flush()
  return caller
}

const bytes = (nodes: readonly string[]) => nodes.map((node) => Buffer.from(node, 'base64'))
const hex = (text: string) => Buffer.from(text, 'hex')

test('every record is proved at every size, by its hash or its request, and anyone can verify it', async () => {
  const caller = await tenantWithAuditLog('proved', 6)
  const records = await service.records('proved')
  const trustedKeys = await keysOf(caller)
  for (const { record_hash, seq } of records.slice(1, 3)) {
    for (const tree_size of [undefined, seq, records.length]) {
      const request = { kind: 'inclusion', record_hash, ...(tree_size === undefined ? {} : { tree_size }) }
      const proof = await proven(caller, request)
      assert.deepEqual([proof.leaf_index, proof.leaf.record_hash], [seq - 1, record_hash])
      const tree = { size: proof.tree_size, root: hex(proof.root_hash) }
      assert.ok(verifiesInclusion(hashOfLeaf(hex(record_hash)), seq - 1, tree, bytes(proof.proof)))
      const verdict = await verifyProof(proof, { trustedKeys })
      assert.partialDeepStrictEqual(verdict, { ok: true, vouched: true, tenant_id: 'proved' })
    }
  }
  const { correlation_id, record_hash } = records.find(
    ({ event_type }) => event_type === 'ProtocolInvocation',
  )!
  const of_request = await proven(caller, { kind: 'inclusion', correlation_id })
  assert.equal(of_request.leaf.record_hash, record_hash)
})

test('growth between any two sizes is proved, also from empty and to a size without signature', async () => {
  const caller = await tenantWithAuditLog('grown', 3)
  const trustedKeys = await keysOf(caller)
  const { tree_size: size } = await proven(caller, { kind: 'consistency', first: 0 })
  for (const [first, second] of [
    [0, 0],
    [0, size],
    [1, 2],
    [2, 3],
    [3, size],
    [size, size],
  ] as const) {
    // biome-ignore format: kept on one line
    const proof = await proven(caller, { kind: 'consistency', first, second })
    assert.equal(proof.tree_size, second)
    if (first === 0) assert.deepEqual(proof.proof, [])
    else {
      const [from, to] = [
        { size: first, root: hex(proof.first_root) },
        { size: second, root: hex(proof.root_hash) },
      ]
      assert.ok(verifiesConsistency(from, to, bytes(proof.proof)), `${first} to ${second}`)
    }
    assert.equal((await verifyProof(proof, { trustedKeys })).reason, undefined)
  }
})

test('proofs are valid while the log grows', async () => {
  const caller = await tenantWithAuditLog('growing', 2)
  const trustedKeys = await keysOf(caller)
  const questions = [{ kind: 'consistency', first: 1 }, { kind: 'consistency', first: 2, second: 3 }, { kind: 'segment', from_seq: 2, to_seq: 3 }, { kind: 'consistency', first: 0 }] // biome-ignore format: kept on one line
  const verdicts = Array.from({ length: 40 }, async (_, i) => {
    assertSuccess(await entry(caller))
    return await verifyProof(await proven(caller, questions[i % questions.length]!), { trustedKeys })
  })
  for (const verdict of await Promise.all(verdicts))
    assert.partialDeepStrictEqual(verdict, { ok: true, vouched: true, tenant_id: 'growing' })
})

test('a segment carries the hashes that link its records', async () => {
  const caller = await tenantWithAuditLog('rowed', 5)
  const records = await service.records('rowed')
  const trustedKeys = await keysOf(caller)
  for (const [from_seq, to_seq] of [
    [1, 1],
    [1, 5],
    [2, 4],
    [3, 3],
  ] as const) {
    // biome-ignore format: kept on one line
    const proof = await proven(caller, { kind: 'segment', from_seq, to_seq })
    const expected = records.slice(from_seq - 1, to_seq)
    assert.deepEqual(proof.segment.map(({ record_hash }) => record_hash), expected.map(({ record_hash }) => record_hash)) // biome-ignore format: kept on one line
    assert.equal(proof.previous_hash, expected[0]!.previous_hash)
    assert.partialDeepStrictEqual(await verifyProof(proof, { trustedKeys }), { ok: true, vouched: true })
  }
})

test('missing, out of range or mismatching input is refused with its reason', async () => {
  const caller = await tenantWithAuditLog('refused', 2)
  const other = await tenantWithAuditLog('foreign', 1)
  const [theirs] = await service.records('foreign')
  const refused = async (input: object, reason: string) =>
    assertRefusal(await prove(caller, input), { code: 'invalid_payload', stage: 7, reason })
  const { record_hash, correlation_id } = theirs!
  await proven(other, { kind: 'inclusion', record_hash })
  const strange = await refused({ kind: 'inclusion', record_hash }, 'not_found')
  const absent = await refused({ kind: 'inclusion', record_hash: 'f'.repeat(64) }, 'not_found')
  assert.equal(strange.message.replace(record_hash, ''), absent.message.replace('f'.repeat(64), ''))
  await refused({ kind: 'inclusion', correlation_id }, 'not_found')
  const [own] = await service.records('refused')
  await refused({ kind: 'inclusion', record_hash: own!.record_hash, tree_size: 0 }, 'tree_size range')
  await refused({ kind: 'inclusion', record_hash: own!.record_hash, tree_size: 9e9 }, 'tree_size range')
  await refused({ kind: 'consistency', first: 2, second: 1 }, 'first range')
  await refused({ kind: 'consistency', first: 1, second: 9e9 }, 'second range')
  await refused({ kind: 'segment', from_seq: 2, to_seq: 1 }, 'from_seq range')
  await refused({ kind: 'segment', from_seq: 1, to_seq: 9e9 }, 'to_seq range')
  for (const misfit of [{ kind: 'inclusion' }, { kind: 'consistency' }, { kind: 'segment', from_seq: 1 }, { kind: 'segment', from_seq: 1, to_seq: 1, first: 1 }, { kind: 'inclusion', record_hash, correlation_id }]) // biome-ignore format: kept on one line
    await refused(misfit, 'fields of another kind')
})

test('an overwritten record fails offline verification, and raises an alarm in the audit log', async () => {
  const caller = await tenantWithAuditLog('altered', 4)
  const trustedKeys = await keysOf(caller)
  const [, second, third] = await service.records('altered')
  await writeOver(service, 'another word in the body', 'altered', second!.seq)
  const proof = await proven(caller, { kind: 'inclusion', record_hash: second!.record_hash })
  const verdict = await verifyProof(proof, { trustedKeys })
  assert.equal(verdict.ok, false)
  assert.match(verdict.reason!, /another content/)
  const untouched = await proven(caller, { kind: 'inclusion', record_hash: third!.record_hash })
  assert.equal((await verifyProof(untouched, { trustedKeys })).ok, true)
  const alarms = await service.records('altered', { event_types: ['SecurityViolation'] })
  assert.partialDeepStrictEqual(alarms[0]?.meta, { reason: 'record altered', seq: second!.seq })
})

test('a head and a tree that disagree are an internal failure and an alarm', async () => {
  const caller = await tenantWithAuditLog('beheaded', 2)
  await service.service.audit_log.flush()
  await asOwner(service.db_url, async (owner) => {
    await owner.query('SET session_replication_role = replica')
    await owner.query("UPDATE chain_heads SET frontier = sha256('x') || substr(frontier, 33) WHERE tenant_id = 'beheaded'") // biome-ignore format: kept on one line
  })
  assertRefusal(await prove(caller, { kind: 'consistency', first: 0 }), { code: 'internal', stage: 7 })
  const alarms = await service.records('beheaded', { event_types: ['SecurityViolation'] })
  assert.equal(alarms.at(-1)?.meta.reason, 'chain and tree disagree')
})

interface Map {
  readonly nodes: { id: string; kind: string; state: string; health: number | null; label: string }[]
  readonly edges: { from: string; to: string; kind: string; calls_24h?: number; error_rate?: number }[]
  readonly path?: { reachable: boolean; nodes: string[]; hops?: number }
  readonly analysis?: { components: string[][]; articulation: string[]; reachability: { id: string }[] }
  readonly truncated: boolean
  readonly as_of: string
}

async function mapFor(caller: Addresses, input: object): Promise<Map> {
  return assertSuccess(await maze(caller, 'topology', input)).output as unknown as Map
}

test('the map shows what is served, who called it and how often, and articulation points', async () => {
  const caller = await tenantWithAuditLog('mapped', 3)
  const { agent_did } = caller
  await ask(caller, 'audit_query', {}, {}, { protocol: 'MAX' })
  const map = await mapFor(caller, {
    depth: 3,
    analysis: ['components', 'articulation', 'reachability', 'betweenness'],
  })
  const find = (id: string) => map.nodes.find((node) => node.id === id)
  assert.partialDeepStrictEqual(find('protocol:MIND'), { kind: 'protocol', state: 'CLOSED', health: 1 })
  assert.partialDeepStrictEqual(find(agent_did), { kind: 'agent', state: 'UNREGISTERED' })
  const calls = map.edges.find(({ from, to }) => from === agent_did && to === 'protocol:MAX')
  assert.partialDeepStrictEqual(calls, { kind: 'calls', calls_24h: 4, error_rate: 0 })
  const endpoint = map.nodes.find(({ kind, id }) => kind === 'endpoint' && id.startsWith('endpoint:MAX@'))
  assert.equal(endpoint?.label, 'native')
  assert.equal(map.analysis?.components.length, 1)
  assert.ok(map.analysis.reachability.some(({ id }) => id === 'protocol:MAX'))
  assert.ok(
    !map.analysis.reachability.some(({ id }) => id === 'protocol:MIND'),
    'nobody of the organization calls it',
  )
  const ids = map.nodes.map(({ id }) => id)
  assert.deepEqual(ids, [...ids].sort())
  const small = await mapFor(caller, { limit: 3 })
  assert.deepEqual([small.nodes.length, small.truncated], [3, true])
})

test('paths use measured edges, and end at existing nodes', async () => {
  const caller = await tenantWithAuditLog('walked', 1)
  const path = { from: caller.agent_did, to: 'protocol:MAX', by: 'latency' }
  const map = await mapFor(caller, { path, depth: 1 })
  assert.partialDeepStrictEqual(map.path, { reachable: true, nodes: [path.from, path.to], hops: 1 })
  assert.ok(
    map.nodes.some(({ id }) => id === 'protocol:MAX'),
    'what is on the path is shown',
  )
  for (const input of [{ root: 'protocol:NONE' }, { path: { ...path, to: 'tenant:mapped' } }, { root: 'tenant:mapped' }])
    assertRefusal(await maze(caller, 'topology', input), { code: 'invalid_payload', stage: 7, reason: 'not_found' }) // biome-ignore format: kept on one line
})

/** As a caller whose key the engine holds. */
async function register(caller: Addresses, name: string, visibility = 'tenant') {
  const service_endpoints = [
    { kind: 'external', url: `https://${name.toLowerCase()}.example/`, protocols: [] },
  ]
  const input = { name, visibility, entity_kind: 'Agent', capabilities: [], service_endpoints }
  scene.clock.advance(1_000)
  assertSuccess(await ask(caller, 'register_agent', input, {}, { protocol: 'MARS' }))
}

test('the past shows registrations and calls of that time', async () => {
  const caller = await scene.seat('aged')
  const before = scene.later(0)
  await register(caller, 'First')
  const between = scene.later(500)
  await register(caller, 'Second')
  const labelAt = async (at?: string) => {
    const map = await mapFor(caller, {
      include: ['agents', 'endpoints', 'protocols'],
      ...(at === undefined ? {} : { at }),
    })
    assert.equal(map.as_of, at ?? scene.later(0))
    const shown = map.nodes.filter(({ kind }) => kind === 'agent' || kind === 'endpoint')
    return shown.filter(({ id }) => !id.includes('@')).map(({ label, state }) => `${label} ${state}`)
  }
  // Sets the probe result and defers the engine's own probe, which could come at any time.
  await asOwner(service.db_url, (owner) =>
    owner.query(
      "UPDATE endpoints_health SET healthy = false, next_probe_at = 'infinity' WHERE tenant_id = 'aged'",
    ),
  )
  assert.deepEqual(await labelAt(), ['Second LIVE', 'https://second.example/ FAILING'])
  assert.deepEqual(await labelAt(between), ['First LIVE', 'https://first.example/ UNKNOWN'])
  assert.deepEqual(await labelAt(before), [])
  const future = await maze(caller, 'topology', { at: '2999-01-01T00:00:00Z' })
  assertRefusal(future, { code: 'invalid_payload', stage: 7, reason: 'no_such_moment' })
})

test('another organization appears only if a treaty names it', async () => {
  const { ann, bob, eve } = scene
  await register(bob, 'Open', 'public')
  await register(eve, 'Stranger', 'public')
  const idsFor = async (input: object) =>
    (await mapFor(ann, { depth: 6, ...input })).nodes.map(({ id }) => id)
  const foreign = (ids: readonly string[]) => ids.filter((id) => /globex|third/.test(id))
  assert.deepEqual(foreign(await idsFor({})), [])
  await scene.agree()
  assertSuccess(await cross(bob, ann))
  const ids = await idsFor({})
  assert.deepEqual(foreign(ids).sort(), [bob.agent_did, 'tenant:globex'].sort())
  const map = await mapFor(ann, { depth: 6 })
  const edge = (kind: string) => map.edges.find(({ from, to, kind: edge_kind }) => edge_kind === kind && `${from} ${to}`.includes('tenant:globex')) // biome-ignore format: kept on one line
  assert.partialDeepStrictEqual(edge('treaty'), { from: 'tenant:acme', weight: 2 })
  assert.partialDeepStrictEqual(edge('calls'), { to: 'protocol:TRIAL', calls_24h: 1, error_rate: 0 })
  assert.deepEqual(foreign(await idsFor({ include: ['agents', 'protocols'] })), [])
})

test('tools, devices and workflows are connected to the organization and their protocol', async () => {
  const caller = await tenantWithAuditLog('acting', 1)
  const device = `did:oas:acting:device:${'d'.repeat(64)}`
  const descriptor = JSON.stringify({ device_did: device, name: 'Thermostat', sensors: [], actuators: [] })
  await asOwner(service.db_url, async (owner) => {
    await owner.query(`INSERT INTO mat_servers (tenant_id, server_id, transport, command_ref, state, registered_by,
      registered_at) VALUES ('acting', 'files', 'stdio', 'files', 'active', 'x', now())`)
    await owner.query(`INSERT INTO mat_tools (tenant_id, server_id, name, state, decided_by, decided_at)
      VALUES ('acting', 'files', 'read', 'disabled', 'x', now())`)
    await owner.query("INSERT INTO mote_devices VALUES ('acting', $1, 1, $2, $3, $3)", [device, descriptor, scene.later(-1)]) // biome-ignore format: kept on one line
    await owner.query(
      `INSERT INTO moon_manifest (tenant_id, ref, name, version, recipe_id, manifest, submitted_by, submitted_at, is_active)
       VALUES ('acting', 'sha256:1', 'Nightly', '1.0.0', 'sha256:2', '', 'x', $1, true)`,
      [scene.later(-1)],
    )
  })
  const map = await mapFor(caller, {})
  const shown = map.nodes.filter(({ id }) => /files|device|workflow/.test(id))
  assert.deepEqual(
    shown.map(({ id, kind, label, state }) => [id, kind, label, state]),
    [
      [device, 'device', 'Thermostat', 'REPORTING'],
      ['endpoint:mcp:files', 'endpoint', 'files', 'ACTIVE'],
      ['tool:mcp:files/read', 'tool', 'read', 'DISABLED'],
      ['workflow:sha256:1', 'workflow', 'Nightly 1.0.0', 'ACTIVE'],
    ],
  )
  for (const [
    from,
    to,
  ] of [['protocol:MOTE', device], ['protocol:MAT', 'endpoint:mcp:files'], ['protocol:MOON', 'workflow:sha256:1']]) // biome-ignore format: kept on one line
    assert.ok(
      map.edges.some((edge) => edge.from === from && edge.to === to),
      `${from} ${to}`,
    )
  const earlier = await mapFor(caller, { at: scene.later(-60_000) })
  assert.equal(earlier.nodes.filter(({ id }) => /files|device|workflow/.test(id)).length, 0)
})

test('a sealed chain can still be proved', async () => {
  const caller = await tenantWithAuditLog('sealed', 2)
  const [first] = await service.records('sealed')
  const { id, correlation_id, timestamp, caller_did } = entryOf('sealed')
  const order = { id, correlation_id, timestamp, caller_did, tenant_id: 'sealed', meta: {} }
  // Simulates a wound-up organization: the steps before are tested with MAUSOLEUM.
  const wound_up = (mode: 'DISABLE' | 'ENABLE') =>
    asOwner(service.db_url, (owner) => owner.query(`ALTER TABLE chain_heads ${mode} TRIGGER USER;
      ALTER TABLE audit_tail ${mode} TRIGGER USER;
      SET session_replication_role = replica;
      UPDATE tenants SET standing = 'sealed' WHERE tenant_id = 'sealed'`)) // biome-ignore format: kept on one line
  await wound_up('DISABLE')
  const seal = await service.service.audit_log.forTenant('sealed').seal(order)
  await wound_up('ENABLE')
  const proof = await proven(caller, { kind: 'inclusion', record_hash: first!.record_hash })
  assert.deepEqual([proof.tree_size, proof.root_hash], [seal.final_seq, seal.root])
  const verdict = await verifyProof(proof, { trustedKeys: [seal.public_key], checkpoints: [seal.checkpoint] })
  assert.partialDeepStrictEqual(verdict, { ok: true, vouched: true })
})
