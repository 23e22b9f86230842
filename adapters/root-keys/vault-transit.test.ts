// A small server that speaks Vault's transit engine: encrypt and decrypt with associated data, versions, and errors as Vault writes them.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { open, seal } from '@svc/audit/sealing/seal'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { masterKeyOf } from './master-key.ts'
import { changeMasterKey } from './renewal.ts'
import { openRootKeys } from './root-key-store.ts'

const key = randomBytes(32)
let tokens = ['the token']
let server: Server
let url = ''
let database: TestDatabase
let store: PostgresStore

before(async () => {
  server = createServer(async (request, response) => {
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
    if (!tokens.includes(String(request.headers['x-vault-token'])))
      return answer(403, { errors: ['permission denied'] })
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>
    const bound_to = body.associated_data ?? ''
    if (request.url === '/v1/transit/encrypt/svc') {
      const sealed = seal(key, Buffer.from(body.plaintext!, 'base64'), bound_to)
      return answer(200, { data: { ciphertext: `vault:v1:${sealed.toString('base64')}`, key_version: 1 } })
    }
    if (request.url !== '/v1/transit/decrypt/svc') return answer(404, { errors: [] })
    try {
      const sealed = Buffer.from(body.ciphertext!.replace('vault:v1:', ''), 'base64')
      return answer(200, { data: { plaintext: open(key, sealed, bound_to).toString('base64') } })
    } catch {
      return answer(400, { errors: ['cipher: message authentication failed'] })
    }
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/transit/svc`
  database = await testDatabase()
  store = await storeAt(database.url)
})
after(async () => {
  server?.close()
  await store?.close()
  await database?.close()
})

const setting = () => ({ url, token: () => 'the token' })

test('a key is wrapped and unwrapped, in its own place only', async () => {
  const vault = masterKeyOf(setting())
  const root_key = randomBytes(32)
  const wrapped = await vault.wrap(root_key, 'seal 1')
  assert.match(wrapped.toString(), /^vault:v1:/)
  assert.deepEqual(await vault.unwrap(wrapped, 'seal 1'), root_key)
  await assert.rejects(
    vault.unwrap(wrapped, 'seal 2'),
    /Vault refused with 400 at .*: cipher: message authentication/,
  )
})

test('refusals name their reason, never the token or the key', async () => {
  const refused = { ...setting(), token: () => 'a stolen token' }
  await assert.rejects(masterKeyOf(refused).wrap(key, 'seal 1'), (error: Error) => {
    assert.match(error.message, /Vault refused with 403 at \/v1\/transit\/encrypt\/svc: permission denied/)
    assert.ok(!error.message.includes('stolen') && !error.message.includes(key.toString('base64')))
    return true
  })
  const other = { ...setting(), url: url.replace('/svc', '/other') }
  await assert.rejects(masterKeyOf(other).wrap(key, 'seal 1'), /Vault refused with 404/)
})

test('a token that was renewed is used at the next request', async () => {
  let token = 'the token'
  const vault = masterKeyOf({ url, token: () => token })
  await vault.wrap(key, 'seal 1')
  tokens = ['the next token']
  await assert.rejects(vault.wrap(key, 'seal 1'), /403/)
  token = 'the next token'
  await vault.wrap(key, 'seal 1')
  tokens = ['the token']
})

test('a master key of a setting is changed to one in Vault and back, with the same root keys', async () => {
  const bytes = randomBytes(32)
  const before_it = await openRootKeys(store.engine, bytes)
  const change = (
    ...both: readonly [Parameters<typeof changeMasterKey>[1], Parameters<typeof changeMasterKey>[2]]
  ) => store.engine.transaction((trx) => changeMasterKey(trx, ...both))
  await change(bytes, setting())
  await assert.rejects(openRootKeys(store.engine, bytes), /wrapped by the master key vault:http/)
  assert.deepEqual((await openRootKeys(store.engine, setting())).ring, before_it.ring)
  await change(setting(), bytes)
  assert.deepEqual((await openRootKeys(store.engine, bytes)).ring, before_it.ring)
})
