// The login in a real browser: sign in, consent, use the session, sign out.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { openBrowser } from '../../neighbours/browser.ts'
import { addPerson, begin, password, redeem, type Someone } from '../../scenes/login-journey.ts'

const hello = {
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.hello', meta: {} },
}

let engine: InProcessService
let browser: Browser
let ann: Someone
let callback: Server
let callback_url: string

before(async () => {
  engine = await startInProcess()
  ann = await addPerson(engine, 'ann@example.org')
  // Like the command line: a local page that takes the code.
  callback = createServer((_req, res) => res.end('You can close this window.')).listen(0, '127.0.0.1')
  await new Promise((resolve) => callback.once('listening', resolve))
  callback_url = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  callback?.close()
  await engine?.stop()
})

async function newPage(more: object = {}): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext(more)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser requests an icon from every site; a missing one is no fault of the page.
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico'))
      faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  return { page, faults }
}

test('sign in, consent, redirect, token, key, call with the key, and sign out', async () => {
  const { page, faults } = await newPage()
  const begun = await begin(engine, { redirect_uri: callback_url })
  await page.goto(begun.url.href)
  assert.equal(await page.title(), 'Sign in')
  await page.getByLabel('Login').fill(ann.login)
  await page.getByLabel('Password').fill('something else')
  await page.getByRole('button', { name: 'Sign in' }).click()
  assert.match((await page.getByRole('alert').textContent()) ?? '', /do not fit together/)
  assert.equal(await page.getByLabel('Login').inputValue(), ann.login)
  assert.equal(await page.getByLabel('Password').inputValue(), '')
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes('401')))
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
  const shown = (await page.locator('main').textContent()) ?? ''
  for (const word of [
    'The svc command line',
    new URL(callback_url).host,
    ann.tenant_id,
    ann.login,
    'API keys',
  ])
    assert.ok(shown.includes(word), word)
  assert.ok(!shown.includes('did:'), 'nobody reads a DID')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.waitForURL(`${callback_url}?**`)
  const tokens = await redeem(begun, new URL(page.url()))

  const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' }
  const made = await fetch(`${engine.api_url}/v1/keys`, { method: 'POST', headers, body: '{}' })
  const { api_key } = (await made.json()) as { api_key: string }
  assert.equal((await dispatch({ ...engine, api_key, agent_did: ann.did }, hello)).status, 200)

  await page.goto(`${engine.api_url}/oauth/sign-out`)
  await page.getByRole('button', { name: /everywhere/ }).click()
  await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  assert.deepEqual(await sessionCookies(page), [])
  const after_logout = await fetch(`${engine.api_url}/v1/keys`, { headers })
  assert.equal(after_logout.status, 401)
  assert.deepEqual(faults, [], 'no rule of the page was broken')
})

async function sessionCookies(page: Page) {
  return (await page.context().cookies()).filter(({ name }) => name === 'svc_session')
}

test('a page of ours reads the session and calls with the CSRF token; scripts never see the cookie', async () => {
  const { page } = await newPage()
  await page.goto(`${engine.api_url}/oauth/sign-in?return_to=/docs`)
  await page.getByLabel('Login').fill(ann.login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/docs/')
  const [cookie] = await sessionCookies(page)
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Lax', '/'])
  const observed = await page.evaluate(
    async (body) => {
      const session = (await (await fetch('/v1/session')).json()) as {
        csrf_token: string
        user: { login: string }
      }
      const call = (csrf: Record<string, string>) =>
        fetch('/v1/dispatch', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...csrf },
          body,
        })
      const with_token = await call({ 'x-svc-csrf': session.csrf_token })
      const without = await call({})
      // biome-ignore lint/suspicious/noExplicitAny: this runs in the page
      const cookies = (globalThis as any).document.cookie as string
      return { statuses: [with_token.status, without.status], cookies, login: session.user.login }
    },
    JSON.stringify({ ...hello, version: 'v1', tenant_id: ann.tenant_id }),
  )
  assert.deepEqual(observed, { statuses: [200, 401], cookies: '', login: ann.login })
})

test('the pages work without scripts, by keyboard, on a phone, in light and in dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await newPage({
      javaScriptEnabled: false,
      colorScheme,
      viewport: { width: 320, height: 640 },
    })
    const begun = await begin(engine, { redirect_uri: callback_url })
    await page.goto(begun.url.href)
    await page.locator('input[name=login]:focus').waitFor()
    await page.keyboard.type(ann.login)
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    const box = await page.locator('main').boundingBox()
    assert.ok(box && box.x >= 0 && box.x + box.width <= 320, JSON.stringify(box))
    // The cautious answer has the focus: pressing Enter grants nothing.
    await page.keyboard.press('Enter')
    await page.waitForURL(`${callback_url}?error=access_denied**`)
  }
})
