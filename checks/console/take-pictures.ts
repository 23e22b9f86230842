// Takes the pictures of the console in README.md and docs/console.md, from demo data of its own: `npm run pictures`.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../neighbours/browser.ts'
import { startDemoConsole } from './demo-console.ts'
import { type Picture, picture_size, pictures } from './pictures.ts'

const root = join(import.meta.dirname, '../..')
const load_ms_max = 300_000
/** Charts are drawn after their figures have come. */
const drawn_ms = 1_500

const demo = await startDemoConsole()
try {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({
      viewport: picture_size,
      reducedMotion: 'reduce',
      colorScheme: 'light',
    })
    page.setDefaultTimeout(load_ms_max)
    await demo.signIn(page)
    for (const picture of pictures) await take(page, picture)
  } finally {
    await browser.close()
  }
} finally {
  await demo.stop()
}

async function take(page: Page, { file, place, shows, press }: Picture): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`)
  if (press) await page.locator(press).first().click()
  await page.getByText(shows).first().waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.waitForTimeout(drawn_ms)
  await page.screenshot({ path: join(root, 'docs/pictures', file) })
  console.log(`docs/pictures/${file}`)
}
