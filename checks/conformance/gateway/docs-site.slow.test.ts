// The built documentation site, as an engine serves it to a real browser: nothing that the policy forbids, every link leads somewhere, and
// it fits a phone.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { catalogue } from '@svc/catalogue/catalogue'
import { addDirectoryRoutes } from '@svc/gateway/public/directory'
import type { Browser } from 'playwright-core'
import { type OpenEndpoint, openTestEndpoint } from '../../engines/test-endpoint.ts'
import { openBrowser } from '../../neighbours/browser.ts'
import { testPorts, tryProtocol } from '../../rehearsal/test-ports.ts'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
const site = join(folder, 'site')
const build = join(root, 'gateway/docs/site/build.ts')
const { registry } = testPorts([...catalogue, tryProtocol(() => ({}))])
const opened: OpenEndpoint[] = []
let url: string
let browser: Browser

before(async () => {
  execFileSync(process.execPath, [build, site], { stdio: ['ignore', 'ignore', 'inherit'] })
  url = await serve(site)
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  for (const endpoint of opened) await endpoint.close()
  rmSync(folder, { recursive: true })
})

async function serve(path: string): Promise<string> {
  const endpoint = await openTestEndpoint([tryProtocol(() => ({}))], {}, [], (app) =>
    addDirectoryRoutes(app, registry, pathToFileURL(`${path}/`)),
  )
  opened.push(endpoint)
  return endpoint.url
}

const addressesOf = (path: string) =>
  globSync('**/*.html', { cwd: path })
    .map((file) => file.replace(/(^index)?\.html$/, ''))
    .filter((address) => address !== 'frame')

test('every built page is served, without inline code, and its links lead to pages and headings', async () => {
  const html = new Map<string, string>()
  const files = new Set<string>()
  for (const address of addressesOf(site)) {
    const response = await fetch(`${url}/docs/${address}`)
    assert.equal(response.status, 200, address)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.doesNotMatch(policy, address === 'api' ? /script-src[^;]*unsafe|https?:|\*/ : /unsafe|https?:|\*/)
    html.set(`/docs/${address}`, await response.text())
  }
  assert.ok(html.size > 150)
  for (const [address, text] of html) {
    assert.doesNotMatch(text, /%%|<script(?![^>]* src=)|<style\b|<[a-z][^>]*\s(style|on[a-z]+)=/, address)
    for (const [, href = ''] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://engine${address}`)
      if (origin !== 'http://engine') continue
      const target = html.get(pathname)
      if (target === undefined) files.add(pathname)
      else if (hash)
        assert.ok(target.includes(`id="${decodeURIComponent(hash.slice(1))}"`), `${address}: ${href}`)
    }
  }
  for (const path of files) assert.equal((await fetch(url + path)).status, 200, path)
})

test('a page is readable at 360 and 1280 pixels, light and dark, and its policy stops nothing', async () => {
  for (const [width, colorScheme] of [
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const) {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    for (const address of [
      '',
      'lifecycle',
      'settings',
      'reference/max',
      'reference/try',
      'guides/1-first-call',
    ]) {
      await page.goto(`${url}/docs/${address}`)
      assert.equal(await page.locator('html').getAttribute('data-theme'), colorScheme)
      const too_wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(too_wide <= 0, `${address} at ${width}: ${too_wide} pixels too wide`)
    }
    assert.deepEqual(problems, [])
    await page.close()
  }
})

test('the search finds an operation, shows the query as text, and the menu opens on a phone', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
  await page.goto(`${url}/docs/search?q=${encodeURIComponent('<img src=x onerror=alert(1)> audit_query')}`)
  await page.locator('#hits li').first().waitFor()
  assert.equal(await page.locator('main img, #hits img').count(), 0)
  await page.locator('#search').fill('audit_query')
  await page.getByRole('link', { name: 'MAX audit_query' }).click()
  await page.waitForURL(/reference\/max#audit_query$/)
  await page.locator('.sl-menu-button').click()
  await page.getByRole('link', { name: 'A tour' }).click()
  await page.waitForURL(/\/docs\/tour$/)
})

test('a protocol registered later has a page in the same frame, its text as text', async () => {
  const { id: _, ...facts } = tryProtocol(() => ({}))
  const summary = 'Greets <img src=x onerror=alert(1)> $& %%TITLE%% ![p](https://evil.example/p.png).'
  registry.register({ ...facts, id: 'LATER', version: 'v1.0.0', summary }, [])
  const html = await (await fetch(`${url}/docs/reference/later`)).text()
  assert.match(html, /&lt;img src=x onerror=alert\(1\)&gt; \$&amp; %%TITLE%%/)
  assert.match(html, /data-has-sidebar/)
  assert.doesNotMatch(html, /<img/)
  assert.match(await (await fetch(`${url}/docs/reference`)).text(), /LATER/)
  registry.unregister('LATER', 'v1.0.0')
})

test('a built page is shown only if it was made of the present text', async () => {
  const stale = join(folder, 'stale')
  cpSync(site, stale, { recursive: true })
  const tour = join(stale, 'tour.html')
  writeFileSync(tour, readFileSync(tour, 'utf8').replace('<main', '<main data-built'))
  const stale_url = await serve(stale)
  assert.match(await (await fetch(`${stale_url}/docs/tour`)).text(), /data-built/)
  const made_of = join(stale, 'made-of.json')
  writeFileSync(made_of, JSON.stringify({ ...JSON.parse(readFileSync(made_of, 'utf8')), tour: 'older' }))
  const page = await (await fetch(`${await serve(stale)}/docs/tour`)).text()
  assert.doesNotMatch(page, /data-built/)
  assert.match(page, /npm start/)
})
