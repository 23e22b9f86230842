// A real browser.
import { type Browser, chromium } from 'playwright-core'
import { findOrInstall } from '../suite/install.ts'

const program = {
  name: 'Chromium',
  // The first is headless only, and much faster.
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
  // Chromium's sandbox does not work as root; only our own pages are visited.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return await chromium.launch({ executablePath: findOrInstall(program), args })
}
