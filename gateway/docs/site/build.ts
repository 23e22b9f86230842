// Builds the documentation as static files into dist/: `npm run docs`. Starlight makes the frames; links are relative and nothing is inline,
// so that the site works under any prefix, on any host, and under the engine's strict policy.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import starlight from '@astrojs/starlight'
import { catalogue } from '@svc/catalogue/catalogue'
import { deriveOpenApi } from '@svc/catalogue/derive/openapi'
import { build } from 'astro'
import {
  api_library_file,
  api_page,
  api_script,
  api_style,
  pages_script,
  search_library,
  search_script,
  withoutMap,
} from '../../docs-page.ts'
import { digestOf, template_address } from '../built-site.ts'
import { homePage, referencePages, searchPage } from '../made-pages.ts'
import { openRenderer } from '../markdown.ts'
import { readPages } from '../page-registry.ts'
import { searchDocuments } from '../search-documents.ts'
import { externalize } from './externalize.ts'
import { type SitePage, sidebarOf, sitePage } from './site-pages.ts'

const folder = import.meta.dirname
const root = join(folder, '../../..')
/** A folder of your choice can be named: `npm run docs -- ../public`. */
const dist = resolve(process.argv[2] ?? join(folder, 'dist'))
const cache = join(root, 'node_modules/.cache/svc-docs')
const registry = readPages(new URL('../../../', import.meta.url))
const render = await openRenderer()
const sources = [...registry.pages, ...referencePages(catalogue)]
const pages: SitePage[] = [
  ...sources.map((page) => sitePage(page, registry, render)),
  ...[homePage(registry), searchPage].map(({ address, title, body }) => ({
    address,
    title,
    description: '',
    headings: [],
    html: body,
  })),
  { address: template_address, title: '%%TITLE%%', description: '', headings: [], html: '%%BODY%%' },
]

rmSync(dist, { recursive: true, force: true })
await build({
  // Names of styles are made of paths from here; of files outside, Starlight's, they would be made of this machine's.
  root,
  srcDir: folder,
  outDir: dist,
  cacheDir: cache,
  configFile: false,
  logLevel: 'warn',
  devToolbar: { enabled: false },
  build: { format: 'file', inlineStylesheets: 'never' },
  integrations: [
    starlight({
      title: 'svc',
      pagefind: false,
      expressiveCode: false,
      disable404Route: true,
      credits: false,
      customCss: [join(folder, 'site.css')],
      components: { Search: join(folder, 'components/Search.astro') },
      sidebar: sidebarOf(registry, catalogue),
      head: [{ tag: 'script', attrs: { type: 'module', src: '/pages.js' } }],
    }),
  ],
  vite: {
    cacheDir: join(cache, 'vite'),
    // Found by itself only where a package.json stands beside the site.
    environments: { prerender: { resolve: { noExternal: ['@astrojs/starlight'] } } },
    plugins: [
      {
        name: 'svc-pages',
        resolveId: (id: string) => (id === 'svc:pages' ? '\0svc:pages' : undefined),
        load: (id: string) => (id === '\0svc:pages' ? `export default ${JSON.stringify(pages)}` : undefined),
      },
    ],
  },
})
externalize(dist)
const files = {
  'api.html': api_page,
  'api.js': api_script,
  'api.css': api_style,
  'scalar.js': withoutMap(readFileSync(api_library_file!, 'utf8')),
  'pages.js': pages_script,
  'search.js': search_script,
  'minisearch.js': search_library,
  'search.json': JSON.stringify(searchDocuments(registry.groups, catalogue)),
  'openapi.json': JSON.stringify(deriveOpenApi(catalogue)),
  'made-of.json': JSON.stringify(
    Object.fromEntries(sources.map(({ address, text }) => [address, digestOf(text)])),
  ),
}
for (const [name, text] of Object.entries(files)) writeFileSync(join(dist, name), text)
for (const picture of registry.pictures) {
  mkdirSync(join(dist, 'pictures'), { recursive: true })
  writeFileSync(join(dist, picture), readFileSync(join(root, 'docs', picture)))
}
