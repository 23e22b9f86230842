// One request through the stages: each stage's decision, why it was refused, and what would have changed that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'

/** More than a few small pages. */
const own_reads = 300

let scene: ConsoleScene
let ann: SignedIn

before(async () => {
  scene = await openConsoleScene()
  ann = await scene.signIn()
})
after(() => scene?.close())

test('a refused call is explained: its stage, its message, and what would have changed it', async () => {
  const { page, goTo, picture } = ann
  const input = { party_a: 'dev', party_b: 'nobody', capability: 'svc.mind.recall_memory' }
  const call = { protocol: 'MOAT', operation: 'compliance_query', input: input, tenant_id: 'nobody' }
  const { status, body } = await dispatch(scene.engine, call)
  assert.equal(status, 403)
  const { correlation_id, reason } = body.error
  await goTo('requests', 'Requests')
  const row = page
    .getByRole('region', { name: 'Requests' })
    .getByRole('row', { name: /refused MOAT compliance_query no active treaty/ })
  await row.waitFor()
  const colour = await row.locator('.tone').evaluate((badge) => badge.className)
  assert.match(colour, /tone-bad/, 'a refusal is never green')
  await goTo(`requests/${correlation_id}`, 'Requests')
  const rung = page.locator('.rung.refused')
  await rung.waitFor()
  assert.match((await rung.textContent()) ?? '', /^4\s*Capability/)
  assert.equal(await page.locator('.rung.not-reached').count(), 3)
  const why = page.getByRole('region', { name: 'Why' })
  await why.getByText(reason, { exact: true }).first().waitFor()
  await why.getByText('an active treaty granted the capability').waitFor()
  await picture('request-refused')
  await page.getByRole('tab', { name: 'Everything involved' }).click()
  await page.getByRole('region', { name: 'Participants' }).locator('.react-flow__node').first().waitFor()
  await picture('request-graph')
  assert.deepEqual(await seriousFaults(page), [])
})

test('what a person reads is left out of the requests, unless they ask for it', async () => {
  const { page, goTo } = ann
  await dispatch(scene.engine, {
    protocol: 'MAX',
    operation: 'audit_log_entry',
    input: { event_type: 'custom.x', meta: {} },
  })
  await goTo('requests', 'Requests')
  const list = page.getByRole('region', { name: 'Requests' })
  await list
    .getByRole('row', { name: /success MAX audit_log_entry/ })
    .first()
    .waitFor()
  assert.equal(await list.getByRole('row', { name: /success MAX audit_query/ }).count(), 0)
  await page.getByRole('link', { name: 'yourself as caller' }).click()
  await list
    .getByRole('row', { name: /success MAX audit_query/ })
    .first()
    .waitFor()
})

test('calls are found behind hundreds of reads of one’s own', async () => {
  const { page, goTo } = ann
  const read = { protocol: 'MAX', operation: 'audit_query', input: { limit: 1 } }
  for (let i = 0; i < own_reads; i++) await dispatch(scene.engine, read)
  await goTo('overview', 'Overview')
  await goTo('requests', 'Requests')
  const list = page.getByRole('region', { name: 'Requests' })
  await list
    .getByRole('row', { name: /success MAX audit_log_entry/ })
    .first()
    .waitFor()
})

test('a list is filtered by the address and by keyboard, and a row opens beside it', async () => {
  const { page, goTo, picture } = ann
  const entry = { event_type: 'custom.followed', meta: {} }
  const { body } = await dispatch(scene.engine, {
    protocol: 'MAX',
    operation: 'audit_log_entry',
    input: entry,
  })
  const { correlation_id } = body.metadata
  const records = await scene.engine.records(scene.engine.tenant_id)
  const own = records.find(
    (each) => each.correlation_id === correlation_id && each.event_type === 'ProtocolInvocation',
  )
  await goTo('requests?outcome=refused', 'Requests')
  const list = page.getByRole('region', { name: 'Requests' })
  await list.getByText('no active treaty').first().waitFor()
  await list.getByText('audit_log_entry').first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('combobox', { name: 'Operation' }).fill('audit_log_entry')
  await page.waitForURL(/operation=audit_log_entry/)
  const row = list.getByRole('row', { name: new RegExp(correlation_id.slice(0, 8)) })
  await row.focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('dialog', { name: 'Request' })
  await panel.getByRole('heading', { name: 'MAX audit_log_entry' }).first().waitFor()
  const stages = (await panel.getByRole('region', { name: 'The stages' }).textContent()) ?? ''
  for (const fact of [own?.record_hash, own?.meta.grant, own?.meta.input_hash])
    assert.ok(stages.includes(String(fact)))
  assert.equal(await panel.locator('.rung.passed').count(), 9)
  await picture('request-panel')
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(ann.faults, [])
})

test('nothing of a request stays on the page that is opened next', async () => {
  const { page, goTo } = ann
  const [record] = (await scene.engine.records(scene.engine.tenant_id)).slice(-1)
  await goTo(`requests/${record!.correlation_id}`, 'Requests')
  await page.getByRole('region', { name: 'The stages' }).waitFor()
  for (const [place, heading] of [
    ['playground', 'Playground'],
    ['audit-log', 'Audit log'],
    ['access', 'Access'],
  ] as const) {
    await goTo(place, heading)
    assert.equal(await page.getByRole('region', { name: 'The stages' }).count(), 0, place)
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, place)
  }
})

test('views are saved, and rows are exported as CSV', async () => {
  const { page, goTo } = ann
  await goTo('requests?outcome=refused', 'Requests')
  await page.getByRole('region', { name: 'Requests' }).getByText('no active treaty').first().waitFor()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Name of the view').fill('My refusals')
  await page.getByRole('button', { name: 'Save this view' }).click()
  await goTo('playground', 'Playground')
  await goTo('requests', 'Requests')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'my-refusals' }).click()
  await page.waitForURL(/outcome=refused/)
  await page.keyboard.press('Escape')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'requests.csv')
  assert.deepEqual(ann.faults, [])
})

test('the command menu opens a page by what it is for, and a request by its id', async () => {
  const { page } = ann
  await page.keyboard.press('Control+k')
  await page.getByLabel('Search', { exact: true }).fill('search audit log')
  await page.getByRole('button', { name: /^Audit log/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Audit log', exact: true }).waitFor()
  const [record] = await scene.engine.records(scene.engine.tenant_id)
  await page.keyboard.press('Control+k')
  await page.getByLabel('Search', { exact: true }).fill(record!.correlation_id)
  await page.getByRole('button', { name: /Request with this id/ }).click()
  await page.getByRole('region', { name: 'The stages' }).waitFor()
})
