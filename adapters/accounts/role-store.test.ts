import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { role_holders_max } from '@svc/contract/authority/role'
import { sql } from '@svc/database/sql'
import { testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { ensureTenant } from '../access/tenants.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { rolesOf } from './role-store.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let store: PostgresStore
before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
})
after(async () => {
  await store?.close()
  await database?.close()
})

test('claims of many never take the roles of somebody who has them by hand, or had them before', async () => {
  const db = store.engine
  await ensureTenant(db, 'crowd', 'Crowd', 'charter')
  // The last by any name and time has hers by hand.
  await sql`
    INSERT INTO users (user_id, tenant_id, did, login)
    SELECT 'u' || n, 'crowd', 'did:oas:crowd:person:' || lpad(n::text, 9, '0'), 'l' || n
    FROM generate_series(0, ${role_holders_max}::int) n`.execute(db)
  await sql`
    INSERT INTO person_roles (tenant_id, user_id, role, given, given_at)
    SELECT 'crowd', 'u' || n, 'viewer', CASE WHEN n = ${role_holders_max}::int THEN 'hand' ELSE 'claim' END,
      -- The newest of the others is the first by name.
      CASE WHEN n = 0 THEN timestamptz '2026-03-01' ELSE timestamptz '2026-02-01' END
    FROM generate_series(0, ${role_holders_max}::int) n`.execute(db)
  const { holders } = await rolesOf(db, 'crowd')
  assert.equal(holders.size, role_holders_max)
  const didOf = (n: number) => `did:oas:crowd:person:${String(n).padStart(9, '0')}`
  assert.deepEqual(
    [0, 1, role_holders_max].map((n) => holders.has(didOf(n))),
    [false, true, true],
  )
})
