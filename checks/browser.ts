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

function run(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(installer, args, { timeout: install_ms_max, stdio: 'ignore', env })
}

function installBrowser(): string {
  if (process.getuid?.() === 0) {
    // The second time with fresh lists: those of an image may name files that are no longer there.
    for (const lists of ['known', 'fresh']) {
      if (lists === 'fresh') run('update')
      run('install', '-y', '--no-install-recommends', 'chromium')
      const installed = findBrowser()
      if (installed) return installed
    }
  }
  throw new Error(
    'No Chromium was found; install one (apt-get install chromium), or name it in SVC_TEST_BROWSER.',
  )
}
