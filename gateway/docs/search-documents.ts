// What the search of the pages looks through: each section of a page, each protocol and each operation. The reader's browser searches it
// (search.js), so that no query takes time of the thread that answers calls.
import { shownProtocols } from '@svc/catalogue/derive/directory'
import type { Declaration } from '@svc/contract/protocol'
import type { Page } from './page-registry.ts'
import { anchorNames, plainWords, sectionsOf } from './sections.ts'

export interface SearchDocument {
  readonly title: string
  /** Below /docs/, with the section. */
  readonly href: string
  readonly kind: string
  readonly text: string
  /** Of an operation or protocol, or the settings of a section: a query that is such a name finds it first. */
  readonly names?: readonly string[]
}

const text_length_max = 1500

export function searchDocuments(
  groups: readonly (readonly [title: string, pages: readonly Page[]])[],
  protocols: readonly Declaration[],
): SearchDocument[] {
  const pages = groups.flatMap(([group, list]) => list.flatMap((page) => pageDocuments(page, group)))
  return [...shownProtocols(protocols).flatMap(protocolDocuments), ...pages]
}

function pageDocuments(page: Page, group: string): SearchDocument[] {
  const kind = group.split(':', 1)[0]!
  return sectionsOf(page.text).map(({ heading, anchor, text }, place) => ({
    title: place === 0 ? page.title : `${page.title}: ${heading}`,
    href: place === 0 ? page.address : `${page.address}#${anchor}`,
    kind,
    text: plainWords(text).slice(0, text_length_max),
    ...(page.address === 'settings' && { names: settingsIn(text) }),
  }))
}

/** Those that have a row of a table. */
function settingsIn(text: string): string[] {
  return [...text.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name!)
}

function protocolDocuments({
  protocol,
  operations,
}: ReturnType<typeof shownProtocols>[number]): SearchDocument[] {
  const href = `reference/${protocol.id.toLowerCase()}`
  const kind = 'Reference'
  const entries = operations.map(([name, { summary }]) => ({
    title: `${protocol.id} ${name}`,
    href: `${href}#${anchorNames()(name)}`,
    kind,
    text: summary,
    names: [`${protocol.id}.${name}`],
  }))
  return [{ title: protocol.id, href, kind, text: protocol.summary, names: [protocol.id] }, ...entries]
}
