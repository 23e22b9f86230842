// Attacks on roles: by those who have one, lost one, or would like one.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { endRoles, giveRoles } from '@svc/adapters/accounts/role-store'
import { catalogue } from '@svc/catalogue/catalogue'
import { built_in_roles, roleTable } from '@svc/contract/authority/role'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { bare_identities, personWith, type SignedInPerson } from '../../scenes/people-scene.ts'
import { eventually } from '../../suite/eventually.ts'

let engine: InProcessService
let anna: SignedInPerson

before(async () => {
  engine = await startInProcess({ identity: bare_identities })
  anna = await personWith(engine, 'anna', ['administrator'])
})
after(() => engine.stop())

const operations = catalogue.flatMap(({ id, operations: named }) =>
  Object.entries(named).map(([name, facts]) => ({ id, name, facts })),
)

const for_oneself = ['MACS.request_access', 'MACS.create_key', 'MACS.revoke_key']

test('a viewer changes nothing but its own keys, and may ask for access: every other write is refused before it runs', async () => {
  const vera = await personWith(engine, 'vera', ['viewer'])
  const writes = operations.filter(
    ({ id, name, facts }) =>
      facts.effect === 'write' && facts.open_to === undefined && !for_oneself.includes(`${id}.${name}`),
  )
  assert.ok(writes.length > 50)
  for (const { id, name, facts } of writes) {
    const { body } = await vera.call(`${id}.${name}`, facts.example)
    assert.ok(body.error, `${id}.${name}`)
    assert.equal(body.error.stage, 4, `${id}.${name}: ${JSON.stringify(body.error)}`)
  }
})

test('a key for all that its person may do names everything the role brings', async () => {
  const roles = roleTable(catalogue)
  for (const role of built_in_roles) {
    const person = await personWith(engine, `keys-of-${role}`, [role])
    const { output } = (await person.call('MACS.create_key', { label: 'all' })).body
    const expected = roles.capabilitiesOf(role, new Map())!
    for (const name of expected) assert.ok(output.capabilities.includes(name), `${role} lacks ${name}`)
    const key: Addresses = { ...person, api_key: output.api_key }
    const listed = await dispatch(key, { protocol: 'MACS', operation: 'list_keys', input: {} })
    assert.deepEqual(listed.body.output.items[0].capabilities, output.capabilities)
    const revoked = await person.call('MACS.revoke_key', { key_id: output.key_id })
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
  }
})

test('a role counts in its own organization only', async () => {
  await personWith(engine, 'eve', ['administrator'], 'globex')
  const { agent_did, api_key, api_url, metrics_url } = anna
  const abroad = { agent_did, api_key, api_url, metrics_url, tenant_id: 'globex' }
  for (const operation of ['people', 'roles', 'set_person', 'set_role', 'invite']) {
    const input = { login: 'eve', give: ['viewer'], role: 'viewer', name: 'x', roles: [] }
    const { body } = await dispatch(abroad, { protocol: 'MACS', operation, input })
    assert.equal(body.error.code, 'capability_denied', operation)
  }
  const foreign = await anna.call('MACS.set_person', { login: 'eve', disable: true })
  assert.equal(foreign.body.error.code, 'not_found')
})

test('no wildcard makes an administrator, and no role gives itself', async () => {
  const mighty = await engine.newCaller({ tenant_id: 'acme', capabilities: ['svc.*.*'] })
  const set_person = {
    protocol: 'MACS',
    operation: 'set_person',
    input: { login: 'anna', give: ['finance'] },
  }
  const refused = await dispatch(mighty, set_person)
  assert.deepEqual(
    [refused.body.error.code, refused.body.error.reason],
    ['capability_denied', 'not an administrator'],
  )
  const olga = await personWith(engine, 'olga', ['operator', 'finance', 'auditor'])
  const own = await olga.call('MACS.set_person', { login: 'olga', give: ['administrator'] })
  assert.equal(own.body.error.code, 'capability_denied')
  for (const name of ['svc.role.administrator', 'svc.*.*', 'svc.admin.observability']) {
    const { body } = await anna.call('MACS.set_role', { role: 'sly', add: [name] })
    assert.ok(['policy_denied', 'invalid_payload'].includes(body.error.code), `${name}: ${body.error.code}`)
  }
})

test('an administrator whose role was narrowed gives no more than she holds', async () => {
  const ada = await personWith(engine, 'ada', ['administrator'], 'narrow')
  const nils = await personWith(engine, 'nils', [], 'narrow')
  const narrowed = await ada.call('MACS.set_role', { role: 'administrator', remove: ['svc.meal.*'] })
  assert.equal(narrowed.status, 200, JSON.stringify(narrowed.body))
  const attempts = [
    ada.call('MACS.set_person', { login: 'nils', give: ['finance'] }),
    ada.call('MACS.invite', { name: 'x', roles: ['finance'] }),
    ada.call('MACS.set_role', { role: 'cashier', add: ['svc.meal.statement'] }),
    ada.call('MACS.set_role', { role: 'administrator', add: ['svc.meal.*'] }),
    ada.call('MACS.set_role', { role: 'administrator', reset: true }),
  ]
  for (const { body } of await Promise.all(attempts)) {
    assert.equal(body.error?.code, 'policy_denied', JSON.stringify(body))
    assert.equal(body.error.reason, 'capability amplification')
  }
  assert.equal((await ada.call('MEAL.statement')).body.error.code, 'capability_denied')
  assert.equal((await ada.call('MACS.set_person', { login: 'nils', give: ['auditor'] })).status, 422)
  await ada.call('MACS.set_role', { role: 'clerk', add: ['svc.moat.list'] })
  assert.equal((await ada.call('MACS.set_person', { login: 'nils', give: ['clerk'] })).status, 200)
  assert.equal((await nils.call('MOAT.list')).status, 200)
})

test('an administrator of the operator’s organization does not run the engine by her role', async () => {
  const boss = await personWith(engine, 'boss', ['administrator'], engine.operator.tenant_id)
  const rate = catalogue.find(({ id }) => id === 'MEAL')!.operations.admin_set_rate!
  const priced = await boss.call('MEAL.admin_set_rate', rate.example)
  assert.equal(priced.body.error?.code, 'missing_capability', JSON.stringify(priced.body))
  const metrics = await boss.call('MOMENT.snapshot', { all_tenants: true })
  assert.equal(metrics.body.error.code, 'missing_capability')
  const traced = await fetch(`${engine.metrics_url}/admin/trace`, {
    headers: { authorization: `Bearer ${boss.api_key}`, 'x-agent-did': boss.did },
  })
  assert.ok(traced.status === 403 || traced.status === 404, String(traced.status))
})

test('a bounded key of a person with roles stays bounded', async () => {
  const capabilities = ['svc.moat.list', 'svc.macs.invite']
  const made = await anna.call('MACS.create_key', { label: 'narrow', capabilities })
  const { api_key } = made.body.output
  const key: Addresses = { ...anna, api_key }
  assert.equal((await dispatch(key, { protocol: 'MOAT', operation: 'list', input: {} })).status, 200)
  const people = await dispatch(key, { protocol: 'MACS', operation: 'people', input: {} })
  assert.equal(people.body.error.reason, 'not in the key')
  const input = { name: 'Accomplice', roles: ['administrator'] }
  const invited = await dispatch(key, { protocol: 'MACS', operation: 'invite', input })
  assert.equal(invited.body.error.reason, 'not an administrator')
})

test('who has a role by hand approves for it, and no longer once it has ended', async () => {
  const frida = await personWith(engine, 'frida', ['finance'])
  const ulf = await personWith(engine, 'ulf', ['administrator'])
  const capabilities = [{ name: 'svc.moat.list', caveats: ['approval:role:finance'] }]
  const agent = await engine.newCaller({ tenant_id: 'acme', capabilities })
  const list = (limit: number) => dispatch(agent, { protocol: 'MOAT', operation: 'list', input: { limit } })
  const decide = async (person: SignedInPerson, approval_id: string) =>
    (await person.call('MAXIM.approval_decide', { approval_id, decision: 'approve' })).status
  const first = (await list(1)).body.error
  assert.equal(first.code, 'approval_required')
  assert.notEqual(await decide(ulf, first.details.approval_id), 200)
  assert.equal(await decide(frida, first.details.approval_id), 200)
  assert.equal((await list(1)).status, 200)
  const second = (await list(2)).body.error
  assert.equal(await decide(frida, second.details.approval_id), 200)
  await anna.call('MACS.set_person', { login: 'frida', end: ['finance'] })
  assert.equal((await list(2)).body.error.code, 'approval_required')
})

test('an administrator cannot lock herself out', async () => {
  for (const input of [{ disable: true }, { end: ['administrator'] }]) {
    const { body } = await anna.call('MACS.set_person', { login: 'anna', ...input })
    assert.equal(body.error.reason, 'own administrator')
  }
})

test('another engine sees a changed role, a given one and an ended one', async () => {
  const { config, db_url } = engine
  const { master_key } = config
  const other = await startInProcess({ identity: bare_identities, config: { db_url, master_key } })
  try {
    const { user_id, tenant_id, ...zoe } = await personWith(engine, 'zoe', [], 'acme')
    const { engine: db } = engine.service.store
    const { api_key } = await issueKey(db, { tenant_id, did: zoe.did, mode: 'test' })
    const there = { ...zoe, tenant_id, api_key, api_url: other.api_url }
    const listed = () => dispatch(there, { protocol: 'MOAT', operation: 'list', input: {} })
    await eventually(async () => assert.equal((await listed()).body.error?.code, 'capability_denied'))
    await giveRoles(db, { tenant_id, user_id }, ['viewer'], 'hand', new Date())
    await eventually(async () => assert.equal((await listed()).status, 200))
    await anna.call('MACS.set_role', { role: 'viewer', remove: ['svc.moat.list'] })
    await eventually(async () => assert.equal((await listed()).status, 403))
    await anna.call('MACS.set_role', { role: 'viewer', reset: true })
    await eventually(async () => assert.equal((await listed()).status, 200))
    await endRoles(db, { tenant_id, user_id }, ['viewer'])
    await eventually(async () => assert.equal((await listed()).status, 403))
  } finally {
    await other.stop()
  }
})
