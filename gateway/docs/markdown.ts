// Markdown to HTML. No markup passes through as such: what a page or a protocol's summary says cannot become code.
import { posix } from 'node:path'
import type { Token } from 'markdown-it'
import { anchorNames } from './sections.ts'

export interface RenderedFrom {
  /** The file it comes from: its links are relative to that. */
  readonly source: string
  /** Where a file of the repository is shown, from this page; undefined where it is not. */
  linkTo(source: string): string | undefined
}

export type Render = (text: string, from: RenderedFrom) => string

/** Loaded when the first page is asked for. */
export async function openRenderer(): Promise<Render> {
  const { default: MarkdownIt } = await import('markdown-it')
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
  // A picture would be asked for elsewhere, and the page's policy refuses that anyway.
  markdown.disable('image')
  return (text, from) => {
    const tokens = markdown.parse(text, {})
    nameHeadings(tokens)
    for (const token of tokens) leadLinks(token.children ?? [], from)
    return markdown.renderer.render(tokens, markdown.options, {})
  }
}

function nameHeadings(tokens: readonly Token[]): void {
  const anchors = anchorNames()
  for (const [i, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const words = (tokens[i + 1]?.children ?? []).map(({ content }) => content)
    token.attrSet('id', anchors(words.join('')))
  }
}

/** A link to what is shown nowhere stays as words; its two ends are tokens apart. */
function leadLinks(tokens: readonly Token[], from: RenderedFrom): void {
  let is_plain = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = String(token.attrGet('href') ?? '')
      const leads = targetOf(href, from)
      is_plain = leads === undefined
      if (leads !== undefined) token.attrSet('href', leads)
      if (/^https?:/.test(href)) token.attrSet('rel', 'noreferrer')
    }
    if (is_plain && token.type.startsWith('link_')) {
      token.tag = 'span'
      token.attrs = []
    }
  }
}

function targetOf(href: string, { source, linkTo }: RenderedFrom): string | undefined {
  if (href.startsWith('#') || /^https?:\/\//.test(href)) return href
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('/')) return undefined
  const [path = '', anchor] = href.split('#', 2)
  const file = posix.join(posix.dirname(source), path).replace(/\/$/, '')
  const place = linkTo(file)
  return place === undefined || anchor === undefined ? place : `${place}#${anchor}`
}
