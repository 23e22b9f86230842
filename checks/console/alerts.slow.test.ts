// Alerts in a real browser: offered rules are set, one fires, is acknowledged, silenced, changed and removed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'
import { misplacedTexts } from './text-boxes.ts'

let scene: ConsoleScene
let ann: SignedIn

before(async () => {
  scene = await openConsoleScene()
  ann = await scene.signIn()
})
after(() => scene?.close())

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>
async function motif(operation: string, input: object = {}): Promise<Fields> {
  const { status, body } = await dispatch(scene.engine, { protocol: 'MOTIF', operation, input })
  assert.equal(status, 200, JSON.stringify(body))
  return body.output
}

async function assertSound(name: string): Promise<void> {
  const { page, faults, picture } = ann
  await picture(name)
  assert.deepEqual([await seriousFaults(page), await misplacedTexts(page), faults], [[], [], []], name)
}

test('the offered rules are set with one click, and one more by the form', async () => {
  const { page, goTo } = ann
  await goTo('alerts/rules', 'Alerts')
  await page.getByRole('button', { name: 'Set these 7 rules' }).click()
  await page.getByRole('row', { name: /treaties-expiring/ }).waitFor()
  await assertSound('alert-rules')
  await page.getByRole('button', { name: 'New rule' }).click()
  const form = page.getByRole('form', { name: 'New rule' })
  await form.getByLabel('Name').fill('any-latency')
  await form.getByRole('combobox', { name: 'Watches' }).click()
  await page.getByRole('option', { name: 'Latency of answered calls' }).click()
  await form.getByLabel('Fires above').fill('0')
  await form.getByRole('combobox', { name: 'Percentile' }).click()
  await page.getByRole('option', { name: 'p99' }).click()
  await assertSound('alert-rule-form')
  await form.getByRole('button', { name: 'Set the rule' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /any-latency.*p99/ }).waitFor()
  const { items, suggestions } = await motif('list_alert_rules')
  assert.deepEqual([items.length, suggestions], [8, []])
})

test('an alert that fires is counted, and is acknowledged with a note', async () => {
  const { page, goTo } = ann
  await until(
    'the alert fires',
    async () => (await motif('list_alerts', { rule: 'any-latency' })).items[0]?.state === 'FIRING',
  )
  await goTo('alerts', 'Alerts')
  await page.reload()
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByLabel(/\d firing/)
    .waitFor()
  await page.getByRole('row', { name: /any-latency/ }).click()
  const panel = page.getByRole('dialog', { name: 'Alert' })
  await panel.getByLabel('Note').fill('looking into it')
  await panel.getByRole('button', { name: 'Acknowledge' }).click()
  await panel.getByText('looking into it').waitFor()
  await assertSound('alert')
  const [alert] = (await motif('list_alerts', { rule: 'any-latency' })).items
  assert.deepEqual([alert.note, alert.acknowledged_by], ['looking into it', scene.engine.agent_did])
})

test('a rule is silenced, heard again, changed and removed', async () => {
  const { page, goTo } = ann
  const rule = async () =>
    (await motif('list_alert_rules')).items.find(({ name }: Fields) => name === 'any-latency')
  await goTo('alerts/rules?open=any-latency', 'Alerts')
  const panel = page.getByRole('dialog', { name: 'any-latency' })
  await panel.getByRole('button', { name: 'Silence', exact: true }).click()
  await page.getByRole('menuitem', { name: 'For 4 hours' }).click()
  await panel.getByText('The rule is silenced').waitFor()
  const ahead_ms = Date.parse((await rule()).silenced_until) - Date.parse((await rule()).set_at)
  assert.ok(ahead_ms > 3 * 3_600_000 && ahead_ms < 5 * 3_600_000, String(ahead_ms))
  await assertSound('alert-rule')
  await panel.getByRole('button', { name: 'End the silence' }).click()
  await panel.getByRole('button', { name: 'Silence', exact: true }).waitFor()
  assert.equal((await rule()).silenced_until, undefined)
  await panel.getByRole('button', { name: 'Change' }).click()
  await panel.getByLabel('Fires above').fill('2500')
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByText('Slower than 2.5 s within 15 min, p99').waitFor()
  assert.equal((await rule()).above, 2_500)
  await panel.getByRole('button', { name: 'Remove any-latency' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this rule?' })
  await dialog.getByRole('button', { name: 'Remove any-latency' }).click()
  await page.getByRole('row', { name: /any-latency/ }).waitFor({ state: 'detached' })
  assert.equal(await rule(), undefined)
  assert.deepEqual(ann.faults, [])
})
