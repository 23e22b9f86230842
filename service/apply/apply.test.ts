// svc-engine apply on a real database: what it shows, what it changes, and that it changes it once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { stringify } from 'yaml'
import { type ApplyScene, openApplyScene } from '../../checks/scenes/apply-scene.ts'

let scene: ApplyScene
before(async () => {
  scene = await openApplyScene()
})
after(() => scene.close())

const acme = {
  version: 1,
  tenants: [
    {
      id: 'acme',
      name: 'Acme Inc.',
      tier: 'charter',
      root: 'new',
      budget: { credit_line_usd: 500 },
      roles: { buyer: { add: ['svc.market.*', 'svc.made.list'] }, viewer: { remove: ['svc.moat.*'] } },
      people: [
        { login: 'Ann@example.org', name: 'Ann', roles: ['administrator'] },
        { login: 'bob@example.org', roles: ['buyer', 'viewer'] },
      ],
      role_claims: [{ role: 'buyer', issuer: 'https://login.example', claim: 'groups', value: 'purchasing' }],
      keys: [{ label: 'ci', capabilities: ['svc.max.*'] }],
    },
  ],
}

test('a dry run shows the plan as a diff, exits with 2 and changes nothing', async () => {
  const before_text = await scene.everything()
  const { exit, text } = await scene.run(acme, { dry_run: true, yes: false })
  assert.equal(exit, 2)
  assert.equal(
    text,
    `+ tenant acme
    name: Acme Inc.
    tier: charter
    root: new
~ acme: budget
    credit_line_usd: tier → 500.000000
+ acme: role buyer
    add: svc.made.list, svc.market.*
~ acme: role viewer
    remove: none → svc.moat.*
+ acme: person ann@example.org
    invited_with: administrator
+ acme: person bob@example.org
    invited_with: buyer, viewer
+ acme: role buyer by claim groups=purchasing of https://login.example
+ acme: key ci
    capabilities: svc.max.*
Plan: 6 to create, 2 to change, 0 to remove; 0 unchanged.
`,
  )
  assert.equal(await scene.everything(), before_text)
})

test('without --yes it asks on a terminal, and refuses where there is none', async () => {
  const before_text = await scene.everything()
  await assert.rejects(scene.run(acme, { yes: false }), /no terminal to ask on: write --yes/)
  await assert.rejects(scene.run(acme, { yes: false, json: true }, 'yes\n'), /With --json nothing is asked/)
  const { exit, text } = await scene.run(acme, { yes: false }, 'no\n')
  assert.equal(exit, 1)
  assert.match(text, /Apply this plan\? \(yes\/no\) Nothing was changed\.\n$/)
  assert.equal(await scene.everything(), before_text)
})

test('it applies once, records each change with the hash of the file, and a second run has nothing to do', async () => {
  const { exit, text } = await scene.run(acme, { yes: false }, 'yes\n')
  assert.equal(exit, 0)
  const [, link = ''] = /link +(\S+)/.exec(text) ?? []
  assert.match(link, /^\/oauth\/invitation\?token=/)
  assert.match(text, /api key +svc_live_/)
  const entries = await scene.records('acme')
  assert.deepEqual(
    entries.map(({ meta }) => meta.command),
    [
      'tenant create',
      'credit line',
      'role set',
      'role set',
      'user invite',
      'user invite',
      'role claim',
      'key issue',
    ],
  )
  const config_sha256 = sha256Hex(stringify(acme))
  assert.ok(entries.every(({ meta }) => meta.config_sha256 === config_sha256 && meta.gate === 'operator'))
  assert.doesNotMatch(JSON.stringify(entries), /svc_live_|token=|ann@example/)
  const after_text = await scene.everything()
  const again = await scene.run(acme)
  assert.deepEqual(again, { exit: 0, text: 'Plan: 0 to create, 0 to change, 0 to remove; 8 unchanged.\n' })
  assert.equal(await scene.everything(), after_text)
})

test('roles of people and of the organization become exactly what the file says', async () => {
  await scene.admin('tenant', 'create', 'globex')
  await scene.admin('user', 'add', 'globex', 'carl', '--role', 'viewer', '--role', 'finance')
  await scene.admin(
    'role',
    'set',
    'globex',
    'viewer',
    '--add',
    'svc.meal.statement',
    '--remove',
    'svc.moat.*',
  )
  const globex = {
    version: 1,
    tenants: [
      {
        id: 'globex',
        roles: { viewer: { remove: ['svc.mace.*'] } },
        people: [{ login: 'carl', roles: ['finance', 'auditor'] }],
      },
    ],
  }
  const { text } = await scene.run(globex)
  assert.match(
    text,
    /~ globex: role viewer\n {4}add: svc\.meal\.statement → none\n {4}remove: svc\.moat\.\* → svc\.mace\.\*\n/,
  )
  assert.match(text, /~ globex: person carl\n {4}roles: finance, viewer → auditor, finance\n/)
  const [carl] = await scene.admin('user', 'role', 'globex', 'carl')
  assert.deepEqual(carl!.roles, ['auditor', 'finance'])
  const [viewer] = await scene.admin('role', 'list', 'globex')
  assert.deepEqual([viewer!.added, viewer!.removed], [[], ['svc.mace.*']])
  assert.equal((await scene.run(globex)).text, 'Plan: 0 to create, 0 to change, 0 to remove; 3 unchanged.\n')
})

test('an invitation whose roles changed is withdrawn before the new link is made', async () => {
  const withRoles = (roles: string[]) => ({
    version: 1,
    tenants: [{ id: 'initech', people: [{ login: 'dora', roles }] }],
  })
  await scene.run(withRoles(['administrator']))
  const { text } = await scene.run(withRoles(['viewer']))
  assert.match(text, /- initech: invitation of dora\n\+ initech: person dora\n {4}invited_with: viewer\n/)
  const open = await scene.admin('user', 'invitations', 'initech')
  assert.deepEqual(
    open.map(({ login, roles }) => [login, roles]),
    [['dora', ['viewer']]],
  )
})

test('nothing is removed without --prune, and with it only in the sections of the file', async () => {
  await scene.admin('tenant', 'create', 'hooli')
  await scene.admin('user', 'add', 'hooli', 'erin', '--role', 'viewer')
  await scene.admin('role', 'set', 'hooli', 'buyer', '--add', 'svc.market.*')
  await scene.admin('user', 'role', 'hooli', 'erin', '--add', 'buyer')
  const only_roles = { version: 1, tenants: [{ id: 'hooli', roles: {} }] }
  assert.match((await scene.run(only_roles)).text, /0 to remove; 1 unchanged/)
  const people_and_roles = { version: 1, tenants: [{ id: 'hooli', roles: {}, people: [] }] }
  const { text } = await scene.run(people_and_roles, { prune: true })
  assert.match(
    text,
    /^- hooli: person erin\n- hooli: role buyer\nPlan: 0 to create, 0 to change, 2 to remove; 1 unchanged\.\n/,
  )
  const [erin] = await scene.admin('user', 'list', 'hooli')
  assert.deepEqual([erin!.disabled, erin!.roles], [true, ['viewer']])
  const readded = { version: 1, tenants: [{ id: 'hooli', people: [{ login: 'erin' }] }] }
  const { exit, text: needs } = await scene.run(readded)
  assert.equal(exit, 3)
  assert.match(needs, /! hooli: person erin\n {4}the account is disabled for good/)
})

test('a key that has followed a declared one stays with it, and goes with it', async () => {
  const origin = 'svc/umbrella'
  const [first, second, other] = ['A', 'B', 'C'].map((letter) =>
    Buffer.alloc(32, letter).toString('base64url'),
  )
  const file = (...keys: (string | undefined)[]) => {
    return { version: 1, trusted_logs: keys.map((public_key) => ({ origin, public_key })) }
  }
  assert.match((await scene.run(file(first), { prune: true })).text, /1 to create/)
  await asOwner(scene.url, async (client) => {
    await client.query('UPDATE witness_log_keys SET until_seq = 6 WHERE origin = $1', [origin])
    const sql = 'INSERT INTO witness_log_keys (origin, public_key, from_seq) VALUES ($1, $2, 7)'
    await client.query(sql, [origin, second])
  })
  const unchanged = /^Plan: 0 to create, 0 to change, 0 to remove; 1 unchanged\.\n$/
  assert.match((await scene.run(file(first), { prune: true })).text, unchanged)
  const { text } = await scene.run(file(other), { prune: true })
  assert.match(text, new RegExp(`^\\+ log ${origin} by ${other}\\n- .* by ${second}\\n- .* by ${first}\\n`))
  const rows = await scene.admin('witness', 'logs')
  assert.deepEqual(rows.map(({ public_keys }) => public_keys), [[other]]) // biome-ignore format: one line
})

test('what the operator may not do is shown as such, and the exit code is 3', async () => {
  const body = 'forbid(principal, action, resource) when { context.hour < 6 };'
  const config = {
    version: 1,
    tenants: [{ id: 'acme', tier: 'sovereign', policies: [{ id: 'no-night-work', version: '1.0.0', body }] }],
  }
  const { exit, text } = await scene.run(config)
  assert.equal(exit, 3)
  assert.match(text, /! tenant acme\n {4}tier charter → sovereign: MEAL admin set_tier/)
  assert.match(text, /! acme: policy no-night-work 1\.0\.0\n {4}needs a vote: MAXIM author\n/)
  assert.match(text, /0 to remove, 2 for others; 0 unchanged\.\n$/)
  const [tenant] = await scene.admin('tenant', 'show', 'acme')
  assert.equal(tenant!.tier, 'charter')
})
