// A person without a right sees what is missing, asks with a button, and an administrator decides in the Inbox.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { giveRoles } from '@svc/adapters/accounts/role-store'
import { findLogin } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { bare_identities } from '../scenes/people-scene.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'
import { places } from './places.ts'
import { misplacedTexts } from './text-boxes.ts'

let scene: ConsoleScene
let ann: SignedIn
let vera: SignedIn

before(async () => {
  scene = await openConsoleScene({ identity: bare_identities })
  ann = await personWith('ann@example.org', 'administrator')
  vera = await personWith('vera@example.org', 'viewer', (await scene.engine.newCaller({})).agent_did)
})
after(() => scene?.close())

async function personWith(
  login: string,
  role: string,
  agent_did = scene.engine.agent_did,
): Promise<SignedIn> {
  const { tenant_id } = scene.engine
  const person = await scene.signIn({ login, caller: { tenant_id, agent_did } })
  const { engine: db } = scene.engine.service.store
  const { user_id } = (await findLogin(db, login))!
  await giveRoles(db, { tenant_id, user_id }, [role], 'hand', new Date(system_clock.now_ms()))
  await person.page.reload()
  await person.page.getByRole('heading', { level: 1 }).waitFor()
  return person
}

test('looking at every page with few rights is no violation', async () => {
  const { page, goTo, faults } = vera
  const more_places = [
    'costs/envelopes',
    'costs/market',
    'access/people',
    'access/roles',
    'access/delegations',
  ]
  for (const [place, heading] of [...places, ...more_places.map((each) => [each, undefined] as const)]) {
    await goTo(place, heading ?? (place.startsWith('costs') ? 'Costs' : 'Access'))
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  }
  const records = await scene.engine.records(scene.engine.tenant_id)
  assert.ok(records.some(({ protocol, outcome }) => protocol === 'MAX' && outcome === 'success'))
  assert.deepEqual(
    records.filter(({ outcome }) => outcome !== 'success').map(({ event_type, meta }) => [event_type, meta]),
    [],
  )
  assert.deepEqual(faults, [])
})

test('a right is asked for on the page that needs it, given in the Inbox, and then works', async () => {
  const { page, goTo, picture } = vera
  await goTo('costs', 'Costs')
  await page.getByText(/You may not use svc\.mana\.budget; the roles .* may\. Ask an administrator/).waitFor()
  await picture('no-right')
  assert.deepEqual([await seriousFaults(page), await misplacedTexts(page)], [[], []])
  await page.getByRole('button', { name: 'Ask for access' }).click()
  await page.getByText('An administrator decides it in the Inbox.').waitFor()

  await ann.goTo('inbox/access', 'Inbox')
  await ann.page.reload()
  await ann.page.getByRole('navigation', { name: 'Pages' }).getByLabel('1 waiting').waitFor()
  await ann.page.getByRole('row', { name: /vera@example\.org.*svc\.mana\.budget/ }).click()
  const panel = ann.page.getByRole('dialog', { name: 'Access request' })
  await panel.getByText('vera@example.org asks for svc.mana.budget').waitFor()
  await panel.getByRole('combobox', { name: 'Role to give' }).click()
  await ann.page.getByRole('option', { name: 'finance' }).click()
  await ann.picture('access-request')
  assert.deepEqual(await seriousFaults(ann.page), [])
  await panel.getByRole('button', { name: 'Give the role finance' }).click()
  await panel.getByText('granted', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('region', { name: 'Runway' }).waitFor()
  assert.deepEqual([vera.faults, ann.faults], [[], []])
})

test('a refused request is shown as such, and can be made again', async () => {
  const { page, goTo } = vera
  await goTo('settings/webhooks', 'Settings')
  const ask = page.getByRole('button', { name: 'Ask for access' })
  await ask.first().click()
  await page.getByText('An administrator decides it in the Inbox.').waitFor()
  await ann.goTo('inbox/access', 'Inbox')
  await ann.page.reload()
  await ann.page.getByRole('row', { name: /open/ }).click()
  await ann.page.getByRole('button', { name: 'Refuse' }).click()
  await ann.page
    .getByRole('dialog', { name: 'Refuse this request?' })
    .getByRole('button', { name: 'Refuse' })
    .click()
  await ann.page.getByRole('dialog').getByText('refused', { exact: true }).waitFor()
  await page.getByText('An administrator refused this').waitFor()
  await ask.first().click()
  await page.getByText('An administrator decides it in the Inbox.').waitFor()
  assert.deepEqual([vera.faults, ann.faults], [[], []])
})
