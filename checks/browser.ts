// A real browser. It is looked for where systems have it, and installed once where we may.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where the system has it; elsewhere the sentence below says what to do. */
const installer = 'apt-get'
const install_ms_max = 300_000
const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

export async function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser() ?? installBrowser()
  // Root has no sandbox to give; what is visited is our own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return await chromium.launch({ executablePath, args })
}

function findBrowser(): string | undefined {
  return [process.env.SVC_TEST_BROWSER ?? '', ...places].find((path) => path !== '' && existsSync(path))
}

function installBrowser(): string {
  if (process.getuid?.() === 0) {
    spawnSync(installer, ['install', '-y', 'chromium'], { timeout: install_ms_max, stdio: 'ignore' })
    const installed = findBrowser()
    if (installed) return installed
  }
  throw new Error(
    'No Chromium was found; install one (apt-get install chromium), or name it in SVC_TEST_BROWSER.',
  )
}
