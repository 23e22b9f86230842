// The body of a page as HTML, without its title, which the frame shows.
import { upFrom } from './built-site.ts'
import type { Render } from './markdown.ts'
import type { Page, PageRegistry } from './page-registry.ts'

export function renderBody(page: Page, registry: PageRegistry, render: Render): string {
  const linkTo = (source: string) => {
    const place = registry.addressOf(source)
    return place === undefined ? undefined : `${upFrom(page.address)}${place}`
  }
  const html = render(page.text, { source: page.source, linkTo })
  // The title's anchor stays, because other pages may name it.
  return html.replace(/<h1 id="([^"]*)">.*?<\/h1>/s, '<span id="$1"></span>')
}
