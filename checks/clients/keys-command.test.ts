// svc keys, and every command by the agent's own key: SVC_PRIVATE_KEY instead of an API key.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@svc/sdk'
import { type RunningEngine, startEngine } from '../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { deriveOwnKeyed } from '../scenes/own-keyed-agent.ts'
import type { TestIdentity } from '../scenes/test-descent.ts'
import { assertDone, svc } from './login-scene.ts'
import { clientEnv } from './test-terminal.ts'

/** More than a page of the operation. */
const revoked_keys = 103

const data_dir = mkdtempSync(join(tmpdir(), 'svc-keys-command-'))
let database: TestDatabase
let engine: RunningEngine
let child: TestIdentity

before(async () => {
  database = await testDatabase()
  engine = await startEngine({ data_dir, env: { SVC_DB_URL: database.url } })
  child = await deriveOwnKeyed(engine, ['svc.mars.query_registry', 'svc.max.audit_query', 'svc.macs.*'])
})
after(async () => {
  await engine?.stop()
  await database.close()
  rmSync(data_dir, { recursive: true, force: true })
})

/** As the developer, with an API key. */
function run(...argv: string[]) {
  return svc(argv, { env: clientEnv(engine) })
}

function ownEnv() {
  const SVC_PRIVATE_KEY = child.seed.toString('base64url')
  return { SVC_API_URL: engine.api_url, SVC_AGENT_DID: child.did, SVC_PRIVATE_KEY }
}

/** As the child, with nothing but its key. */
async function runOwn(...argv: string[]) {
  const env = ownEnv()
  const ran = await svc(argv, { env })
  assert.ok(!(ran.stdout + ran.stderr).includes(env.SVC_PRIVATE_KEY), 'the private key is printed')
  return ran
}

test('create prints the key alone, list shows it in words, revoke ends it, and the engine agrees', async () => {
  const created = await run(
    ...['keys', 'create', '--label', 'night shift', '--capability', 'svc.mars.*', '--expires', '30d'],
    ...['--network', '127.0.0.0/8', '--network', '::1/128', '--weekly-budget', '5'],
  )
  assertDone(created)
  const api_key = created.stdout.trim()
  const key_id = /^svc_(?:live|test)_([a-z0-9]{8})_\S+$/.exec(api_key)?.[1]
  assert.ok(key_id, created.stdout)
  assert.match(created.stderr, new RegExp(`^Key ${key_id}, expires in 30 days\\. Keep it now`))
  const env = { ...clientEnv(engine), SVC_API_KEY: api_key }
  const call = ['invoke', 'MARS', 'query_registry', '--input', '{"tag":"none","limit":1}']
  assertDone(await svc(call, { env }))
  assert.equal((await svc(['keys', 'list'], { env })).exit, 3, 'not one of its capabilities')

  const listed = await run('keys', 'list')
  assertDone(listed)
  assert.match(listed.stdout, /^key_id +kind +state +label +used +expires +usd_a_week +for$/m)
  assert.match(
    listed.stdout,
    new RegExp(
      `^${key_id} +key +live +night shift +(now|never) +in 30 days +0\\.\\d{2}/5\\.00 +svc\\.mars\\.\\*$`,
      'm',
    ),
  )
  const { items } = JSON.parse((await run('keys', 'list', '--limit', '1', '--json')).stdout)
  assert.deepEqual(
    items.map(({ label, networks }: Record<string, unknown>) => [label, networks]),
    [['night shift', ['127.0.0.0/8', '::1/128']]],
  )

  const revoked = await run('keys', 'revoke', key_id, '--reason', 'a test')
  assertDone(revoked)
  assert.equal(revoked.stdout, `${key_id} is revoked.\n`)
  assert.equal((await svc(call, { env })).exit, 2)
  assert.match((await run('keys', 'list')).stdout, new RegExp(`^${key_id} +key +revoked`, 'm'))
})

test('a list reads as many pages as were asked for, says that there is more, and continues', async () => {
  const { macs } = createClient({
    apiUrl: engine.api_url,
    apiKey: engine.api_key,
    agentDid: engine.agent_did,
  })
  for (let i = 1; i <= revoked_keys; i++) {
    const { key_id } = await macs.create_key({ label: `number ${i}` })
    await macs.revoke_key({ key_id })
  }
  const first = await run('keys', 'list', '--limit', '2')
  assert.match(first.stderr, /^There are more: svc keys list --limit 1000$/m)
  const all = await run('keys', 'list', '--limit', '1000')
  assert.equal(all.stderr, '')
  assert.match(all.stdout, / number 1 /)
  const page = JSON.parse((await run('keys', 'list', '--limit', '101', '--json')).stdout)
  assert.equal(page.items.length, 101)
  assert.equal(page.items[100].label, `number ${revoked_keys - 100}`)
  const next = await run('keys', 'list', '--limit', '1', '--cursor', page.next_cursor)
  assert.match(next.stdout, new RegExp(` number ${revoked_keys - 101} `))
})

test('what is missing or wrong is refused before anything is asked', async () => {
  for (const [argv, message] of [
    [
      ['keys'],
      /Name a subcommand: svc keys create, or svc keys list, or svc keys revoke, or svc keys rotate, or/,
    ],
    [
      ['keys', 'lst'],
      /There is no svc keys lst; use create, list, revoke, rotate, recover\. Did you mean list\?/,
    ],
    [['keys', 'create'], /needs --label/],
    [['keys', 'create', '--label', 'x', '--expires', 'soon'], /--expires is 30d, 12h or a time/],
    [['keys', 'list', '--label', 'x'], /svc keys list takes no --label/],
    [['keys', 'list', '--limit', '0'], /--limit is a whole number from 1 to 1000, not 0/],
    [['keys', 'list', '--limit', '1001'], /--limit is a whole number from 1 to 1000, not 1001/],
    [['keys', 'revoke'], /needs the id of a key/],
    [['keys', 'revoke', 'a', 'b'], /svc keys revoke takes no b/],
  ] as const) {
    const ran = await svc(argv, {})
    assert.equal(ran.exit, 1, argv.join(' '))
    assert.match(ran.stderr, message)
  }
})

test('a parent lists the sessions of a descendant and makes keys for it, and nobody else does', async () => {
  assertDone(await runOwn('whoami'))
  const listed = await run('keys', 'list', '--agent', child.did)
  assert.match(listed.stdout, /^[a-z0-9]{8} +session +live/m)
  const made = await run('keys', 'create', '--agent', child.did, '--label', 'from above', '--json')
  assert.equal(JSON.parse(made.stdout).agent_did, child.did)
  const upwards = await runOwn('keys', 'list', '--agent', engine.agent_did)
  assert.notEqual(upwards.exit, 0)
})

test('whoami and doctor by the own key: they say so, pass, and never show it', async () => {
  const whoami = await runOwn('whoami')
  assertDone(whoami)
  assert.match(whoami.stdout, /^credential +its own key, by a session$/m)
  assert.match(whoami.stdout, /^ {2}private_key {2}set, from SVC_PRIVATE_KEY$/m)
  assert.doesNotMatch(whoami.stdout, /api_key|undefined/)
  const record = JSON.parse((await runOwn('whoami', '-o', 'json')).stdout)
  assert.deepEqual(
    [record.credential, record.settings.private_key, record.settings.api_key],
    ['own_key', { source: 'SVC_PRIVATE_KEY' }, undefined],
  )
  const doctor = await runOwn('doctor', '-o', 'json')
  const { ok, checks } = JSON.parse(doctor.stdout)
  assert.equal(ok, true, doctor.stdout)
  const messages = Object.fromEntries(checks.map(({ check, said }: Record<string, string>) => [check, said]))
  assert.equal(messages.private_key, 'set, from SVC_PRIVATE_KEY')
  assert.match(messages['config file'], /the environment has all settings/)
  assert.match(messages.key, /^accepted as own key/)
  assert.equal(messages.api_key, undefined)
})

test('both keys in one place are refused, and a flag beats the environment', async () => {
  const both = { ...ownEnv(), SVC_API_KEY: engine.api_key }
  const refused = await svc(['whoami'], { env: both })
  assert.deepEqual([refused.exit, refused.stdout], [2, ''])
  assert.match(refused.stderr, /more than one of --api-key, SVC_PRIVATE_KEY and SVC_WORKLOAD_TOKEN_FILE/)
  const flagged = await svc(['whoami', '--api-key', engine.api_key, '--agent-did', engine.agent_did], {
    env: ownEnv(),
  })
  assertDone(flagged)
  assert.match(flagged.stdout, /^credential +API key/m)
})
