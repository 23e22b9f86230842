// Live metrics: they follow calls, and are those of the viewing tenant.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleScene, seriousFaults } from './console-scene.ts'

let scene: ConsoleScene

before(async () => {
  scene = await openConsoleScene()
})
after(() => scene?.close())

test('live metrics follow calls; another tenant’s calls are not shown', async () => {
  const { page, goTo, faults, picture } = await scene.signIn()
  await goTo('now', 'Now')
  await page.getByText('live', { exact: true }).waitFor()
  const denied = { protocol: 'MOAT', operation: 'compliance_query', tenant_id: 'nobody', input: {} }
  const entry = { event_type: 'custom.seen_live', meta: {} }
  const other = await scene.engine.newCaller({ tenant_id: 'elsewhere' })
  for (let i = 0; i < 5; i++) {
    await dispatch(scene.engine, { protocol: 'MAX', operation: 'audit_log_entry', input: entry })
    await dispatch(scene.engine, denied)
    await dispatch(other, { protocol: 'MEAL', operation: 'statement', input: {} })
  }
  const refusals = page.locator('.bar', { hasText: 'capability_denied' })
  await refusals.getByText('5', { exact: true }).waitFor()
  const busiest = page.getByRole('region', { name: 'Busiest protocols, last minute' })
  await busiest.getByRole('row', { name: /^MOAT 5 5 0/ }).waitFor()
  assert.equal(await busiest.getByText('MEAL').count(), 0)
  assert.ok((await page.getByRole('region', { name: 'Latency by stage' }).getByRole('row').count()) > 8)
  await page.getByText('As a table').click()
  await page.getByRole('region', { name: 'Calls, in calls per second' }).waitFor()
  await picture('now')
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
  await goTo('now', 'Now')
  await page.getByText('connection lost; reconnecting').waitFor({ timeout: 180_000 })
  is_away = false
  await page.clock.runFor(5_000)
  await page.getByText('live', { exact: true }).waitFor({ timeout: 180_000 })
})
