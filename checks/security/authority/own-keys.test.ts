// Attacks on sessions, keys that agents make, and roles. Each test states what must hold.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { issueKey, revokeKey } from '@svc/adapters/access/api-keys'
import { keyRing } from '@svc/adapters/access/key-ring'
import { system_clock } from '@svc/adapters/clock/system'
import { perform } from '@svc/service/background/workflows'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { dpopProof } from '../../scenes/dpop-proof.ts'
import { makeOwnKeyed, proveItself } from '../../scenes/own-keyed-agent.ts'
import { responseOf, type TestIdentity } from '../../scenes/test-descent.ts'

let engine: InProcessService
before(async () => {
  engine = await startInProcess({
    with_nodes: true,
    identity: (others) => others,
    config: { master_key: randomBytes(32) },
  })
})
after(async () => await engine?.stop())

const at = (tenant_id: string): Addresses => ({ ...engine, tenant_id })
const call = { protocol: 'MARS', operation: 'query_registry', input: { tag: 'none', limit: 1 } }
const audit = { protocol: 'MAX', operation: 'audit_query', input: { protocol: 'MACS' } }

async function withSession(who: TestIdentity, tenant_id: string, token: string, request: object) {
  const dpop = dpopProof(who, { url: `${engine.api_url}/v1/dispatch`, token })
  return dispatch(at(tenant_id), request, {
    authorization: `DPoP ${token}`,
    'x-agent-did': undefined,
    dpop,
  })
}
const macs = (who: TestIdentity, tenant_id: string, token: string, operation: string, input: object) =>
  withSession(who, tenant_id, token, { protocol: 'MACS', operation, input })
const show = (answer: { status: number; body: unknown }) =>
  JSON.stringify([answer.status, answer.body]).slice(0, 600)

test('a session of an identity of another organization is never one of this organization', async () => {
  const insider = await makeOwnKeyed(engine, 'victim', [])
  const mallory = await makeOwnKeyed(engine, 'evil', ['svc.*.*', 'svc.role.finance'])
  const { session_token } = await proveItself(at('victim'), insider)
  assert.equal((await withSession(insider, 'victim', session_token, audit)).status, 403)
  const opened = await macs(insider, 'victim', session_token, 'auth_negotiation', {
    profile: 'DidAuth',
    challenge_kind: 'Nonce',
    agent_did: mallory.did,
  })
  const { session_id } = opened.body.output
  const issued = await macs(insider, 'victim', session_token, 'generate_challenge', { session_id })
  const proven = await macs(
    insider,
    'victim',
    session_token,
    'verify_response',
    responseOf(mallory, issued.body.output),
  )
  assert.equal(proven.body.error?.reason, 'identity of another organization', show(proven))
})

test('a bounded key makes no key with wider bounds', async () => {
  const agent = await makeOwnKeyed(engine, 'dev2', ['svc.*.*'])
  const { session_token } = await proveItself(at('dev2'), agent)
  const made = await macs(agent, 'dev2', session_token, 'create_key', {
    label: 'narrow',
    capabilities: ['svc.macs.create_key'],
    networks: ['127.0.0.0/8'],
    expires_at: new Date(system_clock.now_ms() + 3_600_000).toISOString(),
  })
  assert.equal(made.status, 200, show(made))
  const narrow = { ...at('dev2'), agent_did: agent.did, api_key: made.body.output.api_key }
  assert.equal((await dispatch(narrow, audit)).status, 403)
  const wider = await dispatch(narrow, {
    protocol: 'MACS',
    operation: 'create_key',
    input: { label: 'wide' },
  })
  const { capabilities, networks, expires_at } = wider.body.output
  assert.deepEqual([capabilities, networks], [['svc.macs.create_key'], ['127.0.0.0/8']])
  assert.equal(expires_at, made.body.output.expires_at)
  const wide = { ...narrow, api_key: wider.body.output.api_key }
  const read = await dispatch(wide, audit)
  assert.notEqual(
    read.status,
    200,
    `key for create_key alone made: ${JSON.stringify({ ...wider.body.output, api_key: 0 })}`,
  )
})

test('a key that carries little makes no key with what other keys carry', async () => {
  const agent = await makeOwnKeyed(engine, 'dev3', [])
  const { engine: db } = engine.service.store
  const give = (name: string) =>
    issueKey(db, { tenant_id: 'dev3', did: agent.did, mode: 'live', capabilities: [{ name, caveats: [] }] })
  await give('svc.*.*')
  const { api_key } = await give('svc.macs.create_key')
  const narrow = { ...at('dev3'), agent_did: agent.did, api_key }
  assert.equal((await dispatch(narrow, audit)).status, 403)
  const wider = await dispatch(narrow, {
    protocol: 'MACS',
    operation: 'create_key',
    input: { label: 'wide' },
  })
  assert.deepEqual(wider.body.output?.capabilities, ['svc.macs.create_key'], show(wider))
  const read = await dispatch({ ...narrow, api_key: wider.body.output.api_key }, audit)
  assert.notEqual(read.status, 200, show(read))
})

test('a wildcard makes nobody an approver by way of a bounded key', async () => {
  const agent = await makeOwnKeyed(engine, 'dev4', ['svc.*.*'])
  const { session_token } = await proveItself(at('dev4'), agent)
  const caller = await makeOwnKeyed(engine, 'dev4', [])
  const { engine: db } = engine.service.store
  const { api_key } = await issueKey(db, {
    tenant_id: 'dev4',
    did: caller.did,
    mode: 'live',
    capabilities: [{ name: 'svc.mars.query_registry', caveats: ['approval:role:finance'] }],
  })
  const bob = { ...at('dev4'), agent_did: caller.did, api_key }
  const waiting = await dispatch(bob, call)
  assert.equal(waiting.body.error.code, 'approval_required', show(waiting))
  const { approval_id } = waiting.body.error.details
  const decide = {
    protocol: 'MAXIM',
    operation: 'approval_decide',
    input: { approval_id, decision: 'approve' },
  }
  const plain = await withSession(agent, 'dev4', session_token, decide)
  assert.notEqual(plain.status, 200, 'the wildcard itself is no role')
  const made = await macs(agent, 'dev4', session_token, 'create_key', {
    label: 'role',
    capabilities: ['svc.role.finance', 'svc.maxim.*'],
  })
  assert.equal(made.body.error?.reason, 'capability amplification: svc.role.finance', show(made))
  const after = await dispatch(bob, call)
  assert.equal(after.body.error?.code, 'approval_required', show(after))
})

test('once is used once, whoever derives from its holder', async () => {
  const { engine: db } = engine.service.store
  const agent = await makeOwnKeyed(engine, 'dev5', ['svc.macs.*'])
  const { api_key } = await issueKey(db, {
    tenant_id: 'dev5',
    did: agent.did,
    mode: 'live',
    capabilities: [{ name: 'svc.mars.query_registry', caveats: ['once:a'] }],
  })
  const alice = { ...at('dev5'), agent_did: agent.did, api_key }
  assert.equal((await dispatch(alice, call)).status, 200)
  const again = await dispatch(alice, call)
  assert.equal(again.status, 403, show(again))
  const input = {
    entity_kind: 'Agent',
    label: 'twin',
    capabilities: [{ name: 'svc.mars.query_registry', caveats: ['once:a'] }],
  }
  const derived = await dispatch(alice, { protocol: 'MACS', operation: 'derive', input })
  assert.equal(derived.body.error?.reason, 'capability amplification: svc.mars.query_registry', show(derived))
})

test('a run of a bounded key loses what another key carried when that is revoked', async () => {
  const agent = await makeOwnKeyed(engine, 'dev6', [])
  const { engine: db } = engine.service.store
  const issue = (more: object) => issueKey(db, { tenant_id: 'dev6', did: agent.did, mode: 'live', ...more })
  const carrying = await issue({ capabilities: [{ name: 'svc.max.audit_query', caveats: [] }] })
  const bounded = await issue({ usable_for: ['svc.*.*'], made_by: agent.did })
  const log = { warn() {}, error() {}, info() {}, debug() {} } as never
  const keys = keyRing(db, system_clock, log)
  const { secret_hash: _s, expires_at_ms: _e, revoked: _r, ...carried } = (await keys.find(bounded.key_id))!
  assert.equal(carried.capabilities.length, 1)
  await revokeKey(db, 'dev6', carrying.key_id)
  keys.forget(carrying.key_id)
  assert.equal((await keys.find(bounded.key_id))!.capabilities.length, 0, 'a direct call has lost it')
  let credential: { capabilities: readonly unknown[] } | undefined
  const parts = {
    audit_log: { ready: async () => {} },
    engine: {
      async dispatch(call: { credential: { capabilities: readonly unknown[] } }) {
        credential = call.credential
        return { kind: 'success', output_text: '{}', record_id: null }
      },
    },
    registry: engine.service.registry ?? { versions: () => [] },
    keys,
    clock: system_clock,
    store: engine.service.store,
  }
  const effect = {
    protocol: 'MAX',
    operation: 'audit_query',
    input: {},
    tenant_id: 'dev6',
    workflow: {},
    timeout_ms: 1000,
    acting: { ...carried, correlation_id: 'x', depth: 0 },
  }
  await perform(parts as never, effect as never, new AbortController().signal)
  assert.equal(
    credential!.capabilities.length,
    0,
    `a step still has ${JSON.stringify(credential!.capabilities)}`,
  )
})

test('nobody keeps another agent from proving itself', async () => {
  const insider = await makeOwnKeyed(engine, 'dev7', [])
  const agent = await makeOwnKeyed(engine, 'dev7', [])
  const { session_token } = await proveItself(at('dev7'), insider)
  const wish = { profile: 'DidAuth', challenge_kind: 'Nonce', agent_did: agent.did }
  for (let n = 0; n < 40; n++) {
    const opened = await macs(insider, 'dev7', session_token, 'auth_negotiation', wish)
    if (opened.status !== 200) break
    const { session_id } = opened.body.output
    const issued = await macs(insider, 'dev7', session_token, 'generate_challenge', { session_id })
    if (issued.status !== 200) break
  }
  await assert.doesNotReject(proveItself(at('dev7'), agent))
})
