// The console as a whole: signing in and out, content policy, prefixes and ports, load size.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { type ConsoleScene, openConsoleScene, type SignedIn, seriousFaults } from './console-scene.ts'

const first_load_bytes_max = 250 * 1024
const tabs_max = 12
const addressOf = (name: string) => name.toLowerCase().replace(' ', '-')
const pages = [
  'Overview',
  'Requests',
  'Playground',
  'Audit log',
  'Reports',
  'Inbox',
  'Alerts',
  'Organizations',
  'Costs',
  'Mesh',
  'Access',
  'Settings',
]

let scene: ConsoleScene

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Signed in to/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

before(async () => {
  scene = await openConsoleScene({}, '/kept/here')
})
after(() => scene?.close())

test('sign in, open every page, sign out, without accessibility or content-policy violations', async () => {
  const { page, faults, goTo, picture } = await scene.signIn()
  for (const name of pages) {
    await goTo(addressOf(name), name)
    await picture(addressOf(name))
    assert.deepEqual(await seriousFaults(page), [], name)
  }
  await signOut(page)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.deepEqual(faults, [])
})

test('the dark theme is readable, and the keyboard reaches the pages', async () => {
  const { page, goTo } = await scene.signIn({ dark: true })
  for (const name of ['Overview', 'Audit log', 'Access']) {
    await goTo(addressOf(name), name)
    assert.deepEqual(await seriousFaults(page), [], name)
  }
  await page.getByRole('button', { name: 'Skip to the page' }).focus()
  const requests = page.locator('a:focus', { hasText: 'Requests' })
  for (let i = 0; i < tabs_max && (await requests.count()) === 0; i++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor()
})

test('a session that ends while the page is open leads to the sign-in, whatever is requested next', async () => {
  const steps: Record<string, (person: SignedIn) => Promise<void>> = {
    'a feed': ({ page }) => page.getByRole('link', { name: 'Overview', exact: true }).click(),
    'a route': ({ page }) => page.getByRole('tab', { name: 'Keys' }).click(),
    'the sign-out': ({ page }) => signOut(page),
  }
  for (const [name, step] of Object.entries(steps)) {
    const person = await scene.signIn()
    await person.goTo('access', 'Access')
    await person.context.clearCookies()
    await step(person)
    await person.page
      .getByRole('button', { name: 'Sign in' })
      .waitFor({ timeout: 180_000 })
      .catch(() => assert.fail(`${name} did not notice`))
    await person.context.close()
  }
})

test('a failed sign-out is reported', async () => {
  const { page } = await scene.signIn()
  await page.route('**/v1/session', (route) => route.fulfill({ status: 503, json: {} }))
  await signOut(page)
  await page.getByRole('alert').filter({ hasText: 'You are still signed in' }).waitFor({ timeout: 180_000 })
})

for (const [prefix, takes_away] of [
  ['/ops/svc', true],
  ['/kept/here', false],
] as const)
  test(`behind another port and the prefix ${prefix}, ${takes_away ? 'stripped' : 'passed on'}`, async () => {
    const at = await scene.proxied(prefix, takes_away)
    const { page, faults, goTo } = await scene.signIn({ at })
    assert.ok(page.url().startsWith(at), page.url())
    await goTo('playground', 'Playground')
    assert.deepEqual(faults, [])
    for (const path of ['oauth/sign-in', 'oauth/sign-out']) {
      const answer = await fetch(at + path, { method: 'POST', body: new URLSearchParams() })
      const style = /stylesheet" href="([^"]+)"/.exec(await answer.text())?.[1] ?? assert.fail(path)
      assert.equal((await fetch(new URL(style, at + path))).status, 200, style)
    }
  })

test('the first load is small, and its headers restrict what it may do', async () => {
  const answer = await fetch(scene.console_url)
  const html = await answer.text()
  const scripts = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, path]) => path,
  )
  assert.ok(scripts.length > 0)
  let bytes = 0
  for (const path of scripts) {
    const text = await (await fetch(scene.console_url + path)).arrayBuffer()
    bytes += gzipSync(Buffer.from(text)).length
  }
  assert.ok(bytes < first_load_bytes_max, `${bytes} bytes`)
  const policy = answer.headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", 'trusted-types'])
    assert.ok(policy.includes(rule), rule)
  assert.ok(!policy.includes('unsafe'))
})

test('the code of a page is loaded with its address, and of a drawing and an editor where one is shown', async () => {
  const { context } = await scene.signIn()
  const page = await context.newPage()
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  await page.goto(`${scene.console_url}#/requests`)
  await page.getByRole('region', { name: 'Requests', exact: true }).waitFor()
  const placeOf = (part: string) => loaded.findIndex((path) => path.includes(part))
  assert.ok(placeOf('/requests-page') >= 0)
  assert.ok(placeOf('/requests-page') < placeOf('/v1/whoami'), 'it does not wait for the session')
  assert.deepEqual([placeOf('/graph-drawing'), placeOf('/code-editor')], [-1, -1])
  await page.close()
})

test('the console proxies only what it needs, and no writes from other sites', async () => {
  const ask = (path: string, options: RequestInit = {}) =>
    fetch(new URL(path, scene.console_url), options).then(({ status }) => status)
  for (const path of ['/metrics', '/invoke', '/assets/none.js', '/oauth/token'])
    assert.equal(await ask(path), 404, path)
  const foreign = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }
  const refused = await fetch(new URL('/v1/dispatch', scene.console_url), foreign)
  assert.match(await refused.text(), /another site/)
  const key = { authorization: `Bearer ${scene.engine.api_key}`, 'x-agent-did': scene.engine.agent_did }
  assert.equal(await ask('/v1/whoami', { headers: key }), 401, 'a key is not passed on')
})
