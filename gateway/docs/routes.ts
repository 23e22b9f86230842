// GET /docs/ and below: the built site, and what only a running engine knows: reference and search of the protocols registered now. Public,
// read-only, and readable without scripts; no part of a request becomes a file path.
import { readFile } from 'node:fs/promises'
import { deriveOpenApi } from '@svc/catalogue/derive/openapi'
import type { Declaration } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  api_library_file,
  api_page,
  api_script,
  api_style,
  pages_script,
  pages_style,
  search_library,
  search_script,
  withoutMap,
} from '../docs-page.ts'
import { openBuiltSite, upFrom } from './built-site.ts'
import { frame } from './frame.ts'
import { homePage, missingPage, plainApiPage, referencePages, searchPage } from './made-pages.ts'
import { openRenderer } from './markdown.ts'
import { type Page, type PageRegistry, readPages } from './page-registry.ts'
import { renderBody } from './render-body.ts'
import { searchDocuments } from './search-documents.ts'

const root = new URL('../../', import.meta.url)
// In two steps: packing follows addresses of files here, and a checkout may have built none.
const site_folder = new URL('dist/', new URL('site/', import.meta.url))

const policy =
  `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; ` +
  `base-uri 'none'; frame-ancestors 'none'; form-action 'self'`
/** Of the API reference only: Scalar writes its styles into the page. Its scripts are still ours, and so is all it asks. */
const api_policy = policy.replace(`style-src 'self'`, `style-src 'self' 'unsafe-inline'`)
/** A picture has its own styles, and may load nothing. */
const picture_policy = `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'`

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
}
/** Browsers ask for it, whichever page they show. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4fd8"/>' +
  '<path d="M8 22V10h4v12M14 22V7h4v15M20 22V13h4v9" fill="#fff"/></svg>'
/** Those that do not change with what is registered. */
const scripts_and_styles: Readonly<Record<string, string>> = {
  'api.js': api_script,
  'api.css': api_style,
  'pages.js': pages_script,
  'pages.css': pages_style,
  'search.js': search_script,
  'minisearch.js': search_library,
}

/** The registered protocols; a new revision means a new reference. */
interface Registered {
  readonly revision: number
  readonly protocols: readonly Declaration[]
}

export function addDocsRoutes(
  app: FastifyInstance,
  registered: () => Registered,
  folder: URL = site_folder,
): void {
  let library: Promise<Library> | undefined
  const open = () => {
    library ??= openLibrary(registered, folder)
    return library
  }
  app.get('/', async (_request, reply) => reply.redirect('docs/'))
  app.get('/favicon.ico', async (_request, reply) => sendFile(reply, 'svg', icon))
  app.get('/docs', async (_request, reply) => reply.redirect('docs/'))
  app.get('/docs/', async (_request, reply) => sendPage(reply, (await open()).home()))
  addApiReference(app, api_library_file, async () => (await open()).plainApi())
  app.get('/docs/search', async (_request, reply) => sendPage(reply, (await open()).search()))
  app.get('/docs/search.json', async (_request, reply) => sendFile(reply, 'json', (await open()).documents()))
  app.get('/docs/openapi.json', async (_request, reply) => sendFile(reply, 'json', (await open()).openapi()))
  for (const [name, text] of Object.entries(scripts_and_styles))
    app.get(`/docs/${name}`, async (_request, reply) => sendFile(reply, name.split('.').at(-1)!, text))
  app.get<{ Params: { '*': string } }>('/docs/*', async ({ params, headers }, reply) => {
    const address = params['*']
    const { file, page, missing } = await open()
    const bytes = await file(address)
    if (bytes === undefined) {
      const text = await page(address)
      if (text !== undefined) return sendPage(reply, text)
      const lower = address.toLowerCase()
      if (lower !== address && (await page(lower)) !== undefined)
        return reply.redirect(`${upFrom(address)}${lower}`)
      if (!headers.accept?.includes('text/html'))
        throw refuse('not_found', `There is no page ${address}; /docs/ lists all of them.`)
      return sendPage(reply.code(404), missing(address))
    }
    // Names below _astro/ change with their content.
    if (address.startsWith('_astro/')) reply.header('cache-control', 'public, max-age=31536000, immutable')
    return sendFile(reply, address.split('.').at(-1)!, bytes)
  })
}

function addApiReference(
  app: FastifyInstance,
  library_file: URL | undefined,
  plain: () => Promise<string>,
): void {
  if (library_file === undefined) {
    app.get('/docs/api', async (_request, reply) => sendPage(reply, await plain()))
    return
  }
  app.get('/docs/api', async (_request, reply) => sendPage(reply, api_page, api_policy))
  let library: Promise<string> | undefined
  app.get('/docs/scalar.js', async (_request, reply) => {
    library ??= readFile(library_file, 'utf8').then(withoutMap)
    reply.header('cache-control', 'public, max-age=3600')
    return sendFile(reply, 'js', await library)
  })
}

function sendPage(reply: FastifyReply, page: string, page_policy = policy): FastifyReply {
  reply
    .header('content-security-policy', page_policy)
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('cache-control', 'public, max-age=60')
  return reply.type('text/html; charset=utf-8').send(page)
}

function sendFile(reply: FastifyReply, extension: string, content: string | Buffer): FastifyReply {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'public, max-age=60')
  if (extension === 'svg') reply.header('content-security-policy', picture_policy)
  reply.header('x-content-type-options', 'nosniff')
  return reply.type(types[extension] ?? 'application/octet-stream').send(content)
}

interface Library {
  home(): string
  search(): string
  /** Where the API reference is not installed. */
  plainApi(): string
  /** JSON of everything that the search looks through. */
  documents(): string
  openapi(): string
  /** Undefined where there is none. */
  page(address: string): Promise<string | undefined>
  /** In the place of a page that does not exist. */
  missing(address: string): string
  /** A picture, or a style or script of the built site. */
  file(address: string): Promise<Buffer | undefined>
}

async function openLibrary(registered: () => Registered, folder: URL): Promise<Library> {
  const registry = readPages(root)
  const render = await openRenderer()
  const site = openBuiltSite(folder)
  const framed = (page: { address: string; title: string; body: string }) =>
    site?.frame(page) ?? frame(registry, page)
  // One entry per page: made on request, again after a change of the registry.
  let [made, revision] = [new Map<string, string>(), -1]
  const once = (name: string, make: () => string) => {
    if (revision !== registered().revision) [made, revision] = [new Map(), registered().revision]
    const text = made.get(name) ?? make()
    made.set(name, text)
    return text
  }
  const documents = () => JSON.stringify(searchDocuments(registry.groups, registered().protocols))
  return {
    home: () => framed(homePage(registry)),
    search: () => framed(searchPage),
    plainApi: () => framed(plainApiPage),
    documents: () => once('search.json', documents),
    openapi: () => once('openapi.json', () => JSON.stringify(deriveOpenApi(registered().protocols))),
    async page(address) {
      const page = pageAt(address, registry, registered().protocols)
      if (page === undefined) return undefined
      return (
        (await site?.page(address, page.text)) ??
        once(address, () => framed({ address, title: page.title, body: renderBody(page, registry, render) }))
      )
    },
    missing: (address) => framed({ ...missingPage(upFrom(address)), address }),
    async file(address) {
      if (registry.pictures.includes(address)) return await readFile(new URL(`docs/${address}`, root))
      return address.startsWith('_astro/') ? await site?.file(address) : undefined
    },
  }
}

function pageAt(
  address: string,
  registry: PageRegistry,
  protocols: readonly Declaration[],
): Page | undefined {
  return registry.find(address) ?? referencePages(protocols).find((page) => page.address === address)
}
