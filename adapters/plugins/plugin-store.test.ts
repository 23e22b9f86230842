import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from '@svc/database/sql'
import { Client } from 'pg'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { enablePlugin, keepRemoved, keepSeen, listPlugins, type SeenPlugin } from './plugin-store.ts'

let scene: TestStore
before(async () => {
  scene = await openTestStore()
})
after(() => scene?.close())
beforeEach(async () => void (await sql`DELETE FROM plugins`.execute(scene.store.engine)))

const at = '2026-11-16T08:00:00.000Z'
const digest = (letter: string) => letter.repeat(64)
const seenPlugin = (more: Partial<SeenPlugin> = {}): SeenPlugin => ({
  name: 'greeting',
  version: '1.0.0',
  digest: digest('a'),
  state: 'Registered',
  reason: '',
  why: '',
  protocol: 'GREET',
  plugin_type: 'Protocol',
  signed_by: 'did:x',
  signed_at: '2026-11-01T00:00:00Z',
  min_svc_version: '1.0.0',
  operations: ['run'],
  capabilities: [],
  accepted: true,
  ...more,
})
const pending = { state: 'Pending', reason: 'bad signature', why: 'No.', accepted: false } as const
const keep = (more: Partial<SeenPlugin> = {}) => keepSeen(scene.store.engine, seenPlugin(more), at)
const only = async () => {
  const rows = await listPlugins(scene.store.engine)
  assert.equal(rows.length, 1)
  return rows[0]!
}

test('of several engines that see the same, exactly one learns that it is new', async () => {
  for (const more of [pending, {}, { ...pending, digest: digest('b') }]) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => keep(more)))
    assert.equal(answers.filter(Boolean).length, 1)
  }
})

test('what served last is remembered through all later states', async () => {
  await keep()
  await keep({ ...pending, digest: digest('b'), signed_at: null })
  const { state, registered_digest, registered_signed_at, here_digest } = await only()
  assert.deepEqual(
    [state, registered_digest, registered_signed_at, here_digest],
    ['Pending', digest('a'), '2026-11-01T00:00:00Z', digest('a')],
  )
})

test('removed, it is known but not here; and a permitted downgrade is used up', async () => {
  await keep()
  await enablePlugin(scene.store.engine, {
    name: 'greeting',
    version: 'v1.0.0',
    enabled: true,
    allow_downgrade: true,
  })
  assert.equal((await only()).downgrade_allowed, true)
  await keepRemoved(scene.store.engine, seenPlugin(), at)
  const gone = await only()
  assert.deepEqual(
    [gone.state, gone.registered_digest, gone.here_digest, gone.downgrade_allowed, gone.enabled],
    ['Removed', digest('a'), null, false, true],
  )
  await enablePlugin(scene.store.engine, {
    name: 'greeting',
    version: undefined,
    enabled: true,
    allow_downgrade: true,
  })
  await keep()
  assert.equal((await only()).downgrade_allowed, false)
})

test('a plugin that never served is forgotten when it is gone, unless the operator set something', async () => {
  await keep(pending)
  await keepRemoved(scene.store.engine, seenPlugin(), at)
  assert.deepEqual(await listPlugins(scene.store.engine), [])
  await keep(pending)
  await enablePlugin(scene.store.engine, {
    name: 'greeting',
    version: '1.0.0',
    enabled: false,
    allow_downgrade: false,
  })
  await keepRemoved(scene.store.engine, seenPlugin(), at)
  assert.deepEqual([(await only()).state, (await only()).enabled], ['Removed', false])
})

test('any number of foreign plugins does not hide those that served', async () => {
  await sql`
    INSERT INTO plugins (name, version, digest, state, reason, why, since)
    SELECT 'aaa' || i, '1.0.0', '', 'Pending', 'not signed', '', now() FROM generate_series(1, 11000) i`.execute(
    scene.store.engine,
  )
  await keep({ name: 'zzz' })
  const rows = await listPlugins(scene.store.engine)
  assert.deepEqual([rows.length, rows[0]?.name], [10_000, 'zzz'])
})

test('characters that no text column can hold are removed, and long texts are cut', async () => {
  const capabilities = ['svc.a\u0000.b', '\ud800']
  assert.equal(await keep({ ...pending, why: `\u0000${'x'.repeat(999)}😀`, capabilities }), true)
  const { why, capabilities: stored_capabilities } = await only()
  assert.deepEqual([why.length, stored_capabilities], [1000, ['svc.a.b', '\ufffd']])
})

test('engines are woken only when a row changes', async () => {
  const listener = new Client({ connectionString: scene.database.url })
  await listener.connect()
  try {
    let woken = 0
    listener.on('notification', () => void woken++)
    const row = await sql<{
      body: string
    }>`SELECT prosrc AS body FROM pg_proc WHERE proname = 'svc_tell_protocols'`.first(scene.store.engine)
    await listener.query(`LISTEN ${/pg_notify\('(\w+)'/.exec(row!.body)![1]}`)
    await keep(pending)
    await listener.query('SELECT 1')
    assert.equal(woken, 1)
    for (let i = 0; i < 5; i++) await keep(pending)
    await listener.query('SELECT 1')
    assert.equal(woken, 1)
  } finally {
    await listener.end()
  }
})
