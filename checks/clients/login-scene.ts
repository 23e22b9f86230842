// A person at a browser beside the command line: runs `svc login` and fills in the pages.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../clients/cli/run.ts'
import { type FormBrowser, formBrowser, type Page } from '../neighbours/form-browser.ts'
import { password } from '../scenes/login-journey.ts'
import { type TestTerminal, type TestTerminalOptions, testTerminal } from './test-terminal.ts'

export interface Ran extends Pick<TestTerminal, 'stdout' | 'stderr'> {
  readonly exit: number
}

export async function svc(argv: readonly string[], options: TestTerminalOptions): Promise<Ran> {
  const terminal = testTerminal(options)
  const exit = await runCli(argv, terminal)
  return { exit, stdout: terminal.stdout, stderr: terminal.stderr }
}

/** Temporary home directories. */
export function homes(): { make(): string; clear(): void } {
  const made: string[] = []
  return {
    make() {
      const home = mkdtempSync(join(tmpdir(), 'svc-home-'))
      made.push(home)
      return home
    },
    clear() {
      for (const home of made) rmSync(home, { recursive: true, force: true })
    },
  }
}

export interface Stored {
  readonly auth_url: string
  readonly api_url: string
  readonly agent_did: string
  readonly access_token: string
  readonly refresh_token: string
  readonly api_key: string
  readonly tenant_id: string
}

export function fileOf(home: string, profile?: string): string {
  return join(home, '.svc', profile === undefined ? 'config.json' : `profiles/${profile}.json`)
}

export function kept(home: string, profile?: string): Stored {
  return JSON.parse(readFileSync(fileOf(home, profile), 'utf8'))
}

export function assertDone({ exit, stderr }: Ran): void {
  assert.equal(exit, 0, stderr)
}

export interface Visit {
  /** The last page the person saw: the command line's. */
  readonly seen: Promise<Page>
  readonly url: URL
}

export interface Person {
  openBrowser(url: string): Promise<boolean>
  /** What the command opened, once it has. */
  visit(): Visit
}

/** Signs in, gives this answer, and is redirected back; `change` may tamper with the URL. */
export function personAt(
  api_url: string,
  login: string,
  answer: 'allow' | 'cancel' = 'allow',
  change: (callback: URL) => URL = (callback) => callback,
  browser = formBrowser(api_url),
): Person {
  let visit: Visit | undefined
  return {
    openBrowser(url) {
      visit = { url: new URL(url), seen: walk(browser, url, login, answer, change) }
      visit.seen.catch(() => undefined)
      return Promise.resolve(true)
    },
    visit() {
      if (!visit) throw new Error('no browser was opened')
      return visit
    },
  }
}

async function walk(
  browser: FormBrowser,
  url: string,
  login: string,
  answer: string,
  change: (callback: URL) => URL,
): Promise<Page> {
  let page = await browser.get(url)
  if (page.text.includes('name="password"'))
    page = await browser.submit(page, { login, password, answer: 'sign-in' })
  const { left_to, text } = await browser.submit(page, { answer })
  if (left_to === undefined) throw new Error(`nobody was sent back: ${text.slice(0, 400)}`)
  return await browser.get(change(new URL(left_to)).href)
}
