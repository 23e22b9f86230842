// A client changes its own key by itself: it stores keys before it uses them, and signs nothing but the change it asked for.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type KeyPair, SvcError } from '@svc/sdk'
import { createClient } from '@svc/sdk/client'
import { type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { deriveOwnKeyed } from '../../scenes/own-keyed-agent.ts'
import type { TestIdentity } from '../../scenes/test-descent.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'svc-sdk-keys-'))
let database: TestDatabase
let engine: RunningEngine
before(async () => {
  database = await testDatabase()
  engine = await startEngine({ data_dir, env: { SVC_DB_URL: database.url } })
})
after(async () => {
  await engine.stop()
  await database.close()
  rmSync(data_dir, { recursive: true, force: true })
})

const seedOf = (agent: TestIdentity) => agent.private_key.export({ format: 'jwk' }).d!

function clientOf(agentDid: string, privateKey: string, fetch = globalThis.fetch) {
  return createClient({ apiUrl: engine.api_url, agentDid, privateKey, fetch })
}

const reasonOf = (error: unknown) => (error instanceof SvcError ? error.reason : String(error))
const refusedBy = (call: Promise<unknown>) =>
  call.then(
    () => 'not refused',
    (error) => String(reasonOf(error)),
  )

async function newAgent() {
  const agent = await deriveOwnKeyed(engine, ['svc.mars.query_registry', 'svc.macs.*'])
  const stored_pairs: KeyPair[] = []
  return {
    did: agent.did,
    seed: seedOf(agent),
    stored_pairs,
    keep: (keys: KeyPair) => void stored_pairs.push(keys),
  }
}

/** Changes the answers of `rotate_key` before the client reads them. */
function changing(change: (output: Record<string, string>, nth: number) => object | undefined) {
  let count = 0
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init)
    if (!String(init?.body).includes('"rotate_key"')) return response
    const body = (await response.json()) as { output: Record<string, string> }
    count += 1
    const output = change(body.output, count)
    if (!output) throw new TypeError('the connection was lost')
    return Response.json({ ...body, output }, { headers: response.headers })
  }
  return fetch
}

test('a client commits, changes its key, and goes on with the new one', async () => {
  const { did, seed, stored_pairs, keep } = await newAgent()
  const client = clientOf(did, seed)
  const committed = await client.rotateKey({ keep })
  assert.deepEqual([committed.state, committed.privateKey], ['committed', seed])
  const { nextPrivateKey } = committed
  const rotated = await client.rotateKey({ keep, nextPrivateKey })
  assert.deepEqual([rotated.state, rotated.privateKey], ['rotated', nextPrivateKey])
  assert.deepEqual(
    stored_pairs.map((keys) => [keys.privateKey, keys.nextPrivateKey]),
    [committed, rotated].map((keys) => [keys.privateKey, keys.nextPrivateKey]),
  )
  assert.equal((await client.whoami()).credential, 'own_key')
  assert.equal(await refusedBy(clientOf(did, seed).whoami()), 'former key')
  await client.rotateKey({ keep, nextPrivateKey: rotated.nextPrivateKey })
  assert.equal((await clientOf(did, rotated.nextPrivateKey).whoami()).credential, 'own_key')
})

test('keys that cannot be changed to are refused before they are stored', async () => {
  const { did, seed, stored_pairs, keep } = await newAgent()
  const client = clientOf(did, seed)
  await client.rotateKey({ keep })
  assert.equal(await refusedBy(client.rotateKey({ keep })), 'the key was used before')
  const nextPrivateKey = Buffer.alloc(32, 7).toString('base64url')
  const wrong = client.rotateKey({ keep, nextPrivateKey })
  assert.equal(await refusedBy(wrong), 'the key is not the one committed to')
  assert.equal(stored_pairs.length, 1)
  assert.equal((await client.whoami()).credential, 'own_key')
})

test('where storing fails nothing is changed', async () => {
  const { did, seed } = await newAgent()
  const client = clientOf(did, seed)
  const keep = () => Promise.reject(new Error('the disk is full'))
  assert.match(await refusedBy(client.rotateKey({ keep })), /the disk is full/)
  assert.equal((await client.rotateKey({ keep: () => undefined })).state, 'committed')
})

test('a lost answer leaves the client with the key that counts', async () => {
  const { did, seed, keep } = await newAgent()
  const { nextPrivateKey } = await clientOf(did, seed).rotateKey({ keep })
  const losing = clientOf(
    did,
    seed,
    changing((output, nth) => (nth === 2 ? undefined : output)),
  )
  assert.equal((await losing.rotateKey({ keep, nextPrivateKey })).state, 'rotated')
  assert.equal((await losing.whoami()).credential, 'own_key')
})

test('an engine gets no other signature than that of the change', async () => {
  const { did, seed, stored_pairs, keep } = await newAgent()
  const other = { dids: [engine.agent_did, did], threshold: 1 }
  const forged: ((output: Record<string, string>) => Record<string, string>)[] = [
    (output) => ({ ...output, signing_input: 'svc-delegation-v1\n{}' }),
    (output) => ({ ...output, signing_input: output.signing_input!.replace('"inception"', '"recovery"') }),
    (output) => ({ ...output, signing_input: output.signing_input!.replace(did, engine.agent_did) }),
    (output) => ({ ...output, document_signing_input: output.signing_input! }),
    (output) => ({
      ...output,
      document_signing_input: output.document_signing_input!.replace('"revoked":false', '"revoked":true'),
    }),
    (output) => ({ ...output, document_signing_input: '' }),
  ]
  for (const forge of forged) {
    const client = clientOf(did, seed, changing(forge))
    assert.equal(await refusedBy(client.rotateKey({ keep })), 'bad answer', String(forge))
  }
  const named = clientOf(
    did,
    seed,
    changing((output) => ({
      ...output,
      signing_input: output.signing_input!.replace(/"threshold":\d/, '"threshold":2'),
    })),
  )
  const recovery = { dids: [other.dids[0]!], threshold: 1 }
  assert.equal(await refusedBy(named.rotateKey({ keep, recovery })), 'bad answer')
  assert.equal(stored_pairs.length, 0)
})

test('a parent recovers a child, and two of those named recover an identity together', async () => {
  const { did, seed, keep } = await newAgent()
  await clientOf(did, seed).rotateKey({ keep })
  const parent = createClient({
    apiUrl: engine.api_url,
    agentDid: engine.agent_did,
    apiKey: engine.api_key,
  })
  const alone = await parent.recoverKey({ agentDid: did, keep })
  assert.equal(alone.state, 'recovered')
  assert.equal(await refusedBy(clientOf(did, seed).whoami()), 'former key')

  const helpers = await Promise.all([newAgent(), newAgent()])
  const [first, second] = helpers.map((helper) => clientOf(helper.did, helper.seed))
  const recovery = { dids: helpers.map((helper) => helper.did), threshold: 2 }
  const { nextPrivateKey } = alone
  const changed = await clientOf(did, alone.privateKey).rotateKey({ keep, nextPrivateKey, recovery })
  const pending = await first!.recoverKey({ agentDid: did, keep })
  assert.deepEqual([pending.state, pending.signedBy.length, pending.threshold], ['pending', 1, 2])
  assert.equal((await clientOf(did, changed.privateKey).whoami()).credential, 'own_key')
  const { state } = await second!.signRecovery({ agentDid: did, publicKey: pending.publicKey })
  assert.equal(state, 'recovered')
  assert.equal((await clientOf(did, pending.privateKey).whoami()).credential, 'own_key')
  assert.equal(await refusedBy(clientOf(did, changed.privateKey).whoami()), 'former key')
})

test('a client without the key says so', async () => {
  const { agent_did: agentDid, api_key: apiKey, api_url: apiUrl } = engine
  const client = createClient({ apiUrl, agentDid, apiKey })
  assert.equal(await refusedBy(client.rotateKey({ keep: () => undefined })), 'private key')
})
