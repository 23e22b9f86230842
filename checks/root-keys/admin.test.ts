// Root keys, master key and token keys by command, beside a running engine.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { settle_ms } from '@svc/adapters/root-keys/renewal'
import { openRootKeys } from '@svc/adapters/root-keys/root-key-store'
import { admin } from '@svc/service/admin'
import { renewal } from '@svc/service/background/root-key-renewal'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'

const new_master_key = randomBytes(32)
let engine: InProcessService
let env: Record<string, string>
before(async () => {
  engine = await startInProcess()
  env = { SVC_DB_URL: engine.db_url, SVC_MASTER_KEY: engine.config.master_key.toString('hex') }
})
after(() => engine?.stop())

async function run(args: string[], more: Record<string, string> = {}): Promise<string> {
  let text = ''
  const terminal = {
    input: process.stdin,
    write: async (part: string) => {
      text += part
    },
  }
  assert.equal(await admin([...args, '--json'], { ...env, ...more }, terminal as never), 0)
  return text
}

async function call(): Promise<void> {
  const response = await fetch(`${engine.api_url}/v1/dispatch`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${engine.api_key}`,
      'X-Agent-Did': engine.agent_did,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({
      protocol: 'MAX',
      version: 'v1',
      operation: 'audit_log_entry',
      tenant_id: engine.tenant_id,
      input: { event_type: 'custom.hello', meta: {} },
    }),
  })
  assert.equal(response.status, 200, await response.text())
}

async function commandsRecorded(): Promise<unknown[]> {
  return (await engine.records('operator')).map(({ meta }) => meta.command)
}

test('a running engine renews the root key to its end, and calls go on', async () => {
  const { root_keys, store, audit_log } = engine.service
  await call()
  const sealed = openKeystore(root_keys).vault('dev').seal('name', 'content')
  await run(['root-key', 'renew'])
  await assert.rejects(run(['root-key', 'renew']), /A renewal is under way/)
  // Its own looks come every two seconds; these are the same, later.
  const later = { ...system_clock, now_ms: () => system_clock.now_ms() + 2 * settle_ms }
  const log = { debug() {}, info() {}, warn() {}, error() {} } as never
  const look = renewal(engine.config, { db: store.engine, root_keys, audit_log, clock: system_clock, log })
  let step = await look()
  while (root_keys.version !== 2) step = await look()
  await call()
  assert.equal(step.kind === 'destroyed', false)
  const at_end = renewal(engine.config, { db: store.engine, root_keys, audit_log, clock: later, log })
  // The first look reports anew when this engine began to use the key; by then that is long past.
  const kinds: string[] = []
  for (let n = 0; n < 20 && !kinds.includes('destroyed'); n++) {
    await store.engine.execute({
      text: `UPDATE root_key_engines SET seals_since = now() - interval '1 day'`,
      values: [],
    })
    kinds.push((await at_end()).kind)
  }
  assert.ok(kinds.includes('destroyed'), kinds.join(' '))
  await call()
  assert.throws(() => openKeystore(root_keys).vault('dev').open('name', sealed), /root key 1 is not known/)
  const listed = (await run(['root-key', 'list']))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    listed.map(({ version, state }) => [version, state]),
    [
      [1, 'destroyed'],
      [2, 'current'],
    ],
  )
  const commands = await commandsRecorded()
  assert.ok(commands.includes('root-key renew') && commands.includes('root key destroyed'))
})

test('a token key is renewed by command', async () => {
  const before_it = (await run(['token-key', 'list'])).trim()
  const { kid } = JSON.parse(await run(['token-key', 'renew']))
  const after_it = (await run(['token-key', 'list'])).trim().split('\n')
  assert.equal(JSON.parse(after_it[0]!).kid, kid)
  assert.ok(!before_it.includes(kid))
  assert.ok((await commandsRecorded()).includes('token-key renew'))
})

test('the master key changes while the engine runs; the next start needs the new one', async () => {
  const more = { SVC_NEW_MASTER_KEY: new_master_key.toString('hex') }
  await assert.rejects(run(['master-key', 'change']), /The new master key is missing/)
  const text = await run(['master-key', 'change'], more)
  assert.ok(!text.includes(more.SVC_NEW_MASTER_KEY) && !text.includes(env.SVC_MASTER_KEY!))
  await call()
  const { engine: db } = engine.service.store
  await assert.rejects(openRootKeys(db, engine.config.master_key), /it was changed/)
  assert.deepEqual((await openRootKeys(db, new_master_key)).ring, engine.service.root_keys.ring)
  await assert.rejects(run(['master-key', 'change'], more), /wrapped by the master key own:/)
  const records = JSON.stringify(await engine.records('operator'))
  assert.ok(records.includes('master-key change'))
  for (const key of [new_master_key, engine.config.master_key])
    for (const form of ['hex', 'base64', 'base64url'] as const)
      assert.ok(!records.includes(key.toString(form)))
})
