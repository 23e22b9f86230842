// The console as a whole: signing in and out, rules of the page, prefixes and ports, how much is loaded.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type ConsoleScene, openConsoleScene, seriousFaults } from './console-scene.ts'

const first_load_bytes_max = 350 * 1024
const pages = ['Now', 'Journey', 'Playground', 'Book', 'Institutions', 'Money', 'Mesh', 'Access']

let scene: ConsoleScene

before(async () => {
  scene = await openConsoleScene({}, '/kept/here')
})
after(() => scene?.close())

test('sign in, see every page, sign out; no rule of the page is broken', async () => {
  const { page, faults, goTo, picture } = await scene.signIn()
  for (const name of pages) {
    await goTo(name.toLowerCase(), name)
    await picture(name.toLowerCase())
    assert.deepEqual(await seriousFaults(page), [], name)
  }
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.deepEqual(faults, [])
})

test('in the dark it can be read as well, and the keyboard finds the pages', async () => {
  const { page, goTo } = await scene.signIn({ dark: true })
  for (const name of ['Now', 'Book', 'Access']) {
    await goTo(name.toLowerCase(), name)
    assert.deepEqual(await seriousFaults(page), [], name)
  }
  await page.keyboard.press('Tab')
  await page.locator(':focus').waitFor()
  await page.getByRole('link', { name: 'Journey' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Journey', exact: true }).waitFor()
})

for (const [prefix, takes_away] of [
  ['/ops/svc', true],
  ['/kept/here', false],
] as const)
  test(`behind another port and the prefix ${prefix}, ${takes_away ? 'taken away' : 'left in place'}`, async () => {
    const at = await scene.proxied(prefix, takes_away)
    const { page, faults, goTo } = await scene.signIn({ at })
    assert.ok(page.url().startsWith(at), page.url())
    await goTo('playground', 'Playground')
    assert.deepEqual(faults, [])
  })

test('a first load is small, and says by its headers what it may do', async () => {
  const answer = await fetch(scene.console_url)
  const html = await answer.text()
  const scripts = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path)
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

test('nothing but what the console needs goes through it, and no change from another site', async () => {
  const ask = (path: string, options: RequestInit = {}) =>
    fetch(new URL(path, scene.console_url), options).then(({ status }) => status)
  for (const path of ['/metrics', '/invoke', '/assets/none.js', '/oauth/token'])
    assert.equal(await ask(path), 404, path)
  assert.equal(
    await ask('/v1/dispatch', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }),
    401,
  )
  const key = { authorization: `Bearer ${scene.engine.api_key}`, 'x-agent-did': scene.engine.agent_did }
  assert.equal(await ask('/v1/whoami', { headers: key }), 401, 'a key is not passed on')
})
