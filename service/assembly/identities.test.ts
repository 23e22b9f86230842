import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { openKeystore } from '@svc/adapters/custody/keystore'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { documentFault, type IdentityDocument } from '@svc/contract/identity/identity-document'
import { verifyLineage } from '@svc/contract/identity/lineage'
import { isKeyOf, privateKeyOf, publicKeyOf } from '@svc/contract/signing/signature'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { askBundledNode, type IdentityHome, makeIdentity } from './identities.ts'

const root_keys = testRootKeys(Buffer.alloc(32, 7))
const ours = { tenant_id: 'acme', custody: 'engine' } as const

let database: TestDatabase
let store: PostgresStore
let home: IdentityHome
before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  const db = store.engine
  home = { db, root_keys, clock: system_clock, askNode: askBundledNode(db, system_clock) }
})
after(async () => {
  await store.close()
  await database.close()
})

async function documentOf(did: string): Promise<IdentityDocument> {
  const { document } = (await home.askNode('resolve', { did })) as { document: IdentityDocument }
  assert.equal(documentFault(document, did), undefined)
  return document
}

const now = () => new Date(system_clock.now_ms()).toISOString()

test('a person, their agent and its instance: each with a document, and a valid lineage', async () => {
  const root = await makeIdentity(home, { ...ours, entity_kind: 'HumanRoot', name: 'Ada' })
  const agent = await makeIdentity(home, { ...ours, entity_kind: 'Agent', parent_did: root.did })
  const instance = await makeIdentity(home, { ...ours, entity_kind: 'AgentInstance', parent_did: agent.did })
  assert.equal((await documentOf(root.did)).name, 'Ada')
  const { lineage, creator_did } = await documentOf(instance.did)
  const verdict = verifyLineage(instance.did, lineage, { now: now() })
  assert.deepEqual(
    [verdict.verified, verdict.chain, creator_did],
    [true, [instance.did, agent.did, root.did], agent.did],
  )
  const custody = openKeystore(root_keys).open('acme', store.engine)
  for (const { did, public_key, private_key } of [root, agent, instance]) {
    assert.equal(await custody.publicKeyOf(did), public_key)
    assert.equal(private_key, undefined)
  }
})

test('the same parent and label give the same identity, and its document is unchanged', async () => {
  const root = await makeIdentity(home, { ...ours, entity_kind: 'HumanRoot' })
  const request = { ...ours, entity_kind: 'Agent', parent_did: root.did, label: 'clerk' }
  const first = await makeIdentity(home, request)
  const before = await documentOf(first.did)
  assert.deepEqual(await makeIdentity(home, request), first)
  assert.deepEqual(await documentOf(first.did), before)
  assert.notEqual((await makeIdentity(home, { ...request, label: 'other' })).did, first.did)
})

test('a key kept by the client is returned and not stored', async () => {
  const root = await makeIdentity(home, { ...ours, entity_kind: 'HumanRoot' })
  const request = {
    tenant_id: 'acme',
    entity_kind: 'Agent',
    custody: 'client',
    parent_did: root.did,
  } as const
  const { did, private_key } = await makeIdentity(home, request)
  assert.ok(isKeyOf(did, publicKeyOf(privateKeyOf(Buffer.from(private_key!, 'base64url')))))
  assert.equal(await openKeystore(root_keys).open('acme', store.engine).publicKeyOf(did), undefined)
  const { lineage } = await documentOf(did)
  assert.equal(verifyLineage(did, lineage, { now: now() }).verified, true)
})

test('an identity needs a parent, whose key is in custody', async () => {
  const { did } = await makeIdentity(home, { tenant_id: 'acme', entity_kind: 'HumanRoot', custody: 'client' })
  await assert.rejects(makeIdentity(home, { ...ours, entity_kind: 'Agent' }), /needs a parent/)
  for (const custody of ['engine', 'client'] as const) {
    const request = { tenant_id: 'acme', entity_kind: 'Agent', custody, parent_did: did }
    await assert.rejects(makeIdentity(home, request), /keeps no key of/)
  }
})
