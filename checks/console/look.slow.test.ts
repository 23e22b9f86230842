// Every page in both themes and at two widths: no accessibility fault, no browser error, no text cut off or
// overlapping, nothing wider than the screen, and nothing that moves away while it is read.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { type ConsoleScene, openConsoleScene, seriousFaults } from './console-scene.ts'
import { largeShifts, pageThatRecordsShifts } from './layout-shifts.ts'
import { places } from './places.ts'
import { misplacedTexts } from './text-boxes.ts'

const widths = [1440, 390]
const calls = 30

let scene: ConsoleScene

before(async () => {
  scene = await openConsoleScene()
  for (let i = 0; i < calls; i++) {
    const entry = { event_type: 'custom.seen', meta: { i } }
    await dispatch(scene.engine, { protocol: 'MAX', operation: 'audit_log_entry', input: entry })
    if (i % 5 > 0) continue
    const input = { party_a: 'dev', party_b: 'nobody', capability: 'svc.mind.recall_memory' }
    await dispatch(scene.engine, {
      protocol: 'MOAT',
      operation: 'compliance_query',
      input,
      tenant_id: 'nobody',
    })
  }
})
after(() => scene?.close())

for (const dark of [false, true])
  test(`every page in the ${dark ? 'dark' : 'light'} theme, wide and on a phone`, async () => {
    const { page, faults, goTo, picture } = await scene.signIn({ dark })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      for (const [place, heading] of places) {
        const name = `${place.replaceAll('/', '-')}-${width}-${dark ? 'dark' : 'light'}`
        await goTo(place, heading)
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
        await picture(name)
        assert.deepEqual(await misplacedTexts(page), [], name)
        assert.equal(
          await page.evaluate('document.documentElement.scrollWidth'),
          width,
          `${name} is too wide`,
        )
        assert.deepEqual(await seriousFaults(page), [], name)
        assert.deepEqual(faults, [], name)
      }
    }
  })

for (const width of widths)
  test(`nothing moves by itself while a page loads, ${width} pixels wide`, async () => {
    const { context } = await scene.signIn()
    for (const [place, heading] of places) {
      const page = await pageThatRecordsShifts(context)
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${scene.console_url}#/${place}`)
      await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
      await page.getByText('Loading …').first().waitFor({ state: 'detached' })
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      assert.deepEqual(await largeShifts(page), [], place)
      await page.close()
    }
  })
