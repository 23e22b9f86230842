// Lighthouse over the main pages with demo data. Scores of speed depend on the machine, so they are reported; judged is what
// does not: accessibility, what moves while a page loads, and how much is loaded.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { is_long, report } from '../faults/scene/chance.ts'
import { type DemoConsole, startDemoConsole } from './demo-console.ts'
import { forms, type Lighthouse, openLighthouse } from './lighthouse.ts'

const main_pages = ['overview', 'requests', 'audit-log', 'costs', 'inbox', 'access', 'playground', 'mesh']
const accessibility_min = 95
const layout_shift_max = 0.1
/** Compressed, with what the page reads from the engine. */
const bytes_max = 1_000_000
const skip = is_long ? false : 'installs Lighthouse; npm run assurance does'

let demo: DemoConsole | undefined
let lighthouse: Lighthouse | undefined
after(async () => {
  await lighthouse?.close()
  await demo?.stop()
})

test('the main pages are accessible, stand still while they load, and are small', { skip }, async (t) => {
  demo = await startDemoConsole()
  lighthouse = await openLighthouse()
  await demo.signIn(lighthouse.page)
  for (const form of forms)
    for (const place of main_pages) {
      const { faults, ...figures } = await lighthouse.measure(`${demo.url}#/${place}`, form)
      report(t, { page: place, form, ...figures })
      const name = `${place} on a ${form}`
      assert.deepEqual(faults, [], name)
      assert.ok(figures.accessibility >= accessibility_min, `${name}: ${figures.accessibility}`)
      assert.ok(figures.layout_shift <= layout_shift_max, `${name} moves: ${figures.layout_shift}`)
      assert.ok(figures.bytes <= bytes_max, `${name} loads ${figures.bytes} bytes`)
    }
})
