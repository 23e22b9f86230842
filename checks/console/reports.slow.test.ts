// Reports in a real browser: a compliance report is issued, verified there and saved as files; a view is stored with
// the engine, fetched, scheduled, shared and removed.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { verifyReport } from '@svc/sdk/verify/report'
import { dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'
import { misplacedTexts } from './text-boxes.ts'

let scene: ConsoleScene
let ann: SignedIn

before(async () => {
  scene = await openConsoleScene()
  ann = await scene.signIn()
  await max('audit_log_entry', { event_type: 'custom.shift_started', meta: {} })
})
after(() => scene?.close())

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>
async function max(operation: string, input: object = {}): Promise<Fields> {
  const { status, body } = await dispatch(scene.engine, { protocol: 'MAX', operation, input })
  assert.equal(status, 200, JSON.stringify(body))
  return body.output
}

async function assertSound(name: string): Promise<void> {
  const { page, faults, picture } = ann
  await picture(name)
  assert.deepEqual([await seriousFaults(page), await misplacedTexts(page), faults], [[], [], []], name)
}

/** What a click saves, as text. */
async function saved(button: string): Promise<string> {
  const { page } = ann
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).first().click(),
  ])
  return await readFile(await download.path(), 'latin1')
}

test('a report is issued, shown as verified here, and saved as PDF and CSV that verify elsewhere', async () => {
  const { page, goTo } = ann
  await goTo('reports', 'Reports')
  await page.getByRole('combobox', { name: 'Framework' }).click()
  await page.getByRole('option', { name: 'SOC 2' }).click()
  await assertSound('reports')
  await page.getByRole('button', { name: 'Issue the report' }).click()
  const report = page.getByRole('article', { name: 'Report' })
  await report.getByRole('heading', { name: 'SOC 2 report of dev' }).waitFor()
  await report.getByText('Signed with a key that only this engine vouches for').waitFor()
  await report.getByText('custom.shift_started').waitFor()
  const controls = report.getByRole('region', { name: 'Controls' })
  const people = controls.getByRole('row', { name: /^CC1\.4 / })
  await people.getByText('Not shown by this log').waitFor()
  await people.getByText('background checks of staff are outside this system').waitFor()
  await controls
    .getByRole('row', { name: /^CC7\.4 / })
    .getByText('No evidence in this period')
    .waitFor()
  const access = controls.getByRole('row', { name: /^CC6\.1 / })
  await access.getByText('Is logical access to information limited').waitFor()
  await access.getByText(/each naming the capability that allowed it/).click()
  await access.getByText('ProtocolInvocation; must have grant').waitFor()
  await assertSound('report')

  const { keys } = await max('audit_query', { after_seq: 0, limit: 1, include_checkpoints: true })
  const key: string = keys[0].public_key
  for (const format of ['PDF', 'CSV']) {
    const verdict = await verifyReport(await saved(format), [key])
    assert.ok(verdict.ok && verdict.report.framework === 'soc2', format)
  }
  const trust = JSON.stringify({ keys: key, notes: '', witnesses: '', witnesses_needed: '' })
  await page.evaluate(`localStorage.setItem('svc-trust:dev', ${JSON.stringify(trust)})`)
  await page.reload()
  await report.getByText('Signed with a key you trust').waitFor()
  await page.getByRole('link', { name: 'All reports' }).click()
  await page.getByRole('region', { name: 'Issued reports' }).getByText('verified', { exact: true }).waitFor()
})

test('a report that was changed on its way is not shown', async () => {
  const { page } = ann
  await page.route('**/dispatch', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as Fields
    if (route.request().postData()?.includes('compliance_report_file')) {
      const [header, payload, signature] = /eyJ[\w-]+\.[\w-]+\.[\w-]+/
        .exec(Buffer.from(body.output.content, 'base64').toString())![0]
        .split('.')
      const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString('utf8'))
      claims.counts.refused = 0
      claims.record_count = 1
      const forged = Buffer.from(JSON.stringify(claims)).toString('base64url')
      body.output.content = Buffer.from(`${header}.${forged}.${signature}`).toString('base64')
    }
    await route.fulfill({ response: answer, json: body })
  })
  await page.getByRole('region', { name: 'Issued reports' }).getByRole('link').first().click()
  await page.getByText('This report cannot be shown, because it does not verify').waitFor()
  assert.equal(await page.getByRole('article', { name: 'Report' }).count(), 0)
  await page.unroute('**/dispatch')
})

test('a view is saved with the engine, opened, fetched, scheduled, shared and removed', async () => {
  const { page, goTo } = ann
  const views = async (): Promise<Fields[]> => (await max('list_views')).items
  await goTo('audit-log/records?event_type=custom.shift_started', 'Audit log')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByLabel('Name of the view').fill('Shifts of the week')
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByRole('menuitem', { name: 'shifts-of-the-week' }).waitFor()
  await page.getByRole('menuitem', { name: 'Schedule, share and fetch views' }).click()
  await page.getByRole('row', { name: /shifts-of-the-week/ }).click()
  const panel = page.getByRole('dialog', { name: 'View' })
  assert.match(await saved('Fetch as CSV'), /shift_started/)
  await panel.getByRole('combobox', { name: 'Runs' }).click()
  await page.getByRole('option', { name: 'Weekly' }).click()
  await panel.getByRole('combobox', { name: 'Day of the week' }).click()
  await page.getByRole('option', { name: 'Friday' }).click()
  await panel.getByLabel('At').fill('06:15')
  await assertSound('saved-view')
  await panel.getByRole('button', { name: 'Save the schedule' }).click()
  await panel.getByText(/^Weekly, Friday 06:15/).waitFor()
  assert.deepEqual(
    (await views()).map(({ name, page: place, schedule }) => [name, place, schedule.every, schedule.day]),
    [['shifts-of-the-week', 'audit-log/records', 'weekly', 5]],
  )
  await panel.getByRole('button', { name: 'Share with your organization' }).click()
  await page.getByText('is now also a view of your organization').waitFor()
  assert.equal((await views()).filter(({ shared }) => shared).length, 1)
  await panel.getByRole('button', { name: 'Remove shifts-of-the-week' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove this view?' })
  await dialog.getByRole('button', { name: 'Remove shifts-of-the-week' }).click()
  await panel.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /shifts-of-the-week Your organization/ }).click()
  await page.getByRole('link', { name: 'Open', exact: true }).click()
  await page.waitForURL(/audit-log\/records\?event_type=custom\.shift_started/)
  await page.getByRole('region', { name: 'Records' }).getByText('custom.shift_started').first().waitFor()
  assert.deepEqual(await views().then((left) => left.map(({ shared }) => shared)), [true])
  assert.deepEqual(ann.faults, [])
})
