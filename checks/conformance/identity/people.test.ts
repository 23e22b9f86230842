import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { formBrowser } from '../../neighbours/form-browser.ts'
import { password } from '../../scenes/login-journey.ts'
import { personWith, type SignedInPerson, signedIn } from '../../scenes/people-scene.ts'
import { eventually } from '../../suite/eventually.ts'

let engine: InProcessService
let anna: SignedInPerson

before(async () => {
  engine = await startInProcess({ identity: key_only_resolver })
  anna = await personWith(engine, 'anna', ['administrator'])
})
after(() => engine.stop())

test('a person may do what her roles allow, and loses it with the role', async () => {
  const vera = await personWith(engine, 'vera', ['viewer'])
  assert.equal((await vera.call('MACS.people')).status, 200)
  assert.equal((await vera.call('MEAL.statement')).body.error.code, 'capability_denied')
  const changed = await anna.call('MACS.set_person', { login: 'vera', give: ['finance'], end: ['viewer'] })
  assert.deepEqual(changed.body.output, { login: 'vera', roles: ['finance'], state: 'active' })
  assert.notEqual((await vera.call('MEAL.statement')).body.error?.code, 'capability_denied')
  await anna.call('MACS.set_person', { login: 'vera', end: ['finance'] })
  assert.equal((await vera.call('MACS.people')).body.error.code, 'capability_denied')
  const events = (await engine.records('acme')).filter(({ event_type }) => event_type === 'PersonChanged')
  assert.deepEqual(
    events.map(({ meta }) => [meta.given, meta.ended]).toSorted(),
    [
      [[], ['finance']],
      [['finance'], ['viewer']],
    ].toSorted(),
  )
})

test('explain_access shows the role, and approvals find its name', async () => {
  const { body } = await anna.call('MACS.explain_access', { protocol: 'MOAT', operation: 'list' })
  const path = body.output.paths.find((each: { used: boolean }) => each.used)
  assert.deepEqual([path.source, path.source_ref, path.capability], ['role', 'administrator', 'svc.*.*'])
  const holdings = await anna.call('MACS.authorization_request', { agent_did: anna.did })
  const names = holdings.body.output.capabilities.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['svc.*.*', 'svc.role.administrator'])
})

test('an organization changes a role, makes its own, and resets both', async () => {
  const otto = await personWith(engine, 'otto', [])
  const made = await anna.call('MACS.set_role', { role: 'buyer', add: ['svc.market.query_orderbook'] })
  assert.deepEqual(made.body.output.capabilities, ['svc.market.query_orderbook'])
  await anna.call('MACS.set_person', { login: 'otto', give: ['buyer', 'viewer'] })
  const query = () => otto.call('MARKET.query_orderbook', { instrument: 'x/y' })
  assert.notEqual((await query()).body.error?.code, 'capability_denied')
  assert.equal((await otto.call('MOAT.list')).status, 200)
  await anna.call('MACS.set_role', { role: 'viewer', remove: ['svc.moat.*'] })
  assert.equal((await otto.call('MOAT.list')).body.error.code, 'capability_denied')
  await anna.call('MACS.set_role', { role: 'viewer', reset: true })
  assert.equal((await otto.call('MOAT.list')).status, 200)
  await anna.call('MACS.set_role', { role: 'buyer', reset: true })
  assert.equal((await query()).body.error.code, 'capability_denied')
  const { body } = await anna.call('MACS.roles')
  assert.deepEqual(
    body.output.roles.map(({ role }: { role: string }) => role),
    ['viewer', 'auditor', 'operator', 'finance', 'administrator'],
  )
})

test('an account that is disabled ends at once, with its sessions and roles', async () => {
  const paul = await personWith(engine, 'paul', ['operator'])
  assert.equal((await paul.call('MACS.people')).status, 200)
  const { body } = await anna.call('MACS.set_person', { login: 'paul', disable: true })
  assert.equal(body.output.state, 'disabled')
  await eventually(async () => assert.equal((await paul.call('MACS.people')).status, 401))
})

test('an invitation makes an account with its roles, once', async () => {
  const invitation = await anna.call('MACS.invite', { name: 'Ida <i>', roles: ['auditor'], days: 2 })
  assert.equal(invitation.status, 200, JSON.stringify(invitation.body))
  const { link, invitation_id } = invitation.body.output
  const open = (await anna.call('MACS.people')).body.output.invitations
  assert.deepEqual(
    open.map((each: { invitation_id: string; name: string }) => [each.invitation_id, each.name]),
    [[invitation_id, 'Ida <i>']],
  )
  const browser = formBrowser(engine.api_url)
  const page = await browser.get(link)
  assert.match(page.text, /Ida &#60;i&#62;, you are invited to <strong>acme<\/strong> with the role auditor/)
  const short = await browser.submit(page, { login: 'ida', password: 'x', answer: 'join' })
  assert.equal(short.status, 400)
  const taken = await browser.submit(page, { login: 'anna', password, answer: 'join' })
  assert.match(taken.text, /Somebody already signs in as anna/)
  const joined = await browser.submit(taken, { login: 'ida', password, answer: 'join' })
  assert.equal(joined.status, 200, joined.text)
  assert.match(joined.text, /You are signed in as ida of acme/)
  const people = (await anna.call('MACS.people')).body.output
  assert.deepEqual(people.invitations, [])
  const ida = people.items.find((each: { login: string }) => each.login === 'ida')
  assert.deepEqual([ida.name, ida.roles, ida.signs_in_by], ['Ida <i>', ['auditor'], ['password']])
  const signed_in = await signedIn(engine, { ...ida, did: ida.agent_did, tenant_id: 'acme', user_id: '' })
  assert.equal((await signed_in.call('MOAT.list')).status, 200)
  assert.equal((await formBrowser(engine.api_url).get(link)).status, 401)
  const kinds = (await engine.records('acme')).map(({ event_type }) => event_type)
  for (const kind of ['PersonInvited', 'PersonJoined'] as const) assert.ok(kinds.includes(kind), kind)
})

test('a withdrawn invitation opens nothing', async () => {
  const { link, invitation_id } = (await anna.call('MACS.invite', { name: 'Nobody', roles: [] })).body.output
  const withdrawn = await anna.call('MACS.withdraw_invitation', { invitation_id })
  assert.deepEqual(withdrawn.body.output, { invitation_id, withdrawn: true })
  assert.equal((await formBrowser(engine.api_url).get(link)).status, 401)
  const again = await anna.call('MACS.withdraw_invitation', { invitation_id })
  assert.equal(again.body.error.code, 'not_found')
})
