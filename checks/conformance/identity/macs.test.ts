import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { keepSeed } from '@svc/adapters/custody/keystore'
import { localAdmin } from '@svc/contract/identity/identity'
import { documentFault, type IdentityDocument } from '@svc/contract/identity/identity-document'
import { childSeed, verifyLineage } from '@svc/contract/identity/lineage'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { basic_capabilities } from '../../scenes/basic-capabilities.ts'
import {
  askMacs,
  challengeFor,
  lineageThrough,
  newKeyed,
  outputOf,
  responseOf,
  type TestIdentity,
  vouch,
} from '../../scenes/test-descent.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
const master_key = Buffer.alloc(32, 9)
let service: InProcessService
const root = newKeyed('dev', 'HumanRoot')
const agent = newKeyed('dev', 'Agent')
const instance = newKeyed('dev', 'AgentInstance')
/** A parent in custody with few capabilities, so that amplification is visible. */
const parent = newKeyed('dev', 'HumanRoot')

before(async () => {
  const admin = (did: string) => ({
    ...localAdmin(did),
    ...(did === parent.did
      ? { capabilities: [{ name: 'svc.mind.*', caveats: ['time:09-17'], limits: { max_per_hour: 10 } }] }
      : {}),
  })
  const identities = new Map<string, ReturnType<typeof admin>>()
  const identity = {
    resolve(did: string) {
      if (!identities.has(did)) identities.set(did, admin(did))
      return { outcome: 'Resolved' as const, identity: identities.get(did)! }
    },
  }
  service = await startInProcess({ clock, identity, config: { master_key } })
})
after(() => service.stop())

async function callerOf({ did, seed }: TestIdentity): Promise<Addresses> {
  const { engine } = service.service.store
  await keepSeed(engine, service.service.root_keys, service.tenant_id, did, seed)
  const key = await issueKey(engine, {
    tenant_id: service.tenant_id,
    did,
    mode: 'test',
    capabilities: basic_capabilities,
  })
  return { ...service, agent_did: did, api_key: key.api_key }
}

const denied = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const

async function violations(correlation_id: string) {
  const records = await service.records(service.tenant_id, { correlation_ids: [correlation_id] })
  return records.filter(({ event_type }) => event_type === 'SecurityViolation').map(({ meta }) => meta.reason)
}

test('scenario 1: an instance of a root’s agent proves its key and its lineage, once', async () => {
  const lineage = lineageThrough(root, agent, instance)
  const issued = await challengeFor(service, instance.did)
  const response = responseOf(instance, issued, { lineage })
  const answer = assertSuccess(await askMacs(service, 'verify_response', response))
  const { session_token, token_expires_at, session_id, key_id, ...told } = answer.output
  assert.deepEqual(told, {
    verified: true,
    did: instance.did,
    entity_kind: 'AgentInstance',
    human_root_did: root.did,
    creator_did: agent.did,
    lineage_depth: 2,
    lineage_verified: true,
    conformance_level: 'L1',
    warnings: [],
  })
  assert.equal(session_id, issued.session_id)
  assert.match(String(session_token), new RegExp(`^svc_live_${key_id}_[A-Za-z0-9_-]{43}$`))
  assert.equal(Date.parse(String(token_expires_at)) - clock.now_ms(), 15 * 60_000)
  const events = await service.records(service.tenant_id, {
    correlation_ids: [answer.metadata.correlation_id],
  })
  assert.deepEqual(events.map(({ event_type }) => event_type).sort(), [
    'IdentityVerified',
    'ProtocolInvocation',
  ])
  const again = await askMacs(service, 'verify_response', response)
  const error = assertRefusal(again, denied('challenge already used'))
  assert.deepEqual(await violations(error.correlation_id), ['challenge already used'])
})

test('scenario 1: of two concurrent copies exactly one succeeds', async () => {
  const issued = await challengeFor(service, agent.did)
  const response = responseOf(agent, issued, { lineage: lineageThrough(root, agent) })
  const answers = await Promise.all([1, 2].map(() => askMacs(service, 'verify_response', response)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
  assertRefusal(answers.find(({ status }) => status === 422)!, denied('challenge already used'))
})

test('scenario 2: a forged middle statement and a swapped key are refused, each a SecurityViolation', async () => {
  const stranger = newKeyed('dev', 'HumanRoot')
  const forged = [
    vouch(instance, agent),
    { ...vouch(agent, root), signature: vouch(agent, stranger).signature },
  ]
  const first = await askMacs(
    service,
    'verify_response',
    responseOf(instance, await challengeFor(service, instance.did), { lineage: forged }),
  )
  const broken = assertRefusal(first, denied('lineage broken at depth 1: signature invalid'))
  assert.deepEqual(await violations(broken.correlation_id), ['lineage broken at depth 1: signature invalid'])
  const swapped = responseOf(instance, await challengeFor(service, instance.did), {
    public_key: stranger.public_key,
    lineage: lineageThrough(root, agent, instance),
  })
  const second = await askMacs(service, 'verify_response', swapped)
  const mismatch = assertRefusal(second, denied('public key does not match DID'))
  assert.deepEqual(await violations(mismatch.correlation_id), ['public key does not match DID'])
})

test('scenario 3: the same input gives the same child, another index another child, and nothing is amplified', async () => {
  const caller = await callerOf(parent)
  const wish = {
    entity_kind: 'Agent',
    label: 'worker',
    capabilities: [{ name: 'svc.mind.recall_memory', caveats: [] }],
  }
  const first = assertSuccess(await askMacs(caller, 'derive', wish))
  const { document, lineage_statement, created } = first.output as {
    document: IdentityDocument
    lineage_statement: IdentityDocument['lineage'][0]
    created: boolean
  }
  assert.equal(created, true)
  assert.equal(documentFault(document, String(first.output.did)), undefined)
  assert.deepEqual(document.lineage, [lineage_statement])
  const now = new Date(clock.now_ms()).toISOString()
  assert.equal(verifyLineage(document.id, document.lineage, { now }).verified, true)
  assert.deepEqual(document.capabilities, [
    { name: 'svc.mind.recall_memory', caveats: ['time:09-17'], limits: { max_per_hour: 10 } },
  ])
  const events = await service.records(service.tenant_id, {
    correlation_ids: [first.metadata.correlation_id],
  })
  const kinds = events.map(({ event_type }) => event_type)
  for (const kind of ['IdentityDerived', 'CapabilityGrant', 'ProtocolInvocation'])
    assert.ok(kinds.includes(kind), kind)
  clock.advance(60_000)
  const again = assertSuccess(await askMacs(caller, 'derive', wish))
  assert.deepEqual({ ...again.output, created: true }, first.output)
  assert.equal(again.output.created, false)
  const other = assertSuccess(await askMacs(caller, 'derive', { ...wish, index: 1 }))
  assert.notEqual(other.output.did, first.output.did)
  // An invalid name is the caller's own text, so no reason repeats it.
  for (const [name, suffix] of [
    ['svc.marc.reasoning_task', ': svc.marc.reasoning_task'],
    ['svc.*.*', ': svc.*.*'],
    ['svc.mind.', ''],
    ['mind', ''],
  ] as const) {
    const greedy = { ...wish, label: 'greedy', capabilities: [{ name, caveats: [] }] }
    assertRefusal(await askMacs(caller, 'derive', greedy), denied(`capability amplification${suffix}`))
  }
  const wider = {
    ...wish,
    label: 'wide',
    capabilities: [{ name: 'svc.mind.*', caveats: [], limits: { max_per_hour: 11 } }],
  }
  assertRefusal(await askMacs(caller, 'derive', wider), denied('capability amplification: svc.mind.*'))
})

test('capabilities of a key end with it, also in derived children', async () => {
  const expires_at = '2026-12-01T00:00:00.000Z'
  const { agent_did } = await callerOf(parent)
  const { api_key } = await issueKey(service.service.store.engine, {
    tenant_id: service.tenant_id,
    did: agent_did,
    mode: 'test',
    capabilities: ['svc.macs.derive', 'svc.marc.*'].map((name) => ({ name, caveats: [] })),
    expires_at,
  })
  const caller = { ...service, agent_did, api_key }
  const wish = (label: string, more = {}) => ({
    entity_kind: 'Agent',
    label,
    capabilities: [{ name: 'svc.marc.reasoning_task', caveats: [], ...more }],
  })
  const { output } = assertSuccess(await askMacs(caller, 'derive', wish('short-lived')))
  assert.deepEqual((output.document as IdentityDocument).capabilities, [
    { name: 'svc.marc.reasoning_task', caveats: [], expires_at },
  ])
  const longer = wish('long-lived', { expires_at: '2026-12-02T00:00:00.000Z' })
  const reason = 'capability amplification: svc.marc.reasoning_task'
  assertRefusal(await askMacs(caller, 'derive', longer), denied(reason))
})

test('a child in custody derives children, and proves itself without sending its lineage', async () => {
  const caller = await callerOf(newKeyed('dev', 'HumanRoot'))
  const child = outputOf(
    await askMacs(caller, 'derive', { entity_kind: 'Agent', label: 'one' }),
  ) as unknown as {
    did: string
  }
  const key = await issueKey(service.service.store.engine, {
    tenant_id: service.tenant_id,
    did: child.did,
    mode: 'test',
    capabilities: basic_capabilities,
  })
  const as_child = { ...service, agent_did: child.did, api_key: key.api_key }
  const grandchild = assertSuccess(
    await askMacs(as_child, 'derive', { entity_kind: 'AgentInstance', label: 'two' }),
  )
  assert.equal(grandchild.output.lineage_depth, 2)
  assert.equal((grandchild.output.document as IdentityDocument).lineage.length, 2)
})

test('capabilities are visible to the agent and its tenant; other identities are not found', async () => {
  const caller = await callerOf(parent)
  const ask = (input: object) => askMacs(caller, 'authorization_request', input)
  const { output } = assertSuccess(await ask({ agent_did: parent.did, protocol: 'MIND' }))
  assert.deepEqual(output.capabilities, [
    {
      name: 'svc.mind.*',
      caveats: ['time:09-17'],
      limits: { max_per_hour: 10 },
      source: 'declared',
      satisfied_now: true,
      unsatisfied: [],
    },
  ])
  const night = assertSuccess(
    await ask({ agent_did: parent.did, protocol: 'MIND', at: '2026-11-15T22:00:00Z' }),
  )
  assert.deepEqual((night.output.capabilities as { unsatisfied: unknown }[])[0]!.unsatisfied, ['time:09-17'])
  assertSuccess(await ask({ agent_did: instance.did }))
  const foreign = newKeyed('rival', 'Agent').did
  assertRefusal(await ask({ agent_did: foreign }), { code: 'invalid_payload', stage: 7, reason: 'not_found' })
})

test('with all nodes running a child is published, registered, resolved at L1, and proven through OAS', async (t) => {
  const origin = newKeyed('dev', 'HumanRoot')
  const whole = await startInProcess({
    clock,
    config: { master_key },
    with_nodes: true,
    identity: (resolver) => ({
      resolve: (did) =>
        did === origin.did ? { outcome: 'Resolved', identity: localAdmin(did) } : resolver.resolve(did),
    }),
  })
  t.after(() => whole.stop())
  const { engine } = whole.service.store
  await keepSeed(engine, whole.service.root_keys, 'dev', origin.did, origin.seed)
  const callerFor = async (did: string) => {
    const key_terms = { tenant_id: 'dev', did, mode: 'test', capabilities: basic_capabilities } as const
    const { api_key } = await issueKey(engine, key_terms)
    return { ...whole, agent_did: did, api_key }
  }
  const descent = { entity_kind: 'Agent', label: 'known', index: 0 }
  const capabilities = [{ name: 'svc.mars.query_registry', caveats: [] }]
  const derived = assertSuccess(
    await askMacs(await callerFor(origin.did), 'derive', { ...descent, capabilities }),
  )
  assert.deepEqual([derived.output.published, derived.output.warnings], [true, []])
  const records = await whole.records('dev', { correlation_ids: [derived.metadata.correlation_id] })
  const own = records.find(
    ({ operation, event_type }) => operation === 'derive' && event_type === 'ProtocolInvocation',
  )
  assert.deepEqual(own?.meta.module, { published: true, registered: true })
  const child = newKeyed('dev', 'Agent', childSeed(origin.seed, origin.did, descent))
  assert.equal(derived.output.did, child.did)
  const as_child = await callerFor(child.did)
  const grandchild = assertSuccess(
    await askMacs(as_child, 'derive', { entity_kind: 'Tool', label: 'hammer' }),
  )
  assert.deepEqual([grandchild.output.lineage_depth, grandchild.output.published], [2, true])
  const issued = await challengeFor(as_child, child.did)
  const proven = assertSuccess(await askMacs(as_child, 'verify_response', responseOf(child, issued)))
  assert.deepEqual(
    [proven.output.conformance_level, proven.output.human_root_did, proven.output.warnings],
    ['L1', origin.did, []],
  )
  const expires_at = new Date(clock.now_ms() + 3_600_000).toISOString()
  const request = { to_did: child.did, capabilities: ['svc.max.audit_query'], expires_at }
  const delegator = await callerFor(origin.did)
  const answer = assertSuccess(
    await dispatch(delegator, { protocol: 'Aegis', operation: 'delegate', input: request }),
  )
  const delegated = async (delegation: unknown) => {
    const challenge = await challengeFor(as_child, child.did, { profile: 'DelegatedAuth' })
    return askMacs(as_child, 'verify_response', responseOf(child, challenge, { delegation }))
  }
  assert.equal(assertSuccess(await delegated(answer.output.token)).output.verified, true)
  const withdrawal = { action: 'revoke', token_id: answer.output.token_id, reason: 'done' }
  assertSuccess(await dispatch(delegator, { protocol: 'Aegis', operation: 'policy', input: withdrawal }))
  assertRefusal(await delegated(answer.output.token), denied('delegation not in force'))
})
