import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { revokeKey } from '@svc/adapters/access/api-keys'
import { ensureTenant } from '@svc/adapters/access/tenants'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { parseApiKey } from '@svc/contract/identity/api-key'
import { ensureUsd } from '@svc/protocols/economic/ledger/store'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { operator_tenant } from '../settings/operator-key.ts'
import { development_tenant, provisionDeveloper } from './developer.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'svc-developer-'))
const file = join(data_dir, 'developer.json')

let database: TestDatabase
let store: PostgresStore

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  await ensureTenant(store.engine, operator_tenant, 'Operator', 'sovereign')
  await ensureUsd(store.engine, operator_tenant)
})
after(async () => {
  await store?.close()
  await database?.close()
  rmSync(data_dir, { recursive: true })
})

const provision = () => provisionDeveloper(store, testRootKeys(), data_dir)

test('printed credentials stay; a revoked key is replaced for the same agent and login', async () => {
  const first = await provision()
  assert.deepEqual(await provision(), first)
  const { key_id } = parseApiKey(first.api_key)!
  assert.ok(await revokeKey(store.engine, development_tenant, key_id))
  const second = await provision()
  assert.notEqual(second.api_key, first.api_key)
  assert.deepEqual(second, { ...first, api_key: second.api_key })
})

test('however often a start is killed before it has stored the login, the next one creates another', async () => {
  const { console_login: _, console_password: __, ...caller } = JSON.parse(readFileSync(file, 'utf8'))
  const logins = new Set<string>()
  for (let i = 0; i < 3; i++) {
    writeFileSync(file, JSON.stringify(caller))
    logins.add((await provision()).console_login)
  }
  assert.equal(logins.size, 3)
})
