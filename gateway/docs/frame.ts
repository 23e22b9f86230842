// The plain frame of a page where the site is not built: head, search, list of pages. Relative addresses, so that it works under any prefix.
import { escapeText, upFrom } from './built-site.ts'
import type { PageRegistry } from './page-registry.ts'

export interface Framed {
  /** Below /docs/; empty for the first page. */
  readonly address: string
  readonly title: string
  /** HTML made by us. */
  readonly body: string
}

export function frame({ groups }: Pick<PageRegistry, 'groups'>, { address, title, body }: Framed): string {
  const up = upFrom(address)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeText(title)} · svc</title>
    <link rel="stylesheet" href="${up}pages.css">
    <script type="module" src="${up}pages.js"></script>
  </head>
  <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      <a class="brand" href="${up || './'}">svc</a>
      <form id="find" role="search" action="${up}search">
        <label for="search">Search</label>
        <input id="search" name="q" type="search" maxlength="200" autocomplete="off">
        <button>Find</button>
      </form>
      <ul>
        <li><a href="${up}reference">Reference</a></li>
        <li><a href="${up}api">API reference</a></li>
        <li><a href="${up}openapi.json">OpenAPI</a></li>
        <li><a href="#pages">All pages</a></li>
      </ul>
      <p id="found" class="quiet" role="status"></p>
      <ol id="hits" class="hits" hidden></ol>
    </header>
    <main id="main" tabindex="-1">
<h1>${escapeText(title)}</h1>
${body}
    </main>
    <nav id="pages" aria-label="All pages">
${groups.map((group) => menuGroup(group, address, up)).join('\n')}
    </nav>
  </body>
</html>
`
}

function menuGroup([title, pages]: PageRegistry['groups'][number], address: string, up: string): string {
  const lines = pages.map((page) => {
    const current = page.address === address ? ' aria-current="page"' : ''
    return `<li><a href="${up}${page.address}"${current}>${escapeText(page.title)}</a></li>`
  })
  return `<h2>${escapeText(title)}</h2>\n<ul>\n${lines.join('\n')}\n</ul>`
}
