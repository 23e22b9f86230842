import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ExternalClient, externalClient } from '@svc/adapters/endpoint/external-client'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { documentHash, type IdentityDocument } from '@svc/contract/identity/identity-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { Refusal } from '@svc/contract/refusal'
import { manualClock } from '../checks/rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../checks/rehearsal/test-database.ts'
import { storeAt } from '../checks/rehearsal/test-store.ts'
import { descend, documentOf, newSubject } from '../checks/scenes/test-identity.ts'
import { type RunningNode, serveNode } from './node-server.ts'
import { openOasNode } from './oas-node.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
const engine = newSubject('Service', 'operator')
const context: InvokeContext = {
  correlation_id: '00000000-0000-4000-8000-000000000000',
  tenant_id: 'operator',
  agent_did: engine.did,
  timestamp: '2026-11-15T10:00:00.000Z',
  metadata: {},
}
let database: TestDatabase
let store: PostgresStore
let node: RunningNode
let client: ExternalClient

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  const options = {
    host: '127.0.0.1',
    port: 0,
    now_ms: clock.now_ms,
    isTrusted: (did: string) => did === engine.did,
  }
  node = await serveNode(openOasNode(store.engine), options)
  client = externalClient({ protocol: 'OAS', url: node.url, timeout_ms: 120_000, signer: engine }, clock)
})
after(async () => {
  await node.close()
  await store.close()
  await database.close()
})

const publish = (document: IdentityDocument) => client.invoke('publish', { document }, context)
const resolve = async (did: string) =>
  ((await client.invoke('resolve', { did }, context)) as { document: IdentityDocument | null }).document

async function reasonOf(asking: Promise<unknown>): Promise<unknown> {
  const thrown = await asking.then((value) => assert.fail(`answered ${JSON.stringify(value)}`), (error) => error) // biome-ignore format: one thought
  assert.ok(thrown instanceof Refusal, String(thrown))
  return thrown.details.reason
}

test('a document is found as published, and no other is known', async () => {
  const subject = newSubject('HumanRoot')
  assert.equal(await resolve(subject.did), null)
  const document = documentOf(subject, {
    extended: { jurisdiction: 'DE', float: 0.1, text: 'ü\u0000' } as never,
  })
  const document_hash = documentHash(document)
  assert.deepEqual(await publish(document), { published: true, version: 1, document_hash })
  const resolved_document = await resolve(subject.did)
  assert.deepEqual(resolved_document, document)
  assert.deepEqual(await publish(document), { published: false, version: 1, document_hash })
})

test('a version follows the one before it, by one', async () => {
  const subject = newSubject('HumanRoot')
  assert.equal(await reasonOf(publish(documentOf(subject, { version: 2 }))), 'version_conflict')
  await publish(documentOf(subject))
  assert.equal(await reasonOf(publish(documentOf(subject, { name: 'other' }))), 'version_conflict')
  assert.equal(await reasonOf(publish(documentOf(subject, { version: 3 }))), 'version_conflict')
  const huge = documentOf(subject, { version: Number.MAX_SAFE_INTEGER })
  assert.equal(await reasonOf(publish(huge)), 'version_conflict')
  await publish(documentOf(subject, { version: 2, name: 'Ada' }))
  assert.equal(await reasonOf(publish(documentOf(subject))), 'version_conflict', 'no way back')
  assert.equal((await resolve(subject.did))?.name, 'Ada')
})

test('of many who publish the same version at once exactly one succeeds', async () => {
  const subject = newSubject('HumanRoot')
  for (const version of [1, 2]) {
    const documents = Array.from({ length: 8 }, (_, i) => documentOf(subject, { version, name: `n${i}` }))
    const outcomes = await Promise.allSettled(documents.map(publish))
    const stored_documents = documents.filter((_, i) => outcomes[i]!.status === 'fulfilled')
    assert.equal(stored_documents.length, 1)
    assert.equal((await resolve(subject.did))?.name, stored_documents[0]!.name)
  }
})

test('only the subject itself publishes its document', async () => {
  const [subject, other] = [newSubject('HumanRoot'), newSubject('HumanRoot')]
  const document = documentOf(subject)
  assert.equal(await reasonOf(publish({ ...document, name: 'Eve' })), 'proof invalid')
  assert.equal(
    await reasonOf(publish({ ...documentOf(other), id: subject.did })),
    'public key does not match DID',
  )
  const large = documentOf(subject, { extended: { text: 'x'.repeat(70_000) } as never })
  assert.match(String(await reasonOf(publish(large))), /larger than/)
  assert.equal(await resolve(subject.did), null)
})

test('a lineage that a document brings must hold; it may bring none', async () => {
  const [root, agent, forger] = [newSubject('HumanRoot'), newSubject('Agent'), newSubject('HumanRoot')]
  const forged = { ...descend(agent, forger), parent_did: root.did, parent_public_key: root.public_key }
  const refused = publish(documentOf(agent, { lineage: [forged] }))
  assert.equal(await reasonOf(refused), 'lineage broken at depth 0: signature invalid')
  await publish(documentOf(agent))
  await publish(documentOf(agent, { version: 2, lineage: [descend(agent, root)] }))
  const ask = (lineage?: unknown) =>
    client.invoke('verify_lineage', lineage ? { did: agent.did, lineage } : { did: agent.did }, context)
  assert.deepEqual(await ask(), {
    verified: true,
    depth: 1,
    root_did: root.did,
    root_kind: 'HumanRoot',
    chain: [agent.did, root.did],
  })
  assert.equal(((await ask([])) as { verified: boolean }).verified, false)
})

test('a self-revocation is permanent, and the children lose their root', async () => {
  const [root, agent] = [newSubject('HumanRoot'), newSubject('Agent')]
  await publish(documentOf(root))
  await publish(documentOf(agent, { lineage: [descend(agent, root)] }))
  await publish(documentOf(root, { version: 2, revoked: true }))
  assert.equal(await reasonOf(publish(documentOf(root, { version: 3 }))), 'identity revoked')
  assert.equal((await resolve(root.did))?.revoked, true)
  const verdict = await client.invoke('verify_lineage', { did: agent.did }, context)
  assert.equal((verdict as { reason: string }).reason, 'parent revoked')
})

test('engines on the same database are notified when a document changes, not when one is new', async () => {
  const notifications: string[] = []
  const listener = await store.engine_pool.connect()
  listener.on('notification', ({ payload = '' }) => notifications.push(payload))
  await listener.query('LISTEN svc_changed')
  const subject = newSubject('HumanRoot')
  await publish(documentOf(subject))
  await publish(documentOf(subject, { version: 2 }))
  await listener.query('SELECT 1')
  await listener.query('UNLISTEN *')
  listener.release()
  assert.deepEqual(notifications, [`identity:${subject.did}`])
})

test('without a timestamp nothing is judged', async () => {
  const [root, agent] = [newSubject('HumanRoot'), newSubject('Agent')]
  const input = { did: agent.did, lineage: [descend(agent, root)] }
  const asking = client.invoke('verify_lineage', input, { ...context, timestamp: 'soon' })
  assert.equal(await reasonOf(asking), 'context incomplete')
})
