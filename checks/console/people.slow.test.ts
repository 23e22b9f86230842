// People in a real browser: somebody is invited, joins by the link, gets a role, and is disabled.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { giveRoles } from '@svc/adapters/accounts/role-store'
import { findLogin } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { bare_identities } from '../scenes/people-scene.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'

let scene: ConsoleScene
let ann: SignedIn

before(async () => {
  scene = await openConsoleScene({ identity: bare_identities })
  ann = await scene.signIn()
  const { engine: db } = scene.engine.service.store
  const { user_id } = (await findLogin(db, 'ann@example.org'))!
  const { tenant_id } = scene.engine
  await giveRoles(db, { tenant_id, user_id }, ['administrator'], 'hand', new Date(system_clock.now_ms()))
  await ann.page.reload()
})
after(() => scene?.close())

test('an administrator invites, changes roles and disables', async () => {
  const { page, context, goTo, picture, faults } = ann
  await goTo('access/people', 'Access')
  await page.getByLabel('Name of a person to invite').fill('Ida Rhodes')
  const invite = page.getByRole('region', { name: 'Invite a person' })
  await invite.getByLabel('viewer').check()
  await invite.getByRole('button', { name: 'Invite' }).click()
  const link = await invite.getByText('/oauth/invitation?token=').first().textContent()
  await page
    .getByRole('table', { name: 'Open invitations' })
    .getByText('Ida Rhodes', { exact: true })
    .waitFor()
  await picture('people-invited')
  assert.deepEqual(await seriousFaults(page), [])

  const other = await context.browser()!.newContext()
  const hers = await other.newPage()
  await hers.goto(/http\S+/.exec(link!)![0])
  await hers.getByText('Ida Rhodes, you are invited').waitFor()
  assert.deepEqual(await seriousFaults(hers), [])
  await hers.getByLabel('Login').fill('ida')
  await hers.getByLabel('Password').fill('a long enough password')
  await hers.getByRole('button', { name: 'Create my account' }).click()
  await hers.getByText('You are signed in as ida').waitFor()
  await hers.goto(`${scene.console_url}#/access/keys`)
  await hers.getByRole('textbox', { name: 'Label' }).fill('laptop')
  await hers.getByRole('button', { name: 'Create the key' }).click()
  const hers_key = hers.getByRole('row', { name: /laptop/ })
  await hers_key.getByText(/ and \d+ more$/).waitFor()
  await hers_key.getByRole('button', { name: /^Revoke/ }).click()
  await hers
    .getByRole('dialog')
    .getByRole('button', { name: /^Revoke/ })
    .click()
  await hers_key.getByText('revoked', { exact: true }).waitFor()
  await other.close()

  await page.reload()
  const people = page.getByRole('table', { name: 'People who can sign in' })
  await people.getByLabel('Change the roles of ida').click()
  await people
    .getByRole('row', { name: /Ida Rhodes/ })
    .getByLabel('finance')
    .check()
  await people
    .getByRole('row', { name: /Ida Rhodes/ })
    .getByRole('button', { name: 'Save' })
    .click()
  await people.getByText('finance, viewer').waitFor()
  await picture('people')
  assert.deepEqual(await seriousFaults(page), [])
  await page.getByRole('button', { name: 'Disable ida' }).click()
  const dialog = page.getByRole('dialog', { name: 'Disable this account?' })
  await dialog.getByRole('button', { name: 'Disable ida' }).click()
  await people.getByText('disabled').waitFor()
  assert.deepEqual(faults, [])
})

test('a role of one’s own is made and removed', async () => {
  const { page, goTo, picture, faults } = ann
  await goTo('access/roles', 'Access')
  await page.getByLabel('Role', { exact: true }).fill('buyer')
  await page.getByLabel('Capability').fill('svc.market.*')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByText('1 capability of buyer').waitFor()
  await picture('roles')
  assert.deepEqual(await seriousFaults(page), [])
  await page.getByRole('button', { name: 'Remove buyer' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this role?' })
  await dialog.getByRole('button', { name: 'Remove buyer' }).click()
  await page.getByText('1 capability of buyer').waitFor({ state: 'detached' })
  assert.deepEqual(faults, [])
})
