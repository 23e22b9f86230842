import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { didOfKey } from '@svc/contract/identity/did'
import { childDid, childSeed } from '@svc/contract/identity/lineage'
import { isKeyOf, isSignedBy, privateKeyOf, publicKeyOf } from '@svc/contract/signing/signature'
import { sql } from '@svc/database/sql'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { keepSeed, openKeystore } from './keystore.ts'

const root_keys = testRootKeys(randomBytes(32))
const keystore = openKeystore(root_keys)
const descent = { entity_kind: 'AgentInstance', label: 'one', index: 0 }
let opened: TestStore
before(async () => {
  opened = await openTestStore()
})
after(() => opened.close())

const as: TestStore['as'] = (tenant_id, work) => opened.as(tenant_id, work)

async function newParent(tenant_id: string) {
  const seed = randomBytes(32)
  const public_key = publicKeyOf(privateKeyOf(seed))
  const did = didOfKey(tenant_id, 'agent', Buffer.from(public_key, 'base64url'))
  await as(tenant_id, (db) => keepSeed(db, root_keys, tenant_id, did, seed))
  return { seed, did, public_key }
}

test('an identity in custody signs with the key its DID certifies; others have no key here', async () => {
  const { did, public_key } = await newParent('acme')
  await as('acme', async (db) => {
    const custody = keystore.open('acme', db)
    assert.equal(await custody.publicKeyOf(did), public_key)
    const signed = (await custody.sign(did, 'text'))!
    assert.ok(isSignedBy(signed.public_key, 'text', signed.signature))
    assert.ok(isKeyOf(did, signed.public_key))
    const nobody = `did:oas:acme:agent:${'0'.repeat(64)}`
    assert.equal(await custody.publicKeyOf(nobody), undefined)
    assert.equal(await custody.sign(nobody, 'text'), undefined)
    assert.equal(await custody.derive(nobody, descent), undefined)
  })
})

test("the same derivation gives the same child, any other a different one, and only the parent's seed is needed", async () => {
  const parent = await newParent('acme')
  const derive = (other: Partial<typeof descent> = {}) =>
    as('acme', (db) => keystore.open('acme', db).derive(parent.did, { ...descent, ...other }))
  const first = (await derive())!
  assert.deepEqual(await derive(), first)
  const others = await Promise.all([
    derive({ index: 1 }),
    derive({ label: 'two' }),
    derive({ entity_kind: 'Tool' }),
  ])
  assert.equal(new Set([first, ...others].map((child) => child?.did)).size, 4)
  const public_key = publicKeyOf(privateKeyOf(childSeed(parent.seed, parent.did, descent)))
  assert.deepEqual(first, { did: childDid('acme', 'AgentInstance', public_key), public_key })
})

test('a child of a child is derived the same way', async () => {
  const parent = await newParent('acme')
  await as('acme', async (db) => {
    const custody = keystore.open('acme', db)
    const child = (await custody.derive(parent.did, { ...descent, entity_kind: 'Agent' }))!
    const grandchild = (await custody.derive(child.did, descent))!
    assert.ok((await custody.sign(grandchild.did, 'x'))!.public_key === grandchild.public_key)
  })
})

test('a stored seed never changes, is sealed, and opens under no other name, tenant or master key', async () => {
  const { did, seed, public_key } = await newParent('acme')
  await as('acme', (db) => keepSeed(db, root_keys, 'acme', did, randomBytes(32)))
  assert.equal(await as('acme', (db) => keystore.open('acme', db).publicKeyOf(did)), public_key)
  const row = await sql<{ sealed_seed: Buffer }>`
    SELECT sealed_seed FROM keystore WHERE did = ${did}`.first(opened.store.engine)
  assert.equal(row!.sealed_seed.includes(seed), false)
  assert.equal(await as('rival', (db) => keystore.open('rival', db).sign(did, 'x')), undefined)
  assert.equal(await as('rival', (db) => keystore.open('acme', db).sign(did, 'x')), undefined)
  await assert.rejects(
    as('acme', (db) =>
      openKeystore(testRootKeys(randomBytes(32)))
        .open('acme', db)
        .sign(did, 'x'),
    ),
    /does not open/,
  )
  const other = await newParent('acme')
  await sql`INSERT INTO keystore SELECT 'moved', did, public_key, sealed_seed FROM keystore WHERE did = ${other.did}`.execute(
    opened.store.engine,
  )
  await assert.rejects(
    as('moved', (db) => keystore.open('moved', db).sign(other.did, 'x')),
    /does not open/,
  )
})

test('a sealed text opens only under its name and with the same master key', () => {
  const sealed = keystore.sealText('a token', 'one')
  assert.equal(keystore.openText(sealed, 'one'), 'a token')
  assert.notEqual(keystore.sealText('a token', 'one'), sealed)
  assert.throws(() => keystore.openText(sealed, 'two'), /does not open/)
  assert.throws(() => openKeystore(testRootKeys(randomBytes(32))).openText(sealed, 'one'), /does not open/)
})
