// Attacks by people whose role or account ended, or who hold less than they would give.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { addWorkload } from '@svc/adapters/access/workloads'
import { acceptInvitation } from '@svc/adapters/accounts/accepting'
import { giveRoles } from '@svc/adapters/accounts/role-store'
import { disableUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { sql } from '@svc/database/sql'
import type { JSONWebKeySet } from 'jose'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { formBrowser } from '../../neighbours/form-browser.ts'
import { startIssuer } from '../../neighbours/test-issuer.ts'
import { dpopProof } from '../../scenes/dpop-proof.ts'
import { password } from '../../scenes/login-journey.ts'
import { bare_identities, personWith, type SignedInPerson } from '../../scenes/people-scene.ts'
import { newKeyed } from '../../scenes/test-descent.ts'
import { eventually } from '../../suite/eventually.ts'

let engine: InProcessService
let anna: SignedInPerson
before(async () => {
  engine = await startInProcess({ identity: bare_identities })
  anna = await personWith(engine, 'anna', ['administrator'])
})
after(() => engine.stop())

const query = { protocol: 'MARS', operation: 'query_registry', input: { tag: 'none', limit: 1 } }

async function ownKey(person: SignedInPerson, more: object = {}): Promise<Addresses> {
  const { status, body } = await person.call('MACS.create_key', { label: 'own', ...more })
  assert.equal(status, 200, JSON.stringify(body))
  return { ...person, api_key: body.output.api_key }
}

function callMacs(key: Addresses, operation: string, input: object): Promise<Answer> {
  return dispatch(key, { protocol: 'MACS', operation, input })
}

async function carrying(person: SignedInPerson, capabilities: AgentCapability[]): Promise<Addresses> {
  const { tenant_id, did } = person
  const { engine: db } = engine.service.store
  const { api_key } = await issueKey(db, { tenant_id, did, mode: 'live', capabilities })
  return { ...person, api_key }
}

async function statusOf(link: string): Promise<number> {
  return (await formBrowser(engine.api_url).get(link)).status
}

async function invitedBy(person: SignedInPerson): Promise<string> {
  const input = { name: 'Bert again', roles: ['administrator'] }
  return (await person.call('MACS.invite', input)).body.output.link
}

test('a key with a budget gives nobody a role', async () => {
  const key = await ownKey(anna, { weekly_budget_usd: '0.5' })
  const attempts = [
    await callMacs(key, 'invite', { name: 'Accomplice', roles: ['administrator'] }),
    await callMacs(key, 'set_person', { login: 'anna', give: ['viewer'] }),
    await callMacs(key, 'set_role', { role: 'cashier', add: ['svc.meal.statement'] }),
  ]
  for (const { body } of attempts) assert.equal(body.error?.reason, 'key with a budget', JSON.stringify(body))
})

test('whoever is disabled keeps no key that she made', async () => {
  for (const by of ['an administrator', 'the operator']) {
    const login = by === 'the operator' ? 'otto' : 'olga'
    const person = await personWith(engine, login, ['operator'])
    // What the operator gave to her identity stays the operator's to end.
    const operators = await carrying(person, [{ name: 'svc.mars.query_registry', caveats: [] }])
    const key = await ownKey(person)
    assert.equal((await dispatch(key, query)).status, 200)
    if (by === 'the operator') await disableUser(engine.service.store.engine, person.user_id)
    else assert.equal((await anna.call('MACS.set_person', { login, disable: true })).status, 200)
    await eventually(async () => assert.equal((await dispatch(key, query)).status, 401, by))
    assert.equal((await dispatch(operators, query)).status, 200)
  }
})

test('no workload gets a session as somebody whose account ended', async () => {
  const now_s = () => Math.floor(system_clock.now_ms() / 1000)
  const issuer = await startIssuer(now_s)
  try {
    const { did, tenant_id, user_id } = await personWith(engine, 'wanda', ['operator'])
    const { engine: db } = engine.service.store
    const jwks = issuer.jwks() as JSONWebKeySet
    const mapping = { issuer: issuer.url, audience: 'svc', claims: { sub: ['pod'] } }
    await addWorkload(db, { workload_id: 'aaaaaaaaaa', tenant_id, did, jwks, named_only: false, ...mapping })
    const exchange = async () => {
      const url = `${engine.api_url}/oauth/token`
      const body = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        client_id: 'svc-workload',
        subject_token: await issuer.sign({ sub: 'pod', aud: 'svc' }),
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      })
      const dpop = dpopProof(newKeyed('pod', 'Agent'), { url })
      const answer = await fetch(url, { method: 'POST', headers: { dpop }, body })
      return { status: answer.status, text: await answer.text() }
    }
    const { status, text } = await exchange()
    assert.equal(status, 200, text)
    await disableUser(db, user_id)
    assert.match((await exchange()).text, /has no account here any more/)
    const live = await sql`SELECT key_id FROM api_keys WHERE did = ${did} AND revoked_at IS NULL`.all(db)
    assert.deepEqual(live, [])
  } finally {
    await issuer.stop()
  }
})

test('an administrator who lost the role does not become one again by her invitations', async () => {
  const bert = await personWith(engine, 'bert', ['administrator'])
  const link = await invitedBy(bert)
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(link)
  assert.equal(page.status, 200)
  assert.equal((await anna.call('MACS.set_person', { login: 'bert', end: ['administrator'] })).status, 200)
  assert.equal((await browser.submit(page, { login: 'bert2', password })).status, 401)
  assert.equal(await statusOf(link), 401)
  const { items, invitations } = (await anna.call('MACS.people')).body.output
  assert.ok(!items.some(({ login }: { login: string }) => login === 'bert2'))
  assert.deepEqual(invitations, [])
  await giveRoles(
    engine.service.store.engine,
    bert,
    ['administrator'],
    'hand',
    new Date(system_clock.now_ms()),
  )
  assert.equal(await statusOf(link), 401, 'it ended for good')
})

test('an invitation that was made while its maker lost the role is worth nothing', async () => {
  const { engine: db } = engine.service.store
  const cora = await personWith(engine, 'cora', ['administrator'])
  const link = await invitedBy(cora)
  await sql`DELETE FROM person_roles WHERE user_id = ${cora.user_id}`.execute(db)
  assert.equal(await statusOf(link), 401)
  const token = new URL(link).searchParams.get('token')!
  const parts = { db, clock: system_clock, newPerson: () => assert.fail('a person was made') }
  assert.equal(await acceptInvitation(parts, token, { login: 'cora2', password }), undefined)
})

test('an invitation by a key of the operator ends with that key', async () => {
  const dora = await personWith(engine, 'dora', [])
  const names = ['svc.role.administrator', 'svc.macs.invite']
  const key = await carrying(
    dora,
    names.map((name) => ({ name, caveats: [] })),
  )
  const { body } = await callMacs(key, 'invite', { name: 'Guest', roles: [] })
  const { link } = body.output
  assert.equal(await statusOf(link), 200)
  await sql`UPDATE api_keys SET revoked_at = now() WHERE did = ${dora.did}`.execute(
    engine.service.store.engine,
  )
  assert.equal(await statusOf(link), 401)
})

test('what an administrator holds under a caveat, or held until yesterday, she does not give by a role', async () => {
  const ada = await personWith(engine, 'ada', ['administrator'], 'narrow')
  const remove = ['svc.meal.*', 'svc.mana.*']
  assert.equal((await ada.call('MACS.set_role', { role: 'administrator', remove })).status, 200)
  const key = await carrying(ada, [
    { name: 'svc.meal.statement', caveats: ['approval:role:finance'] },
    { name: 'svc.mana.list', caveats: [], expires_at: '2026-01-01T00:00:00Z' },
    { name: 'svc.meal.quote', caveats: [] },
  ])
  const reasonFor = async (name: string) =>
    (await callMacs(key, 'set_role', { role: 'cashier', add: [name] })).body.error?.reason
  assert.equal(await reasonFor('svc.meal.statement'), 'capability amplification')
  assert.equal(await reasonFor('svc.mana.list'), 'capability amplification')
})

test('what a role gives is not passed on to a child, and the refusal says so', async () => {
  const capabilities = [{ name: 'svc.mars.query_registry', caveats: [] }]
  const { body } = await anna.call('MACS.derive', { entity_kind: 'Agent', label: 'helper', capabilities })
  assert.match(body.error.message, /what a role gives is not passed on/)
})
