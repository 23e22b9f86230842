import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '@svc/database/sql'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { tenantTiers } from './tenant-tiers.ts'
import { ensureTenant } from './tenants.ts'

let database: TestDatabase
let store: PostgresStore

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
})
after(async () => {
  await store.close()
  await database.close()
})

test("a tenant's tier is cached for a minute or until tiers change, and a new tenant is found at once", async () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const tiers = tenantTiers(store.engine, clock)
  assert.equal(await tiers.tierOf('acme'), undefined)
  await ensureTenant(store.engine, 'acme', 'Acme', 'charter')
  assert.equal(await tiers.tierOf('acme'), 'charter')
  const set = (tier: string) =>
    sql`UPDATE tenants SET tier = ${tier} WHERE tenant_id = 'acme'`.execute(store.engine)
  await set('sandbox')
  assert.equal(tiers.tierOf('acme'), 'charter', 'cached, so it is a value')
  clock.advance(60_000)
  assert.equal(await tiers.tierOf('acme'), 'sandbox')
  await set('institution')
  tiers.forgetAll()
  assert.equal(await tiers.tierOf('acme'), 'institution')
})

test('a read that began before tiers changed is not cached', async () => {
  const tiers = tenantTiers(store.engine, manualClock('2026-11-15T10:00:00.000Z'))
  const reading = tiers.tierOf('acme')
  tiers.forgetAll()
  await reading
  const again = tiers.tierOf('acme')
  assert.ok(again instanceof Promise)
  await again
})
