// The overview: figures of a period from the log itself, health now, and both only of the viewing tenant.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleScene, seriousFaults } from './console-scene.ts'

let scene: ConsoleScene

before(async () => {
  scene = await openConsoleScene()
})
after(() => scene?.close())

test('calls made before the page was opened are shown; another tenant’s are not', async () => {
  const denied = { protocol: 'MOAT', operation: 'compliance_query', tenant_id: 'nobody', input: {} }
  const entry = { event_type: 'custom.seen_live', meta: {} }
  const other = await scene.engine.newCaller({ tenant_id: 'elsewhere' })
  for (let i = 0; i < 5; i++) {
    await dispatch(scene.engine, { protocol: 'MAX', operation: 'audit_log_entry', input: entry })
    await dispatch(scene.engine, denied)
    await dispatch(other, { protocol: 'MEAL', operation: 'statement', input: {} })
  }
  const { page, goTo, faults, picture } = await scene.signIn()
  await goTo('overview', 'Overview')
  await page.getByText('live', { exact: true }).waitFor()
  const busiest = page.getByRole('region', { name: 'Busiest protocols' })
  await busiest.getByRole('row', { name: /^MOAT 5 5 0 / }).waitFor()
  assert.equal(await busiest.getByText('MEAL').count(), 0)
  const refusals = page.getByRole('listitem').filter({ hasText: 'no active treaty' })
  await refusals.getByText('5', { exact: true }).waitFor()
  await page.getByText('Stages and circuit breakers').click()
  const stages = page.getByRole('region', { name: 'Latency by stage' })
  assert.ok((await stages.getByRole('row').count()) > 8)
  // Only the operator learns how often a stage ran: for others there is no column, rather than an empty one.
  assert.deepEqual(await stages.getByRole('columnheader').allTextContents(), ['Stage', 'p50', 'p99'])
  await page.getByText('As a table').first().click()
  await page.getByRole('region', { name: 'Traffic, calls' }).waitFor()
  await picture('overview')
  // The choice of the period is still there when one comes back from another page.
  await goTo('playground', 'Playground')
  await goTo('overview', 'Overview')
  await page.getByText('7 days', { exact: true }).click()
  await page.waitForURL(/range=7d/)
  await busiest.getByRole('row', { name: /^MOAT 5 5 0 / }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(faults, [])
})

test('the page reconnects by itself to an engine that was down', async () => {
  const { page, goTo } = await scene.signIn()
  await goTo('playground', 'Playground')
  await page.clock.install()
  let is_away = true
  const away = { status: 503, json: { error: { message: 'The engine cannot be reached.' } } }
  await page.route('**/v1/live', (route) => (is_away ? route.fulfill(away) : route.continue()))
  await goTo('overview', 'Overview')
  await page.getByText('connection lost; reconnecting').waitFor({ timeout: 180_000 })
  is_away = false
  await page.clock.runFor(5_000)
  await page.getByText('live', { exact: true }).waitFor({ timeout: 180_000 })
})
