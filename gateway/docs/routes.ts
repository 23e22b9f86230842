// GET /docs and below: guides, reference of the registered protocols, and search. Public, read-only, and readable without scripts; no part
// of a request becomes a file path.
import { type SearchHit, search, shownProtocols } from '@svc/catalogue/derive/directory'
import { deriveReference } from '@svc/catalogue/derive/reference'
import { deriveReferenceList } from '@svc/catalogue/derive/reference-list'
import type { Declaration } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { docs_script, docs_style, pages_script, pages_style, try_page } from '../docs-page.ts'
import { openFinder, type PageHit } from './find.ts'
import { escapeText, frame, upFrom } from './frame.ts'
import { openRenderer, type Render } from './markdown.ts'
import { type Page, type PageRegistry, readPages } from './page-registry.ts'
import { anchorNames } from './sections.ts'

const query_length_max = 200
const hits_max = 20
const root = new URL('../../', import.meta.url)

const policy = (forms: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; ` +
  `frame-ancestors 'none'; form-action ${forms}`

/** The registered protocols; a new revision means a new reference. */
interface Registered {
  readonly revision: number
  readonly protocols: readonly Declaration[]
}

export function addDocsRoutes(app: FastifyInstance, registered: () => Registered): void {
  let library: Promise<Library> | undefined
  const open = () => {
    library ??= openLibrary(registered)
    return library
  }
  app.get('/docs', async (_request, reply) => sendPage(reply, (await open()).home()))
  app.get('/docs/', async (_request, reply) => reply.redirect('../docs'))
  app.get('/docs/try', async (_request, reply) => sendPage(reply, try_page, "'none'"))
  app.get('/docs/docs.js', async (_request, reply) => cached(reply, 'text/javascript').send(docs_script))
  app.get('/docs/docs.css', async (_request, reply) => cached(reply, 'text/css').send(docs_style))
  app.get('/docs/pages.js', async (_request, reply) => cached(reply, 'text/javascript').send(pages_script))
  app.get('/docs/pages.css', async (_request, reply) => cached(reply, 'text/css').send(pages_style))
  app.get<{ Querystring: Query }>('/docs/search', async ({ query }, reply) =>
    sendPage(reply, (await open()).found(questionOf(query))),
  )
  app.get<{ Querystring: Query }>('/docs/search.json', async ({ query }, reply) => {
    const question = questionOf(query)
    return cached(reply, 'application/json').send({ query: question, hits: (await open()).hits(question) })
  })
  app.get<{ Params: { '*': string } }>('/docs/*', async ({ params }, reply) =>
    sendPage(reply, (await open()).page(params['*'])),
  )
  app.get('/', async (_request, reply) => reply.redirect('docs'))
}

interface Query {
  readonly q?: unknown
}

function questionOf({ q = '' }: Query): string {
  if (typeof q === 'string' && q.length <= query_length_max) return q.trim()
  throw refuse(
    'invalid_request',
    `Search for something once: /docs/search?q=treaty (at most ${query_length_max} characters).`,
  )
}

function sendPage(reply: FastifyReply, page: string, forms = "'self'"): FastifyReply {
  reply
    .header('content-security-policy', policy(forms))
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
  return cached(reply, 'text/html').send(page)
}

function cached(reply: FastifyReply, type: string): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=60')
}

interface Library {
  home(): string
  page(address: string): string
  found(query: string): string
  hits(query: string): readonly PageHit[]
}

async function openLibrary(registered: () => Registered): Promise<Library> {
  const page_registry = readPages(root)
  const render = await openRenderer()
  const pages = page_registry.groups.flatMap(([, list]) => list)
  // Built by the first search: most visitors only read.
  let findPages: ReturnType<typeof openFinder> | undefined
  const hits = (query: string) => {
    if (query === '') return []
    findPages ??= openFinder(pages)
    const operations = search(registered().protocols, query, hits_max)
    return [...findPages(query, hits_max), ...operations.map(referenceHit)]
  }
  // One entry per page: rendered on request, again after a change of the registry.
  let [made, revision] = [new Map<string, string>(), -1]
  const page = (address: string) => {
    if (revision !== registered().revision) [made, revision] = [new Map(), registered().revision]
    const html = made.get(address) ?? renderPage(address, page_registry, render, registered().protocols)
    made.set(address, html)
    return html
  }
  return {
    hits,
    page,
    home: () => frame(page_registry, { address: '', title: 'Documentation', body: homeBody(page_registry) }),
    found(query) {
      const title = query === '' ? 'Search' : `Search: ${query}`
      return frame(page_registry, { address: 'search', title, query, body: foundBody(query, hits(query)) })
    },
  }
}

function renderPage(
  address: string,
  page_registry: PageRegistry,
  render: Render,
  protocols: readonly Declaration[],
): string {
  const page = page_registry.find(address) ?? referencePage(address, protocols)
  if (!page) throw refuse('not_found', `There is no page ${address}; /docs lists all of them.`)
  const linkTo = (source: string) => {
    const place = page_registry.addressOf(source)
    return place === undefined ? undefined : `${upFrom(address)}docs/${place}`
  }
  return frame(page_registry, {
    address,
    title: page.title,
    body: render(page.text, { source: page.source, linkTo }),
  })
}

function referencePage(address: string, protocols: readonly Declaration[]): Page | undefined {
  if (address === 'reference') {
    const source = 'generated/reference/README.md'
    return { address, source, title: 'Reference', summary: '', text: deriveReferenceList(protocols) }
  }
  const id = /^reference\/([\w-]+)$/.exec(address)?.[1]
  const shown = shownProtocols(protocols).find(({ protocol }) => protocol.id.toLowerCase() === id)
  if (!shown) return undefined
  const source = `generated/reference/${id}.md`
  return { address, source, title: shown.protocol.id, summary: '', text: deriveReference(shown.protocol) }
}

function referenceHit({ protocol, operation, summary }: SearchHit): PageHit {
  const address = `reference/${protocol.toLowerCase()}`
  if (operation === undefined) return { title: `${protocol}`, href: address, excerpt: summary }
  const anchor = anchorNames()(operation)
  return { title: `${protocol} ${operation}`, href: `${address}#${anchor}`, excerpt: summary }
}

function homeBody({ groups }: PageRegistry): string {
  const lists = groups.map(([title, pages]) => {
    const lines = pages.map(
      (page) =>
        `<div><dt><a href="docs/${page.address}">${escapeText(page.title)}</a></dt>` +
        `<dd>${escapeText(page.summary)}</dd></div>`,
    )
    return `<h2>${escapeText(title)}</h2>\n<dl class="overview">\n${lines.join('\n')}\n</dl>`
  })
  return `<h1>What this service is, and how to use it</h1>
<p class="lead">AI agents of different companies call each other's services through one endpoint, <code>POST /v1/dispatch</code>.
Every call passes eight stages, after identity is resolved, and is written, allowed or refused, to an audit log that anyone can verify.</p>
<p>New here? Read the first five in order. Every operation is in the <a href="docs/reference">reference</a>,
and can be <a href="docs/try">tried from the browser</a>.</p>
${lists.join('\n')}`
}

function foundBody(query: string, hits: readonly PageHit[]): string {
  const items = hits.map(
    ({ title, href, excerpt }) =>
      `<li><a href="../docs/${href}">${escapeText(title)}</a> <span class="quiet">${escapeText(excerpt)}</span></li>`,
  )
  const none =
    query === '' ? 'Type a word above: treaty, budget, witness.' : 'Nothing found. Try a shorter word.'
  const list = items.length === 0 ? `<p>${none}</p>` : `<ol class="hits">\n${items.join('\n')}\n</ol>`
  return `<h1>${query === '' ? 'Search' : `Found for ${escapeText(query)}`}</h1>\n${list}`
}
