// A demo engine of its own, as `npm start -- --demo` starts it, and its administrator at the console.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { freePorts } from '../engines/running-engine.ts'

const root = join(import.meta.dirname, '../..')

export interface DemoConsole {
  /** With a trailing slash. */
  readonly url: string
  signIn(page: Page): Promise<void>
  stop(): Promise<void>
}

export async function startDemoConsole(): Promise<DemoConsole> {
  const data_dir = mkdtempSync(join(tmpdir(), 'svc-demo-console-'))
  const port = String(await freePorts())
  const up = [join(root, 'service/main.ts'), 'up', '--demo', '--port', port, '--data-dir', data_dir]
  const engine = spawn(process.execPath, up, { stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = async () => {
    engine.kill('SIGTERM')
    if (engine.exitCode === null && engine.signalCode === null) await once(engine, 'exit')
    rmSync(data_dir, { recursive: true, force: true })
  }
  try {
    const url = await addressOf(engine)
    const { logins, password } = JSON.parse(readFileSync(join(data_dir, 'demo.json'), 'utf8'))
    return { url, signIn: (page) => signIn(page, url, logins[0].login, password), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Printed once the demo is made. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
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

async function signIn(page: Page, url: string, login: string, password: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
}
