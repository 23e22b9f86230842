// A real browser.
import { type Browser, chromium } from 'playwright-core'
import { findOrInstall } from '../suite/install.ts'

const program = {
  name: 'Chromium',
  // The first is the same without a window to draw, and costs a fraction of the time.
  places: [
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  package: 'chromium-headless-shell',
  variable: 'SVC_TEST_BROWSER',
}

export async function openBrowser(): Promise<Browser> {
  // Root has no sandbox to give; what is visited is our own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return await chromium.launch({ executablePath: findOrInstall(program), args })
}
