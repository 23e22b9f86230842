// svc-engine apply where something is in its way: failures, crashes, another run, and files that mean harm.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { type ApplyScene, openApplyScene } from '../../checks/scenes/apply-scene.ts'

let scene: ApplyScene
before(async () => {
  scene = await openApplyScene()
})
after(() => scene.close())

test('a failure in the middle says what was done, and the next run goes on', async () => {
  // Only the command knows that a role cannot hold this name.
  const config = (capability: string) => ({
    version: 1,
    tenants: [
      {
        id: 'umbrella',
        roles: { odd: { add: [capability] } },
        people: [{ login: 'finn', roles: ['viewer'] }],
      },
    ],
  })
  await assert.rejects(
    scene.run(config('svc.*.*')),
    /umbrella: role odd: svc\.\*\.\* cannot be part of a role.* 1 of 3 steps were done; run it again to continue\.$/s,
  )
  const { text } = await scene.run(config('svc.market.*'))
  assert.match(text, /^\+ umbrella: role odd\n {4}add: svc\.market\.\*\n\+ umbrella: person finn\n/)
  assert.match(text, /Plan: 2 to create, 0 to change, 0 to remove; 1 unchanged\.\n/)
})

test('a run that ends anywhere in the middle is completed by the next one', async () => {
  const config = (id: string) => ({
    version: 1,
    tenants: [
      { id, roles: { buyer: { add: ['svc.market.*'] } }, people: [{ login: `${id}-gus`, roles: ['buyer'] }] },
    ],
  })
  for (const steps of [1, 2, 3]) {
    const id = `crash-${steps}`
    await assert.rejects(scene.runUntil(config(id), steps), /the terminal is gone/)
    const { exit } = await scene.run(config(id))
    assert.equal(exit, 0)
    const { text } = await scene.run(config(id))
    assert.equal(text, 'Plan: 0 to create, 0 to change, 0 to remove; 3 unchanged.\n')
    const commands = (await scene.records(id)).map(({ meta }) => meta.command)
    assert.deepEqual(commands, ['tenant create', 'role set', 'user invite'])
  }
})

test('only one run at a time works on a database', async () => {
  await scene.db.connection(async (session) => {
    const lock = "SELECT pg_advisory_lock(hashtextextended('svc-engine apply', 0))"
    await session.execute({ text: lock, values: [] })
    const config = { version: 1, tenants: [{ id: 'waiting' }] }
    await assert.rejects(scene.run(config), /Another svc-engine apply is running/)
    await session.execute({ text: lock.replace('_lock', '_unlock'), values: [] })
    assert.equal((await scene.run(config)).exit, 0)
  })
})

test('secrets go to a new file of the operator alone, and it is never overwritten', async () => {
  const secrets = join(scene.folder, 'secrets.jsonl')
  const config = {
    version: 1,
    tenants: [{ id: 'soylent', keys: [{ label: 'ci', capabilities: ['svc.max.*'] }] }],
  }
  const { text } = await scene.run(config, { secrets, json: true })
  assert.doesNotMatch(text, /svc_live_/)
  const [row] = readFileSync(secrets, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.match(row.api_key, /^svc_live_/)
  await scene.admin('key', 'revoke', 'soylent', row.key_id)
  await assert.rejects(scene.run(config, { secrets }), /EEXIST/)
  assert.equal((await scene.run(config)).exit, 0)
})

test('an agent’s own key with the label of a declared one does not count as it', async () => {
  const config = {
    version: 1,
    tenants: [{ id: 'soylent', keys: [{ label: 'deploy', capabilities: ['svc.max.*'] }] }],
  }
  await asOwner(scene.url, async (client) => {
    await client.query(`INSERT INTO api_keys (key_id, tenant_id, did, mode, secret_hash, label, made_by, usable_for)
      VALUES ('intruder', 'soylent', 'did:oas:soylent:agent:x', 'live', decode(repeat('00', 32), 'hex'), 'deploy', 'did:oas:soylent:agent:x', '{}')`)
  })
  assert.match((await scene.run(config)).text, /\+ soylent: key deploy: done/)
})

test('no text of the file becomes another option or argument of a command', async () => {
  const odd = { label: '--did=x', capabilities: [] }
  const config = { version: 1, tenants: [{ id: 'odd', name: '--tier=sovereign', keys: [odd] }] }
  assert.equal((await scene.run(config)).exit, 0)
  const [tenant] = await scene.admin('tenant', 'show', 'odd')
  assert.deepEqual([tenant!.name, tenant!.tier], ['--tier=sovereign', 'sandbox'])
  assert.deepEqual(
    (await scene.admin('key', 'list', 'odd')).map(({ label }) => label),
    ['--did=x'],
  )
  for (const faulty of [
    { witnesses: [{ key: '--tenant=odd', url: 'https://w.example' }] },
    { trusted_logs: [{ origin: '--help', public_key: 'A'.repeat(43) }] },
    { protocols: [{ name: 'ODD', canary: '--help' }] },
    { protocols: [{ name: 'ODD', services: [{ version: '-v1', endpoint: 'https://x.example' }] }] },
  ])
    await assert.rejects(scene.run({ version: 1, ...faulty }), /is not valid/)
})

test('a capability that nothing matches is refused before anything is changed', async () => {
  const before_text = await scene.everything()
  const config = {
    version: 1,
    tenants: [{ id: 'new-one', keys: [{ label: 'x', capabilities: ['svc.max.nothing'] }] }],
  }
  await assert.rejects(scene.run(config), /No operation matches svc\.max\.nothing/)
  const absent = { version: 1, tenants: [{ id: 'new-one', people: [{ login: 'x', roles: ['nobody'] }] }] }
  await assert.rejects(scene.run(absent), /new-one has no role nobody; declare it in roles/)
  assert.equal(await scene.everything(), before_text)
})

test('a workload that was narrowed in the file does not stay wide', async () => {
  await scene.admin('tenant', 'create', 'tyrell', '--root', 'new')
  const [agent] = await scene.admin('identity', 'create', 'tyrell', '--kind', 'agent')
  const config = (sub: string[]) => ({
    version: 1,
    tenants: [
      {
        id: 'tyrell',
        workloads: [{ did: agent!.did, issuer: 'https://ci.example', audience: 'svc', claims: { sub } }],
      },
    ],
  })
  await scene.run(config(['repo:a', 'repo:b']))
  const { text } = await scene.run(config(['repo:a']))
  assert.match(
    text,
    /^- tyrell: workload .*\n {4}claims: sub=repo:a, sub=repo:b → none\n\+ tyrell: workload .*\n {4}claims: sub=repo:a\n/,
  )
  const rows = await scene.admin('workload', 'list', 'tyrell')
  assert.deepEqual(
    rows.map(({ claims }) => claims),
    [{ sub: ['repo:a'] }],
  )
  const foreign = config(['x'])
  foreign.tenants[0]!.id = 'acme'
  await assert.rejects(scene.run(foreign), /must be a DID of acme/)
})
