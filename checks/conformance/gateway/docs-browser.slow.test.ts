// /docs/try in a real browser: the steps of an example, and the reader's own values in it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { stand_ins } from '@svc/contract/scene'
import type { Browser } from 'playwright-core'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { openBrowser } from '../../neighbours/browser.ts'

let service: InProcessService
let browser: Browser

before(async () => {
  service = await startInProcess()
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await service?.stop()
})

test('the steps stand above the example, with their inputs and links to their operations', async () => {
  const page = await browser.newPage()
  await page.goto(`${service.api_url}/docs/try#MIND/associate_memories`)
  const steps = page.locator('#steps li')
  await steps.nth(1).waitFor()
  assert.equal(await steps.count(), 2)
  assert.match((await steps.first().textContent()) ?? '', /^MIND\.store_memory, which gives ref\./)
  assert.match((await steps.first().locator('pre').textContent()) ?? '', /two days late/)
  await steps.first().getByRole('link').click()
  await page.getByRole('heading', { name: 'store_memory', exact: true }).waitFor()
  assert.equal(await page.locator('#steps').textContent(), '')
})

test('times of the example are counted from now, and what no call can set up is said', async () => {
  const page = await browser.newPage()
  await page.clock.setFixedTime('2030-05-01T12:00:00Z')
  await page.goto(`${service.api_url}/docs/try#MOTE/sensor_read`)
  await page.getByText('connect a thermostat').waitFor()
  const { from } = JSON.parse(await page.getByLabel('Input as JSON').inputValue())
  assert.equal(from, '2030-05-01T11:00:00.000Z')
})

test('an example that nobody changed follows the DID of the form; a changed one stays', async () => {
  const page = await browser.newPage()
  await page.route('**/v1/protocols/MAX', async (route) => {
    const answer = await route.fetch()
    const text = (await answer.text()).replaceAll('"protocol":"MIND"', `"caller_did":"${stand_ins.did}"`)
    await route.fulfill({ response: answer, body: text })
  })
  await page.goto(`${service.api_url}/docs/try#MAX/audit_query`)
  const input = page.getByLabel('Input as JSON')
  const did = page.getByLabel('Agent DID')
  await did.fill(service.agent_did)
  await did.blur()
  assert.equal(JSON.parse(await input.inputValue()).caller_did, service.agent_did)
  await input.fill('{"limit": 3}')
  await did.fill('did:oas:other')
  await did.blur()
  assert.equal(await input.inputValue(), '{"limit": 3}')
})
