// The public pages as a reader sees them: every page exists, every link works, and search finds their text.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { OpenRegistry } from '@svc/engine/routing/registry'
import { type OpenEndpoint, openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { addDirectoryRoutes } from '../public/directory.ts'
import { openRenderer } from './markdown.ts'
import { readPages } from './page-registry.ts'
import { sectionsOf } from './sections.ts'

const root = join(import.meta.dirname, '../..')
const protocols = [tryProtocol(() => ({}))]
const page_registry = readPages(new URL('../../', import.meta.url))
const pages = page_registry.groups.flatMap(([, list]) => list)
/** The plain pages are tested here, the built site in checks/conformance/gateway/docs-site.slow.test.ts. */
const not_built = new URL('not-built/', import.meta.url)
let opened: OpenEndpoint
let registry: OpenRegistry

before(async () => {
  registry = testPorts(protocols).registry
  opened = await openTestEndpoint(protocols, {}, [], (app) => addDirectoryRoutes(app, registry, not_built))
})
after(() => opened?.close())

const get = (path: string) => fetch(opened.url + path, { redirect: 'manual' })
const textOf = async (path: string) => (await get(path)).text()
const hrefsIn = (html: string) => [...html.matchAll(/\shref="([^"]*)"/g)].map(([, href = '']) => href)

test('every Markdown page of docs/ has an address, and the first page links to it', async () => {
  const files = globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  assert.deepEqual(
    files.filter((file) => page_registry.addressOf(file) === undefined),
    [],
  )
  const first = hrefsIn(await textOf('/docs/'))
  for (const { address } of pages) assert.ok(first.includes(address), address)
  const taken = ['api', 'search', 'reference']
  assert.deepEqual(
    pages.filter(({ address }) => taken.includes(address)),
    [],
  )
})

test('every page is answered, has one title, and every link between pages leads to a page and a heading', async () => {
  const addresses = ['/docs/', '/docs/reference', '/docs/reference/try', '/docs/decisions', '/docs/search']
  addresses.push(...pages.map(({ address }) => `/docs/${address}`))
  const html = new Map<string, string>()
  for (const address of addresses) {
    const response = await get(address)
    assert.equal(response.status, 200, address)
    html.set(address.split('?', 1)[0]!, await response.text())
  }
  const elsewhere = new Set<string>()
  for (const [address, text] of html) {
    assert.equal(text.match(/<h1[ >]/g)?.length, 1, `${address} has one title`)
    for (const href of hrefsIn(text)) {
      const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://engine${address}`)
      if (origin !== 'http://engine') continue
      const target = html.get(pathname)
      // Of what is registered, this engine has one protocol only.
      if (!target) elsewhere.add(pathname)
      else if (hash)
        assert.ok(target.includes(`id="${decodeURIComponent(hash.slice(1))}"`), `${address}: ${href}`)
    }
  }
  for (const path of elsewhere)
    assert.match(
      path,
      /^\/docs\/(api|openapi\.json|\w+\.(css|js)|reference\/\w+|pictures\/[\w-]+\.(svg|png))$/,
    )
})

test('a page holds no script of its own, nothing from elsewhere, and a strict policy', async () => {
  for (const path of ['/docs/', '/docs/governance', '/docs/search', '/docs/reference/try']) {
    const response = await get(path)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.equal(response.headers.get('x-frame-options'), 'DENY')
    const html = await response.text()
    for (const [tag] of html.matchAll(/<script[^>]*>/g))
      assert.match(tag, /^<script type="module" src="(\.\.\/)*pages\.js">$/)
    assert.doesNotMatch(html, /<script[^>]*>[^<]|\son[a-z]+=|\sstyle=|<(style|img|iframe|base)\b/)
  }
})

test('only the API reference may have inline styles; its scripts and all it asks are from here', async () => {
  const response = await get('/docs/api')
  const policy = response.headers.get('content-security-policy') ?? ''
  assert.match(
    policy,
    /^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'/,
  )
  assert.doesNotMatch(policy, /\*|https?:|script-src[^;]*unsafe/)
  const library = await get('/docs/scalar.js')
  assert.match(library.headers.get('content-type') ?? '', /javascript/)
  assert.doesNotMatch(await library.text(), /^\/\/# sourceMappingURL/m)
})

test('browsers, which ask for an icon on every page, get one', async () => {
  const { status, headers } = await get('/favicon.ico')
  assert.deepEqual([status, headers.get('content-type')], [200, 'image/svg+xml; charset=utf-8'])
})

test('every page has one of four kinds', () => {
  const titles = page_registry.groups.map(([title]) => title)
  assert.deepEqual(titles, [...new Set(titles)], 'each group has one heading')
  for (const [title, list] of page_registry.groups) {
    const names = list.map((page) => page.title)
    assert.deepEqual(names, [...new Set(names)], `pages of ${title} are told apart by their titles`)
  }
  const kinds = new Set(page_registry.groups.map(([title]) => title.split(':', 1)[0]))
  assert.deepEqual([...kinds], ['Tutorials', 'How-to', 'Reference', 'Explanation'])
})

test('every page of docs/ opens with a sentence that says what its reader can do', () => {
  const openers =
    /^(This page (shows|lists|explains|says|helps)|After reading this page you|In this guide you|Look up here) /
  const own_pages = pages.filter(
    ({ source }) => source.startsWith('docs/') && !source.startsWith('docs/decisions/'),
  )
  assert.ok(own_pages.length > 50)
  for (const { source, text } of own_pages) {
    const [first = ''] = text.split('\n').filter((line) => line !== '' && !line.startsWith('# '))
    assert.match(first, openers, source)
  }
})

test('addresses that are not pages are refused, whatever they look like', async () => {
  for (const path of [
    'nowhere',
    'reference/none',
    '%2e%2e/package.json',
    'guides',
    'README.md',
    'constructor',
    'site/build.ts',
    'frame',
    '_astro/page.js',
    'pictures/none.svg',
    '__proto__',
  ])
    assert.equal((await get(`/docs/${path}`)).status, 404, path)
  for (const path of ['/', '/docs']) assert.equal((await get(path)).headers.get('location'), 'docs/', path)
})

test('a browser gets a page in the place of one that does not exist, and the one meant by capitals', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml' }
  const missing = await fetch(`${opened.url}/docs/guides/<b>none`, { headers })
  assert.equal(missing.status, 404)
  assert.match(missing.headers.get('content-type') ?? '', /^text\/html/)
  const html = await missing.text()
  assert.match(html, /<h1>There is no such page<\/h1>/)
  assert.match(html, /<a href="\.\.\/">first page<\/a>/)
  assert.doesNotMatch(html, /<b>none/)
  const capitals = await fetch(`${opened.url}/docs/reference/TRY`, { headers, redirect: 'manual' })
  assert.deepEqual([capitals.status, capitals.headers.get('location')], [302, '../reference/try'])
})

test('a protocol registered at run time is in the reference at once, its text as text', async () => {
  const { id: _, ...facts } = protocols[0]!
  const summary =
    'Greets <img src=x onerror=alert(1)> [all](javascript:alert(1)) ![p](https://evil.example/p.png).'
  registry.register({ ...facts, id: 'LATER', version: 'v1.2.0', summary }, [])
  for (const path of ['/docs/reference', '/docs/reference/later']) {
    const html = await textOf(path)
    assert.match(html, /&lt;img src=x onerror=/, path)
    assert.doesNotMatch(html, /<img|href="javascript/, path)
  }
  const documents = JSON.parse(await textOf('/docs/search.json')) as { names?: string[]; text: string }[]
  assert.equal(documents.find(({ names }) => names?.includes('LATER'))?.text, summary)
  registry.unregister('LATER', 'v1.2.0')
  assert.equal((await get('/docs/reference/later')).status, 404)
})

test('Markdown: headings have anchors, links to pages work, other links become text', async () => {
  const render = await openRenderer()
  const linkTo = (source: string) => (source === 'docs/b.md' ? '../docs/b' : undefined)
  const text =
    '# A `b` c\n\n## A b c\n\n[b](b.md#x) [up](../code.ts) [out](https://x.example) [js](javascript:a) <b>'
  const html = render(text, { source: 'docs/a.md', linkTo })
  assert.match(html, /<h1 id="a-b-c">/)
  assert.match(html, /<h2 id="a-b-c-1">/)
  assert.match(html, /<a href="\.\.\/docs\/b#x">b<\/a> <span>up<\/span>/)
  assert.match(html, /<a href="https:\/\/x\.example" rel="noreferrer">out<\/a>/)
  assert.match(html, /\[js\]\(javascript:a\) &lt;b&gt;/)
})

test('a name in a text can break between its words, and in a block it cannot', async () => {
  const render = await openRenderer()
  const text = '`invalid_payload`\n\n```\ninvalid_payload\n```\n'
  const html = render(text, { source: 'docs/a.md', linkTo: () => undefined })
  assert.match(html, /<code>invalid_<wbr>payload<\/code>/)
  assert.match(html, /<pre><code>invalid_payload\n/)
})

test('a code line is no heading', () => {
  const text = '# Page\n\nOf treaties.\n\n```sh\n# treaty\n```\n\n## Budgets\n\nMoney.\n'
  assert.deepEqual(
    sectionsOf(text).map(({ heading }) => heading),
    ['Page', 'Budgets'],
  )
})
