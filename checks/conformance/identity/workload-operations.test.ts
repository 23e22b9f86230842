// Workloads over the wire: never for an agent that is not the caller's, nor for more than the caller may do.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { system_clock } from '@svc/adapters/clock/system'
import { workloads_max } from '@svc/contract/needs/workloads'
import { type Answer, dispatch, type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { openTestStore, type TestStore } from '../../rehearsal/test-store.ts'
import { dpopProof } from '../../scenes/dpop-proof.ts'
import { deriveOwnKeyed, proveItself } from '../../scenes/own-keyed-agent.ts'
import type { TestIdentity } from '../../scenes/test-descent.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

type Fields = Record<string, unknown>
const data_dir = mkdtempSync(join(tmpdir(), 'svc-workload-operations-'))
let scene: TestStore
let engine: RunningEngine
before(async () => {
  scene = await openTestStore()
  engine = await startEngine({ data_dir, env: { SVC_DB_URL: scene.database.url } })
})
after(async () => {
  await engine?.stop()
  await scene.close()
  rmSync(data_dir, { recursive: true, force: true })
})

const macs = (operation: string, input: object, headers = {}, at: object = engine): Promise<Answer> =>
  dispatch(at as RunningEngine, { protocol: 'MACS', operation, input }, headers)
const done = async (answer: Promise<Answer>): Promise<Fields> => assertSuccess(await answer).output
const reasonOf = async (answer: Promise<Answer>) => (await answer).body.error?.reason

/** Calls in a session of the agent's own key. */
async function inSession(agent: TestIdentity) {
  const { session_token: token } = await proveItself(engine, agent)
  return (operation: string, input: object) =>
    macs(operation, input, {
      authorization: `DPoP ${token}`,
      dpop: dpopProof(agent, { url: `${engine.api_url}/v1/dispatch`, token }),
      'x-agent-did': undefined,
    })
}

const mappingOf = (agent_did: string, more = {}) => ({
  agent_did,
  issuer: 'https://token.actions.example',
  audience: 'https://svc.example',
  claims: { repository: ['acme/app'], '/kubernetes.io/namespace': ['prod', 'test'] },
  ...more,
})

test('a mapping is added for a descendant, listed, and removed once', async () => {
  const agent = await deriveOwnKeyed(engine)
  const added = await done(macs('add_workload', mappingOf(agent.did)))
  const { items } = await done(macs('list_workloads', { agent_did: agent.did }))
  const [{ created_at, ...listed }] = items as [Fields]
  assert.ok(typeof created_at === 'string')
  assert.deepEqual(listed, {
    ...mappingOf(agent.did),
    has_stored_keys: false,
    workload_id: added.workload_id,
  })
  const { workload_id } = added
  const removed = await done(macs('remove_workload', { workload_id, reason: 'over' }))
  assert.equal(removed.agent_did, agent.did)
  assert.equal(await reasonOf(macs('remove_workload', { workload_id })), 'not_found')
  assert.deepEqual((await done(macs('list_workloads', { agent_did: agent.did }))).items, [])
  const event_type = ['WorkloadAdded', 'WorkloadRemoved']
  const query = { protocol: 'MAX', operation: 'audit_query', input: { event_type } }
  const { records } = await done(dispatch(engine, query))
  assert.deepEqual(
    (records as { event_type: string; meta: Fields }[]).map(({ event_type, meta }) => [
      event_type,
      meta.workload_id,
    ]),
    event_type.map((type) => [type, workload_id]),
  )
})

test('an agent adds and removes nothing for those that do not descend from it', async () => {
  const [agent, other] = [await deriveOwnKeyed(engine, ['svc.macs.*']), await deriveOwnKeyed(engine, [])]
  const ask = await inSession(agent)
  const { workload_id } = await done(macs('add_workload', mappingOf(other.did)))
  for (const did of [other.did, engine.agent_did, `did:oas:elsewhere:agent:${'0'.repeat(64)}`])
    assert.equal(await reasonOf(ask('add_workload', mappingOf(did))), 'not_found')
  assert.equal(await reasonOf(ask('remove_workload', { workload_id })), 'not_found')
  assert.equal(await reasonOf(ask('add_workload', mappingOf(agent.did))), undefined)
})

test('nobody maps to an agent that may do more, or with a credential that is bounded', async () => {
  const kind = { entity_kind: 'Agent', capabilities: [{ name: 'svc.macs.*', caveats: [] }] }
  const { did } = await done(macs('derive', { ...kind, label: 'deputy' }))
  const { tenant_id } = engine
  const issued = await issueKey(scene.store.engine, {
    tenant_id,
    did: String(did),
    mode: 'test',
    capabilities: kind.capabilities,
  })
  const deputy = { ...engine, agent_did: did, api_key: issued.api_key }
  const asDeputy = (operation: string, input: object) => macs(operation, input, {}, deputy)
  const child = String((await done(asDeputy('derive', { entity_kind: 'Agent', label: 'child' }))).did)
  const delegated = {
    to_did: child,
    capabilities: ['svc.max.audit_query'],
    expires_at: new Date(system_clock.now_ms() + 3_600_000).toISOString(),
  }
  await done(dispatch(engine, { protocol: 'Aegis', operation: 'delegate', input: delegated }))
  assert.equal(
    await reasonOf(asDeputy('add_workload', mappingOf(child))),
    'capability amplification: svc.max.audit_query',
  )
  assert.equal(await reasonOf(asDeputy('add_workload', mappingOf(String(did)))), undefined)
  const { api_key } = await done(asDeputy('create_key', { label: 'bounded' }))
  const bounded = { ...deputy, api_key }
  const mapping = mappingOf(String(did))
  assert.equal(await reasonOf(macs('add_workload', mapping, {}, bounded)), 'bounded credential')
})

test('an issuer is a plain https address, and without a claim every workload of it would be the agent', async () => {
  const { agent_did } = engine
  for (const more of [
    { issuer: 'http://token.example' },
    { issuer: 'spiffe://acme.example' },
    { claims: {} },
    { claims: { sub: [] } },
    { audience: '' },
  ])
    assert.equal((await macs('add_workload', mappingOf(agent_did, more))).body.error?.code, 'invalid_payload')
  for (const issuer of ['https://a@b.example', 'https://b.example/?x', 'https://b.example/#x', 'https://['])
    assert.equal(await reasonOf(macs('add_workload', mappingOf(agent_did, { issuer }))), 'invalid issuer')
})

test('an organization has a bounded number of them, however many are added at once', async () => {
  const { agent_did } = engine
  const answers: Answer[] = []
  for (let round = 0; round < 21; round++)
    answers.push(
      ...(await Promise.all(
        Array.from({ length: workloads_max / 20 }, () => macs('add_workload', mappingOf(agent_did))),
      )),
    )
  const refused = answers.filter(({ body }) => body.error)
  assert.deepEqual([...new Set(refused.map(({ body }) => body.error.reason))], ['too many workloads'])
  let [count, cursor] = [0, undefined as string | undefined]
  do {
    const page = await done(macs('list_workloads', { limit: 100, ...(cursor && { cursor }) }))
    count += (page.items as Fields[]).length
    cursor = page.next_cursor as string | undefined
  } while (cursor)
  assert.equal(count, workloads_max)
})
