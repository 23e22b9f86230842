// Tenants and the engine's settings: for people of the organization that runs the engine; others are told, not refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleScene, openConsoleScene, seriousFaults } from './console-scene.ts'
import { misplacedTexts } from './text-boxes.ts'

const of_all = ['Webhooks', 'Logging and tracing']
const of_operator = ['Webhooks', 'Audit log', 'Sign-in', 'Mail', 'Logging and tracing']

let scene: ConsoleScene

before(async () => {
  scene = await openConsoleScene()
  for (const tenant_id of ['acme', 'borealis']) await scene.engine.newCaller({ tenant_id })
})
after(() => scene?.close())

test('an operator finds an organization by its name, and what belongs to it', async () => {
  const caller = await scene.engine.newCaller({ tenant_id: 'operator' })
  const { page, goTo, faults, picture } = await scene.signIn({ caller, login: 'olga@example.org' })
  await page.getByRole('link', { name: 'Tenants' }).click()
  const list = page.getByRole('region', { name: 'Organizations of this engine' })
  await list.getByRole('row', { name: /borealis/ }).waitFor()
  await page.getByLabel('Search', { exact: true }).fill('ACM')
  await list.getByRole('row', { name: /borealis/ }).waitFor({ state: 'detached' })
  await list.getByRole('row', { name: /acme/ }).click()
  const panel = page.getByRole('dialog', { name: 'acme' })
  await panel.getByText('svc-engine admin key issue acme').waitFor()
  await picture('tenants-panel')
  assert.deepEqual(await misplacedTexts(page), [])
  assert.deepEqual(await seriousFaults(page), [])
  await page.keyboard.press('Escape')
  await goTo('settings/audit-log', 'Settings')
  assert.deepEqual(await page.getByRole('tab').allTextContents(), of_operator)
  await page.getByRole('region', { name: 'Retention' }).getByText('all records').waitFor()
  await goTo('settings/sign-in', 'Settings')
  await page.getByText('off: people sign in with a login and a password').waitFor()
  assert.deepEqual(faults, [])
})

test('for others there is no such page, and opening its address refuses nothing', async () => {
  const { page, goTo, faults } = await scene.signIn()
  await page.getByRole('link', { name: 'Settings' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Tenants' }).count(), 0)
  await goTo('settings/webhooks', 'Settings')
  assert.deepEqual(await page.getByRole('tab').allTextContents(), of_all)
  const these = 'These settings belong to the organization that runs this engine.'
  for (const [place, heading, sentence] of [
    ['tenants', 'Tenants', 'The list of organizations is for whoever runs this engine.'],
    ['settings/audit-log', 'Settings', these],
    ['settings/sign-in', 'Settings', these],
    ['settings/mail', 'Settings', these],
  ] as const) {
    await goTo(place, heading)
    await page.getByText(sentence).waitFor()
  }
  const records = await scene.engine.records(scene.engine.tenant_id)
  assert.deepEqual(
    records.filter(({ outcome }) => outcome !== 'success'),
    [],
  )
  assert.deepEqual(faults, [])
})
