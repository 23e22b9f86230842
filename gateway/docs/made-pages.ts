// Pages that are not files: the first page, the search, and the reference of the registered protocols.
import { shownProtocols } from '@svc/catalogue/derive/directory'
import { deriveReference } from '@svc/catalogue/derive/reference'
import { deriveReferenceList } from '@svc/catalogue/derive/reference-list'
import type { Declaration } from '@svc/contract/protocol'
import { escapeText } from './built-site.ts'
import type { Page, PageRegistry } from './page-registry.ts'

interface MadePage {
  readonly address: string
  readonly title: string
  /** HTML made by us, without the title. */
  readonly body: string
}

export const searchPage: MadePage = {
  address: 'search',
  title: 'Search',
  body: `<noscript><p>The search needs JavaScript; the <a href="./">first page</a> lists all pages.</p></noscript>
<p>Type a word above: treaty, budget, audit_query.</p>`,
}

export const plainApiPage: MadePage = {
  address: 'api',
  title: 'API reference',
  body: `<p>The API reference with a form for each call is part of the svc packages. In a checkout, <code>npm run docs</code> adds it.</p>
<p>Every operation with its fields, example and refusals is in the <a href="reference">reference</a>. You can call it in the
console's playground, or with <code>npx svc invoke</code>.</p>`,
}

/** `up` leads to the first page. */
export function missingPage(up: string): Omit<MadePage, 'address'> {
  return {
    title: 'There is no such page',
    body: `<p>It may have moved. Type what you look for into the search above, or go to the <a href="${up || './'}">first page</a>, which lists all pages, or to
<a href="${up}reference">every operation</a>.</p>`,
  }
}

export function homePage({ groups }: PageRegistry): MadePage {
  const lists = groups.map(([title, pages]) => {
    const lines = pages.map(
      (page) =>
        `<div><dt><a href="${page.address}">${escapeText(page.title)}</a></dt>` +
        `<dd>${escapeText(page.summary)}</dd></div>`,
    )
    return `<h2>${escapeText(title)}</h2>\n<dl class="overview">\n${lines.join('\n')}\n</dl>`
  })
  const body = `<p class="lead">AI agents of different companies call each other's services through one endpoint, <code>POST /v1/dispatch</code>.
Every call passes eight stages, after identity is resolved, and is written, allowed or refused, to an audit log that anyone can verify.</p>
<p>New here? Read the tutorials in order. Every operation is in the <a href="reference">reference</a>,
and can be called from the <a href="api">API reference</a>.</p>
${lists.join('\n')}`
  return { address: '', title: 'What this service is, and how to use it', body }
}

export function referencePages(protocols: readonly Declaration[]): Page[] {
  const list = {
    address: 'reference',
    source: 'generated/reference/README.md',
    title: 'Reference',
    summary: 'Every protocol and operation.',
    text: deriveReferenceList(protocols),
  }
  const pages = shownProtocols(protocols).map(({ protocol }): Page => {
    const id = protocol.id.toLowerCase()
    const source = `generated/reference/${id}.md`
    const { summary } = protocol
    return {
      address: `reference/${id}`,
      source,
      title: protocol.id,
      summary,
      text: deriveReference(protocol),
    }
  })
  return [list, ...pages]
}
