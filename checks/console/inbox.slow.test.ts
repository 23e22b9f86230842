// Approvals in a real browser: a call that waits is counted, shown and approved; then it passes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localAdmin } from '@svc/contract/identity/identity'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'

let scene: ConsoleScene
let ann: SignedIn
let colleague: Addresses
const powers = new Map<string, string[]>()

before(async () => {
  const identity = {
    resolve(did: string) {
      const capabilities = (powers.get(did) ?? []).map((name) => ({ name, caveats: [] }))
      return { outcome: 'Resolved' as const, identity: { ...localAdmin(did), capabilities } }
    },
  }
  scene = await openConsoleScene({ identity })
  const entry = { name: 'svc.max.audit_log_entry', caveats: ['approval:role:finance'] }
  colleague = await scene.engine.newCaller({ capabilities: [entry] })
  powers.set(scene.engine.agent_did, ['svc.max.*', 'svc.maxim.*', 'svc.role.finance'])
  ann = await scene.signIn()
})
after(() => scene?.close())

const hello = {
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.hello', meta: { words: '<b>bold</b>' } },
}

test('a call that waits is counted in the navigation, shown with its input, and passes once approved', async () => {
  const { page, goTo, picture, faults } = ann
  assert.equal((await dispatch(colleague, hello)).body.error.code, 'approval_required')
  await goTo('inbox', 'Inbox')
  await page.getByRole('navigation', { name: 'Pages' }).getByLabel('1 waiting').waitFor()
  await page.getByRole('link', { name: 'MAX audit_log_entry' }).click()
  await page.getByText('<b>bold</b>').waitFor()
  await page.getByText('role finance (0 of 1)').waitFor()
  await picture('approval')
  assert.deepEqual(await seriousFaults(page), [])
  await page.getByLabel('Note').fill('Looks right.')
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve this call?' })
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Looks right.').waitFor()
  assert.equal((await dispatch(colleague, hello)).status, 200)
  assert.equal((await dispatch(colleague, hello)).status, 403)
  assert.deepEqual(faults, [])
})
