// How far what is already drawn moves by itself while a page loads, as browsers count it: 0.1 and less is called good.
import type { BrowserContext, Page } from 'playwright-core'

const shift_max = 0.1
const recorder = `
  globalThis.svc_shifts = []
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput)
        svc_shifts.push({ value, moved: sources.map(({ node }) => node?.outerHTML?.slice(0, 100)) })
  }).observe({ type: 'layout-shift', buffered: true })`

/** A page that counts from its first moment. */
export async function pageThatRecordsShifts(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.addInitScript(recorder)
  return page
}

/** What moved, as far as it has been drawn: nothing if it was little. */
export async function largeShifts(page: Page): Promise<readonly Shift[]> {
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  const shifts = (await page.evaluate('svc_shifts')) as readonly Shift[]
  return shifts.reduce((sum, { value }) => sum + value, 0) > shift_max ? shifts : []
}

interface Shift {
  readonly value: number
  readonly moved: readonly (string | undefined)[]
}
