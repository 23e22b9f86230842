// The console for a person: a service, its console, a real browser, and a signed-in user.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { openLog } from '@svc/service/assembly/log'
import { type RunningConsole, startConsole } from '@svc/service/console'
import { OwnTls } from '@svc/service/settings/own-tls'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type InProcessOptions, type InProcessService, startInProcess } from '../engines/in-process.ts'
import { openBrowser } from '../neighbours/browser.ts'
import { eventually } from '../suite/eventually.ts'

const quick = { n: 2 ** 10, r: 8, p: 1 }
const password = 'a long enough password'
/** Screenshots are stored outside the repository, for whoever runs the tests. */
const pictures = process.env.SVC_TEST_PICTURES ?? join(tmpdir(), 'svc-console-pictures')

export interface ConsoleScene {
  readonly engine: InProcessService
  /** With a trailing slash. */
  readonly console_url: string
  readonly browser: Browser
  /** A signed-in page; `login` is created at first use with the DID and tenant of the engine's caller. */
  signIn(options?: { at?: string; login?: string; caller?: CallerFacts; dark?: boolean }): Promise<SignedIn>
  /** A proxy in front of the console: another port, and a prefix that it strips or keeps. */
  proxied(prefix: string, takes_away: boolean): Promise<string>
  close(): Promise<void>
}

interface CallerFacts {
  readonly tenant_id: string
  readonly agent_did: string
}

export interface SignedIn {
  readonly page: Page
  readonly context: BrowserContext
  /** Browser errors: violations of the page's policy, failed loads, thrown errors. */
  readonly faults: string[]
  /** Goes to a page such as `audit-log` and waits until its heading is there. */
  goTo(hash: string, heading: string): Promise<void>
  picture(name: string): Promise<void>
}

export async function openConsoleScene(
  options: InProcessOptions = {},
  path_prefix = '',
): Promise<ConsoleScene> {
  return await openConsoleOver(await startInProcess(options), path_prefix)
}

/** Over a service that the test has set up; it is stopped with the scene. */
export async function openConsoleOver(engine: InProcessService, path_prefix = ''): Promise<ConsoleScene> {
  const place = { host: '127.0.0.1', port: 0, tls: new OwnTls({}), path_prefix }
  const api_url = new URL(engine.api_url)
  const [running, browser] = await openBoth(
    () => startConsole({ ...place, api_url }, openLog('silent')),
    () => engine.stop(),
  )
  const console_url = urlOf(running)
  const proxies: Server[] = []
  const people = new Set<string>()
  return {
    engine,
    console_url,
    browser,
    async signIn({ at = console_url, login = 'ann@example.org', caller = engine, dark = false } = {}) {
      if (!people.has(login)) {
        people.add(login)
        const { tenant_id, agent_did: did } = caller
        await createUser(
          engine.service.store.engine,
          system_clock,
          { tenant_id, did, login, password },
          quick,
        )
      }
      const context = await browser.newContext({
        colorScheme: dark ? 'dark' : 'light',
        reducedMotion: 'reduce',
      })
      return await enter(context, at, login)
    },
    async proxied(prefix, takes_away) {
      const proxy = openProxy(running.port, prefix, takes_away)
      proxies.push(proxy)
      await new Promise((resolve) => proxy.once('listening', resolve))
      return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}/`
    },
    async close() {
      await browser.close()
      for (const proxy of proxies) proxy.close()
      await running.stop()
      await engine.stop()
    },
  }
}

const urlOf = ({ port }: RunningConsole) => `http://127.0.0.1:${port}/`

/** A partly opened scene is closed again, or the waiting test would never end. */
async function openBoth(
  start: () => Promise<RunningConsole>,
  stopEngine: () => Promise<unknown>,
): Promise<[RunningConsole, Browser]> {
  let running: RunningConsole | undefined
  try {
    running = await start()
    const url = urlOf(running)
    // After a change of its sources a checkout builds it first.
    await eventually(async () => assert.equal((await fetch(url)).status, 200))
    return [running, await openBrowser()]
  } catch (error) {
    await running?.stop()
    await stopEngine()
    throw error
  }
}

async function enter(context: BrowserContext, at: string, login: string): Promise<SignedIn> {
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    // Before the sign-in the page requests the session, and is told that there is none.
    if (message.type() === 'error' && !/\/v1\/session$/.test(message.location().url))
      faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(at)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
  return {
    page,
    context,
    faults,
    async goTo(hash, heading) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${hash}`)}`)
      await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
      await page.getByText('Loading …').first().waitFor({ state: 'hidden' })
    },
    async picture(name) {
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    },
  }
}

function openProxy(port: number, prefix: string, takes_away: boolean): Server {
  return createServer((req, res) => {
    const url = req.url ?? '/'
    if (!url.startsWith(`${prefix}/`)) return void res.writeHead(404).end()
    const path = takes_away ? url.slice(prefix.length) : url
    const onward = request(
      { host: '127.0.0.1', port, method: req.method, path, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(res)
      },
    )
    req.pipe(onward)
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
  }).listen(0, '127.0.0.1')
}

/** Everything axe rates serious or worse, as text. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(await axeSource())
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    interface Violation {
      impact: string
      id: string
      help: string
      nodes: { html: string }[]
    }
    return (await axe.run()).violations.map(({ impact, id, help, nodes }) => ({
      impact,
      text: `${id}: ${help}: ${nodes[0]?.html}`,
    }))
  })
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ text }) => text)
}

let axe_source: string | undefined

async function axeSource(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  axe_source ??= await readFile(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8')
  assert.ok(axe_source.length > 1000)
  return axe_source
}
