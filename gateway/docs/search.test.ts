// The search as the reader's browser runs it, over all pages and operations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue as protocols } from '@svc/catalogue/catalogue'
import fc from 'fast-check'
import MiniSearch from 'minisearch'
import { readPages } from './page-registry.ts'
import { type SearchDocument, searchDocuments } from './search-documents.ts'

interface Hit {
  readonly title: string
  readonly href: string
  readonly kind: string
  readonly excerpt: string
}
interface SearchScript {
  readonly synonyms: Readonly<Record<string, string>>
  openSearch(
    library: typeof MiniSearch | undefined,
    documents: readonly SearchDocument[],
  ): (query: string) => Hit[]
}

const { openSearch, synonyms } = (await import(new URL('search.js', import.meta.url).href)) as SearchScript
const { groups } = readPages(new URL('../../', import.meta.url))
const documents = searchDocuments(groups, protocols)
const find = openSearch(MiniSearch, documents)
const operations = documents
  .filter(({ kind, href }) => kind === 'Reference' && href.startsWith('reference/') && href.includes('#'))
  .flatMap(({ names = [], href }) => names.map((name) => ({ name, href })))
const hrefs = (query: string) => find(query).map(({ href }) => href)

test('the exact name of every operation finds its reference first', () => {
  const by_name = Map.groupBy(operations, ({ name }) => name.slice(name.indexOf('.') + 1).toLowerCase())
  assert.ok(by_name.size > 100)
  for (const [name, namesakes] of by_name) {
    const first = hrefs(name).slice(0, namesakes.length)
    assert.deepEqual(first.sort(), namesakes.map(({ href }) => href).sort(), name)
  }
  for (const { name, href } of operations) {
    assert.equal(hrefs(name)[0], href, name)
    assert.equal(hrefs(`svc.${name.toLowerCase()}`)[0], href, 'as a refusal names it')
  }
  assert.equal(hrefs('audit query')[0], 'reference/max#audit_query')
})

test('the name of a setting finds its row, and the title of a page, or one of what it names, the page', () => {
  const settings = documents.filter(({ href }) => href.startsWith('settings'))
  const names = settings.flatMap(({ names = [] }) => names)
  assert.ok(names.length > 100)
  for (const name of names) {
    const first = settings.find(({ href }) => href === hrefs(name)[0])
    assert.ok(first?.names?.includes(name), name)
  }
  assert.equal(hrefs('webhook')[0], 'webhooks')
  assert.equal(hrefs('Glossary')[0], 'glossary')
})

test('words that the pages do not use find the pages that answer', () => {
  const expected: readonly (readonly [query: string, href: RegExp])[] = [
    ['pricing', /economy|meter|cost|budget|price/],
    ['webhook', /webhook/],
    ['revoke key', /keys|revoke/],
    ['treatie', /moat|governance/],
    ['GDPR', /forget|erase|redact|retention|memory/],
    ['login', /login/],
    ['permissions', /people|capabilit|grant/],
    ['docker', /deploy/],
    ['encryption', /keys|memory|security/],
    ['MFA', /login/],
    ['terraform', /^config-as-code/],
    ['kill switch', /emergency_stop/],
    ['delete data', /forget/],
    ['log in', /login|sign/],
  ]
  for (const [query, href] of expected)
    assert.ok(
      hrefs(query)
        .slice(0, 5)
        .some((hit) => href.test(hit)),
      `${query}: ${hrefs(query).join(' ')}`,
    )
  for (const phrase of Object.keys(synonyms)) assert.ok(find(phrase).length > 0, phrase)
})

test('a question finds what its telling words find, and synonyms are not taken for typing errors', () => {
  assert.deepEqual(hrefs('How do I revoke a key?'), hrefs('revoke key'))
  assert.equal(hrefs('how do I start')[0], 'readme#start')
  assert.ok(hrefs('what is it').length > 0)
  assert.ok(!hrefs('GDPR').slice(0, 5).includes('guides/4-first-audit#forge-it'), hrefs('GDPR').join(' '))
})

test('a page that tells how is found before the decision that tells why', () => {
  for (const [query, how] of [
    ['a2a', 'a2a'],
    ['workloads', 'workloads'],
    ['audit log pages', 'log-archive'],
  ] as const) {
    const hits = hrefs(query).map((href) => href.split('#')[0]!)
    const why = hits.findIndex((href) => href.startsWith('decisions/'))
    assert.ok(hits.includes(how) && (why < 0 || hits.indexOf(how) < why), `${query}: ${hits.join(' ')}`)
  }
})

test('typing errors and beginnings of words find something', () => {
  for (const [query, href] of [
    ['webhok', /webhook/],
    ['trety', /treat|moat|governance/],
    ['idempotncy', /idempotency/],
    ['delegat', /delegat/],
    ['audit_qeury', /max/],
  ] as const)
    assert.ok(
      hrefs(query).some((hit) => href.test(hit)),
      `${query}: ${hrefs(query).join(' ')}`,
    )
})

test('every hit leads to a document, once, with a kind; any query is answered, and some find nothing', () => {
  const document_hrefs = new Set(documents.map(({ href }) => href))
  assert.equal(document_hrefs.size, documents.length)
  assert.deepEqual(find('xyzzyplugh'), [])
  assert.deepEqual(find('  '), [])
  const property = fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), (query) => {
    const hits = find(query)
    assert.ok(hits.length <= 20 && hits.every(({ href, kind }) => document_hrefs.has(href) && kind !== ''))
    assert.equal(new Set(hits.map(({ href }) => href)).size, hits.length)
  })
  fc.assert(property, { numRuns: 100 })
})

test('without the library an exact name comes first, and words and synonyms find pages', () => {
  const findPlainly = openSearch(undefined, documents)
  for (const { name, href } of operations) assert.equal(findPlainly(name)[0]?.href, href, name)
  for (const [query, href] of [
    ['pricing', /economy|meter|cost|budget|price/],
    ['webhook', /webhook/],
    ['revoke key', /keys|revoke/],
    ['GDPR', /forget|erase|redact|retention|memory/],
  ] as const)
    assert.ok(
      findPlainly(query).some((hit) => href.test(hit.href)),
      query,
    )
  assert.deepEqual(findPlainly('xyzzyplugh'), [])
})
