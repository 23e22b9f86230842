// Pages and sidebar as Starlight takes them.

import type { StarlightUserConfig } from '@astrojs/starlight/types'
import { shownProtocols } from '@svc/catalogue/derive/directory'
import type { Declaration } from '@svc/contract/protocol'
import type { Render } from '../markdown.ts'
import type { Page, PageRegistry } from '../page-registry.ts'
import { renderBody } from '../render-body.ts'
import { sectionsOf } from '../sections.ts'

export interface SitePage {
  readonly address: string
  readonly title: string
  readonly description: string
  readonly headings: readonly { readonly depth: number; readonly slug: string; readonly text: string }[]
  readonly html: string
}

type Sidebar = NonNullable<StarlightUserConfig['sidebar']>

export function sitePage(page: Page, registry: PageRegistry, render: Render): SitePage {
  const { address, title, summary } = page
  const headings = sectionsOf(page.text)
    .slice(1)
    // Of a protocol the operations, without their parts.
    .filter(({ depth }) => depth <= (address.startsWith('reference/') ? 2 : 3))
    .map(({ heading, anchor, depth }) => ({ depth, slug: anchor, text: heading }))
  return { address, title, description: summary, headings, html: renderBody(page, registry, render) }
}

/** A group for each kind; what stands behind the colon of a title is a group within it. */
export function sidebarOf(registry: PageRegistry, protocols: readonly Declaration[]): Sidebar {
  const by_kind = Map.groupBy(registry.groups, ([title]) => title.split(': ', 1)[0]!)
  return [...by_kind].map(([kind, groups]) => ({
    label: kind,
    items: [
      ...(kind === 'Reference' ? referenceItems(protocols) : []),
      ...groups.flatMap(([title, pages]): Sidebar => {
        const items = pages.map(({ title: label, address }) => ({ label, link: `/${address}` }))
        const within = title.split(': ')[1]
        return within === undefined ? items : [{ label: capitalised(within), collapsed: true, items }]
      }),
    ],
  }))
}

function referenceItems(protocols: readonly Declaration[]): Sidebar {
  const items = shownProtocols(protocols).map(({ protocol: { id } }) => ({
    label: id,
    link: `/reference/${id.toLowerCase()}`,
  }))
  return [
    { label: 'All operations', link: '/reference' },
    { label: 'API reference', link: '/api' },
    { label: 'Protocols', collapsed: true, items },
  ]
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
