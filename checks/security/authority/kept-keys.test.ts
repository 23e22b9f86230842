// Identities whose keys the engine keeps, against whoever has an API key of one or may recover it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import type { KeyEvent } from '@svc/contract/identity/key-events'
import { sql } from '@svc/database/sql'
import { askBundledNode, makeIdentity } from '@svc/service/assembly/identities'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { reasonOf } from '../../scenes/key-owner.ts'
import { askMacs, outputOf } from '../../scenes/test-descent.ts'
import { until } from '../../suite/eventually.ts'

let engine: InProcessService
before(async () => {
  engine = await startInProcess({ with_nodes: true, identity: (others) => others })
})
after(async () => await engine?.stop())

/** A root in custody, and API keys of it and of those that it derives. */
async function keptFamily(tenant_id: string) {
  const { engine: db } = engine.service.store
  await ensureTenant(db, tenant_id, tenant_id, 'sovereign')
  const { root_keys } = engine.service
  const home = { db, root_keys, clock: system_clock, askNode: askBundledNode(db, system_clock) }
  const { did } = await makeIdentity(home, { tenant_id, custody: 'engine', entity_kind: 'HumanRoot' })
  const capabilities = [{ name: 'svc.macs.*', caveats: [] }]
  const keyOf = async (agent_did: string): Promise<Addresses> => {
    const { api_key } = await issueKey(db, { tenant_id, did: agent_did, mode: 'live', capabilities })
    return { ...engine, tenant_id, agent_did, api_key }
  }
  const root = await keyOf(did)
  const derive = async (label: string, by = root): Promise<Addresses> => {
    const child = outputOf(await askMacs(by, 'derive', { entity_kind: 'Agent', label }))
    assert.equal(child.published, true, JSON.stringify(child.warnings))
    return keyOf(child.did!)
  }
  return { root, derive }
}

/** Who can recover it by its last event. */
async function recoveryOf({ agent_did }: Addresses) {
  const { engine: db } = engine.service.store
  const events = await sql<{ event: KeyEvent }>`SELECT event FROM svc_keys_of(${agent_did})`.all(db)
  return events.at(-1)?.event.recovery
}

test('who has a stolen API key of an identity names nobody who recovers it', async () => {
  const { root, derive } = await keptFamily('naming')
  const [stolen, mallory] = [await derive('stolen'), await derive('mallory')]
  const recovery = { dids: [mallory.agent_did], threshold: 1 }
  assert.equal(reasonOf(await askMacs(stolen, 'rotate_key', { recovery })), 'not by itself')
  outputOf(await askMacs(stolen, 'rotate_key', {}))
  assert.deepEqual((await recoveryOf(stolen))?.dids, [root.agent_did])
})

test('who recovers an identity signs no other terms than their own', async () => {
  const { root, derive } = await keptFamily('terms')
  const [victim, mallory, honest] = [await derive('victim'), await derive('mallory'), await derive('honest')]
  const { agent_did } = victim
  const recovery = { dids: [mallory.agent_did, honest.agent_did], threshold: 2 }
  outputOf(await askMacs(root, 'rotate_key', { agent_did, recovery }))
  const alone = { dids: [mallory.agent_did], threshold: 1 }
  const proposed = outputOf(await askMacs(mallory, 'recover_key', { agent_did, recovery: alone }))
  assert.equal(proposed.state, 'pending')
  for (const terms of [{ recovery }, {}])
    assert.equal(reasonOf(await askMacs(honest, 'recover_key', { agent_did, ...terms })), 'other terms')
  assert.deepEqual(await recoveryOf(victim), recovery)
})

/** As often as its keys can be changed. */
async function useUp(by: Addresses): Promise<void> {
  const { body } = await until('its keys are used up', async () => {
    const answer = await askMacs(by, 'rotate_key', {})
    return answer.status !== 200 && answer
  })
  assert.ok(['too many keys', 'document too large'].includes(body.error.reason), body.error.reason)
}

test('a thief who uses up the keys of an identity keeps it from no children, and nobody from recovering it', async () => {
  const { root, derive } = await keptFamily('used-up')
  // The events of its parent are in its document, too.
  await useUp(root)
  const stolen = await derive('stolen')
  await useUp(stolen)
  const child = await derive('child', stolen)
  await derive('grandchild', child)
  const recovered = outputOf(await askMacs(root, 'recover_key', { agent_did: stolen.agent_did }))
  assert.equal(recovered.state, 'recovered')
})
