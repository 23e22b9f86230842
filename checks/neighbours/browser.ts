// A real browser.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
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

/** Chromium's sandbox does not work as root; only our own pages are visited. */
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: findOrInstall(program), args })
}

/** Another program drives it too, by the port: pages of both have the same cookies. */
export async function openBrowserOn(port: number): Promise<{ page: Page; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-browser-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: findOrInstall(program),
    args: [...args, `--remote-debugging-port=${port}`],
  })
  const close = async () => {
    await context.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { page: await context.newPage(), close }
}
