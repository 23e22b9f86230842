// Attacks by keys and workloads: what is held within bounds is not given without them, and nobody stands in another's way.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { issueKey, revokeKey } from '@svc/adapters/access/api-keys'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { addWorkload, workloadsOf } from '@svc/adapters/access/workloads'
import { system_clock } from '@svc/adapters/clock/system'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { verifyWorkload } from '@svc/gateway/oauth/workload-token'
import { askBundledNode, makeIdentity } from '@svc/service/assembly/identities'
import { createLocalJWKSet } from 'jose'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { startIssuer } from '../../neighbours/test-issuer.ts'

let engine: InProcessService
before(async () => {
  const config = { master_key: randomBytes(32) }
  engine = await startInProcess({ with_nodes: true, identity: (others) => others, config })
})
after(async () => await engine?.stop())

/** The engine keeps its key, so that it derives by the wire alone. */
async function newRoot(tenant_id: string): Promise<{ readonly did: string }> {
  const { engine: db } = engine.service.store
  await ensureTenant(db, tenant_id, tenant_id, 'sovereign')
  const { root_keys } = engine.service
  const home = { db, root_keys, clock: system_clock, askNode: askBundledNode(db, system_clock) }
  return await makeIdentity(home, { tenant_id, custody: 'engine', entity_kind: 'HumanRoot' })
}

interface KeyHolder extends Addresses {
  readonly key_id: string
  macs(operation: string, input: object): Promise<Answer>
}

async function withKey(tenant_id: string, did: string, capabilities: AgentCapability[]): Promise<KeyHolder> {
  const { engine: db } = engine.service.store
  const { key_id, api_key } = await issueKey(db, { tenant_id, did, mode: 'live', capabilities })
  const addresses = { ...engine, tenant_id, agent_did: did, api_key }
  const macs = (operation: string, input: object) =>
    dispatch(addresses, { protocol: 'MACS', operation, input })
  return { ...addresses, key_id, macs }
}

const plain = (name: string): AgentCapability => ({ name, caveats: [] })
const mapping = { issuer: 'https://token.actions.example', audience: 'svc', claims: { sub: ['acme/app'] } }

const bounds: Record<string, Partial<AgentCapability>> = {
  'a caveat': { caveats: ['approval:role:finance'] },
  'an end': { expires_at: new Date(system_clock.now_ms() + 3_600_000).toISOString() },
  'an end that is over': { expires_at: '2026-01-01T00:00:00Z' },
  'a limit': { limits: { max_per_hour: 1 } },
}

for (const [index, [bound, narrower]] of Object.entries(bounds).entries())
  test(`what an agent holds within ${bound} its descendant does not get without it by a key or workload`, async () => {
    const tenant_id = `given${index}`
    const { engine: db } = engine.service.store
    const { did } = await newRoot(tenant_id)
    const name = 'svc.max.audit_query'
    const before = await withKey(tenant_id, did, [plain('svc.macs.*'), plain(name)])
    const wish = { entity_kind: 'Agent', label: 'child', capabilities: [plain(name)] }
    const derived = await before.macs('derive', wish)
    assert.equal(derived.status, 200, JSON.stringify(derived.body))
    const agent_did = derived.body.output.did
    const giveWith = async (parent: KeyHolder) => [
      (await parent.macs('create_key', { agent_did, label: 'x', capabilities: [name] })).body.error?.reason,
      (await parent.macs('create_key', { agent_did, label: 'x', capabilities: ['svc.max.*'] })).status,
      (await parent.macs('add_workload', { agent_did, ...mapping })).body.error?.reason,
    ]
    assert.deepEqual(await giveWith(before), [undefined, 422, undefined])
    await revokeKey(db, tenant_id, before.key_id)
    const now = await withKey(tenant_id, did, [plain('svc.macs.*'), { ...plain(name), ...narrower }])
    const why = `capability amplification: ${name}`
    assert.deepEqual(await giveWith(now), [why, 422, why])
  })

test('nobody keeps workloads of another organization from their sessions', async () => {
  const { engine: db } = engine.service.store
  const issuer = await startIssuer(() => Math.floor(system_clock.now_ms() / 1000))
  try {
    const iss = mapping.issuer
    const dids: string[] = []
    for (const tenant_id of ['victim', 'mallory']) {
      const { did } = await newRoot(tenant_id)
      const agent = await withKey(tenant_id, did, [plain('svc.macs.*')])
      assert.equal((await agent.macs('add_workload', { agent_did: did, ...mapping })).status, 200)
      dids.push(did)
    }
    const issuers = {
      mappingsOf: (name: string, did: string | undefined) => workloadsOf(db, name, did),
      keysOf: () => createLocalJWKSet(issuer.jwks() as never),
    }
    const token = await issuer.sign({ iss, aud: 'svc', sub: 'acme/app' })
    const exchange = (did?: string) => verifyWorkload(token, did, issuers, system_clock.now_ms())
    for (const did of dids) assert.equal((await exchange(did)).mapping.did, did)
    await assert.rejects(exchange(), { details: { reason: 'no workload' } })
    // One of the operator's does not need the name, whatever others add.
    const operators = { tenant_id: 'victim', did: dids[0]!, jwks: null, named_only: false, ...mapping }
    await addWorkload(db, { workload_id: 'bbbbbbbbbb', ...operators })
    assert.equal((await exchange()).mapping.workload_id, 'bbbbbbbbbb')
  } finally {
    await issuer.stop()
  }
})
