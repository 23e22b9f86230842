// kill -9 of processes that renew root keys, alone and in pairs: whatever was sealed opens, and no root key is destroyed that seals something.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, type TestContext, test } from 'node:test'
import { keepSeed, openKeystore } from '@svc/adapters/custody/keystore'
import { listRootKeys, openRootKeys } from '@svc/adapters/root-keys/root-key-store'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { currentKeys, provisionTenant } from '@svc/audit/chain/keys'
import { openInput, sealInput } from '@svc/audit/inputs/retained-input'
import { queryOf } from '@svc/audit/query/query'
import { envelopeVersion } from '@svc/audit/sealing/root-keys'
import { asOwner } from '@svc/audit/test-audit-log'
import { announce, is_long, openChance, report } from '../faults/scene/chance.ts'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { storeAt } from '../rehearsal/test-store.ts'
import { newKey } from '../scenes/delegation-scene.ts'
import { until } from '../suite/eventually.ts'

const kills = is_long ? 50 : 4
const inputs_count = is_long ? 20_000 : 2_000
/** About two renewals. */
const steps_max = 90
const tenant_id = 'acme'
const master_key = randomBytes(32)
const custody_key = newKey(tenant_id, 'agent')

let database: TestDatabase
let store: PostgresStore
before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  const root_keys = await openRootKeys(store.engine, master_key)
  await provisionTenant(queryOf(store.engine), root_keys, tenant_id)
  await keepSeed(store.engine, root_keys, tenant_id, custody_key.did, custody_key.seed)
  const inputs = Array.from({ length: inputs_count }, (_, n) =>
    sealInput(root_keys, { tenant_id, commitment: n.toString(16).padStart(64, '0'), text: `input ${n}` }),
  )
  await asOwner(database.url, (client) =>
    client.query(
      `INSERT INTO audit_inputs (tenant_id, input_hash, sealed, wrapped_key)
       SELECT $1, * FROM unnest($2::text[], $3::bytea[], $4::bytea[])`,
      [
        tenant_id,
        inputs.map(({ input_hash }) => input_hash),
        inputs.map(({ sealed }) => sealed),
        inputs.map(({ wrapped_key }) => wrapped_key),
      ],
    ),
  )
})
after(async () => {
  await store?.close()
  await database?.close()
})

async function killAfter(t: TestContext, steps: number): Promise<string> {
  const script = join(import.meta.dirname, 'renewing.ts')
  const child = spawn(process.execPath, [script, database.url, master_key.toString('hex')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const gone = once(child, 'exit')
  let [count, last] = [0, 'began']
  for await (const line of createInterface(child.stdout)) {
    last = line
    if (++count >= steps) child.kill('SIGKILL')
  }
  const [, signal] = await gone
  assert.equal(signal, 'SIGKILL', 'it ended by itself')
  return last.split(' ')[0]!
}

async function backends(): Promise<number> {
  const sql = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
  const { rows } = await asOwner(database.url, (client) => client.query(sql))
  return rows[0].n
}

/** By root keys that are read anew; returns the versions that seal something. */
async function openEverything(): Promise<readonly number[]> {
  const root_keys = await openRootKeys(store.engine, master_key)
  const keys = await currentKeys(queryOf(store.engine), root_keys, [tenant_id])
  assert.ok(keys.get(tenant_id))
  const custody = openKeystore(root_keys).open(tenant_id, store.engine)
  assert.ok(await custody.sign(custody_key.did, 'text'))
  const { rows } = await asOwner(database.url, (client) => client.query('SELECT * FROM audit_inputs'))
  assert.equal(rows.length, inputs_count)
  for (const row of rows)
    assert.equal(openInput(root_keys, row), `input ${Number.parseInt(row.input_hash, 16)}`)
  return [...new Set(rows.map((row): number => envelopeVersion(row.wrapped_key)!))]
}

test('kill -9 while a root key is renewed loses nothing', { timeout: 1_800_000 }, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, kills, chance)
  const steps = new Set<string>()
  let mixed = 0
  const open_before = await backends()
  for (let killed = 0; killed < kills; ) {
    const together = killed % 3 === 2 && killed + 2 <= kills ? 2 : 1
    const counts = Array.from({ length: together }, () => 1 + chance.below(steps_max))
    for (const step of await Promise.all(counts.map((count) => killAfter(t, count)))) steps.add(step)
    await until('the sessions of the killed have ended', async () => (await backends()) <= open_before)
    killed += together
    if ((await openEverything()).length > 1) mixed++
  }
  const listed = await listRootKeys(store.engine)
  const destroyed = listed.filter(({ state }) => state === 'destroyed')
  assert.ok(destroyed.length > 0, 'renewals came to their end')
  const versions = await openEverything()
  for (const { version } of destroyed) assert.ok(!versions.includes(version))
  report(t, { kills, mixed, renewals: destroyed.length, steps: [...steps].sort().join('+'), lost: 0 })
})
