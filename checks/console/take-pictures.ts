// Takes the pictures of the console in README.md and docs/console.md, from demo data of its own: `npm run pictures`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { freePorts } from '../engines/running-engine.ts'
import { openBrowser } from '../neighbours/browser.ts'
import { type Picture, picture_size, pictures } from './pictures.ts'

const root = join(import.meta.dirname, '../..')
const load_ms_max = 300_000
/** Charts are drawn after their figures have come. */
const drawn_ms = 1_500

const data_dir = mkdtempSync(join(tmpdir(), 'svc-pictures-'))
const engine = spawn(
  process.execPath,
  [
    join(root, 'service/main.ts'),
    'up',
    '--demo',
    '--port',
    String(await freePorts()),
    '--data-dir',
    data_dir,
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
try {
  const console_url = await consoleOf(engine)
  const { logins, password } = JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))
  const browser = await openBrowser()
  try {
    const page = await browser.newPage({
      viewport: picture_size,
      reducedMotion: 'reduce',
      colorScheme: 'light',
    })
    page.setDefaultTimeout(load_ms_max)
    await signIn(page, console_url, logins[0].login, password)
    for (const picture of pictures) await take(page, picture)
  } finally {
    await browser.close()
  }
} finally {
  engine.kill('SIGTERM')
  if (engine.exitCode === null) await once(engine, 'exit')
  rmSync(data_dir, { recursive: true, force: true })
}

/** The address that it prints once the demo is made. */
async function consoleOf({ stdout }: ChildProcess): Promise<string> {
  let address: string | undefined
  for await (const line of createInterface({ input: stdout! })) {
    address ??= /^ {2}console +(\S+)/.exec(line)?.[1]
    if (address && line.includes('ada@')) {
      stdout!.resume()
      return address
    }
  }
  throw new Error('The engine ended before its demo was made; its output is above.')
}

async function signIn(page: Page, console_url: string, login: string, password: string): Promise<void> {
  await page.goto(console_url)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
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
