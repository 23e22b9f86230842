// The playground in a real browser: an operation as a form and as JSON, dry-run, run, refused and explained.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'

let scene: ConsoleScene
let ann: SignedIn

before(async () => {
  scene = await openConsoleScene()
  ann = await scene.signIn()
})
after(() => scene?.close())

async function written() {
  const records = await scene.engine.records(scene.engine.tenant_id)
  return records.filter(({ event_type }) => event_type === 'custom.from_the_console')
}

test('a form becomes a call: chosen by name, filled in, dry-run, run, recorded, verified', async () => {
  const { page, goTo, picture } = ann
  await goTo('playground', 'Playground')
  await page.getByLabel('Find').fill('search audit log')
  const matches = page.getByRole('list', { name: 'Matching operations' })
  await matches.getByRole('link', { name: 'MAX audit_query', exact: true }).waitFor()
  await page.getByLabel('Find').fill('max log')
  await matches.getByRole('link', { name: 'MAX audit_log_entry' }).click()
  await page.getByRole('heading', { name: 'MAX audit_log_entry' }).waitFor()
  await page.getByLabel('event_type').fill('custom.from_the_console')
  await page.getByRole('button', { name: 'Dry run' }).click()
  await page.getByText('It would be allowed. Nothing was executed.').waitFor()
  assert.equal((await written()).length, 0)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page
    .getByText('Consistent: the record is in the log, signed by a key that only the engine vouches for')
    .waitFor()
  await picture('playground-run')
  const [record] = await written()
  const shown = (await page.getByRole('region', { name: 'Result' }).textContent()) ?? ''
  assert.ok(shown.includes(`"seq": ${record?.seq}`), shown)
  assert.deepEqual(await seriousFaults(page), [])
})

test('the same call works when pasted into a shell', async () => {
  const { page } = ann
  await page.getByText('Same call in other clients').click()
  const text =
    (await page.locator('figure.json', { hasText: 'curl' }).first().locator('pre').textContent()) ?? ''
  const env = { ...process.env, SVC_API_URL: scene.engine.api_url, SVC_API_KEY: scene.engine.api_key }
  const { stdout } = await promisify(execFile)('sh', ['-c', text], { env })
  assert.equal(JSON.parse(stdout).metadata?.operation, 'audit_log_entry', stdout)
})

test('JSON input appears in the form; invalid JSON is reported and not sent', async () => {
  const { page } = ann
  await page.getByRole('button', { name: 'As JSON' }).click()
  const box = page.getByLabel('Input as JSON')
  await box.fill('{"event_type": "custom.by_hand", ')
  await page.getByText('Not valid JSON').waitFor()
  await box.fill('{"event_type": "custom.by_hand", "meta": {"from": "json"}}')
  await page.getByRole('button', { name: 'As a form' }).click()
  assert.equal(await page.getByLabel('event_type').inputValue(), 'custom.by_hand')
})

test('an identity is chosen by name and sent as its DID', async () => {
  const { page, goTo } = ann
  await goTo('playground/MACS/authorization_request', 'MACS authorization_request')
  await page.getByRole('combobox', { name: 'agent_did' }).fill('local admin')
  await page.getByRole('option', { name: /^local admin · dev · / }).click()
  await page.getByRole('button', { name: 'As JSON' }).click()
  const input = JSON.parse((await page.getByLabel('Input as JSON').textContent()) ?? '')
  assert.deepEqual(input, { agent_did: scene.engine.agent_did })
})

test('a refusal shows its message, code, stage and a link to its journey', async () => {
  const { page, goTo, picture } = ann
  await goTo('playground/MOAT/terminate', 'MOAT terminate')
  await page.getByRole('button', { name: 'Fill in the example' }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const alert = page.getByRole('alert')
  await alert.getByRole('link', { name: 'See how it went' }).waitFor()
  const text = (await alert.textContent()) ?? ''
  assert.match(text, /invalid_payload/)
  await picture('playground-refused')
})

test('the example is made possible by its steps: played, marked as done, and filled in', async () => {
  const { page, goTo, picture } = ann
  await goTo('playground/MIND/associate_memories', 'MIND associate_memories')
  const steps = page.getByRole('region', { name: 'Steps before the example' })
  assert.equal(await steps.getByRole('listitem').count(), 2)
  await page.getByRole('button', { name: 'Fill in the example' }).click()
  await steps.getByText('ok', { exact: true }).nth(1).waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('"reinforced": false').waitFor()
  await picture('playground-scene')
  assert.deepEqual(await seriousFaults(page), [])
})

test('list items and optional fields can be added and removed', async () => {
  const { page, goTo } = ann
  await goTo('playground/MOAT/propose', 'MOAT propose')
  await page.getByRole('button', { name: 'Add to capability_schedule' }).click()
  await page.getByLabel('capability', { exact: true }).first().fill('svc.mind.recall_memory')
  const schedule = page.locator('fieldset', { hasText: 'capability_schedule 1' }).last()
  await schedule.getByLabel('Add a field').selectOption('caveats')
  await schedule.getByLabel('granted_to', { exact: true }).selectOption('both')
  await page.getByRole('button', { name: 'As JSON' }).click()
  const input = JSON.parse(await page.getByLabel('Input as JSON').innerText())
  assert.deepEqual(input.capability_schedule[0]?.granted_to, 'both')
  await page.getByRole('button', { name: 'As a form' }).click()
  await page.getByRole('button', { name: /^Remove capability_schedule 1/ }).click()
  assert.deepEqual(
    ann.faults.filter((fault) => !/status of (4|5)\d\d/.test(fault)),
    [],
  )
})
