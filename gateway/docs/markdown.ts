// Markdown to HTML. Raw markup is escaped: text of a page or a protocol's summary cannot become code.
import { posix } from 'node:path'
import type { Token } from 'markdown-it'
import { anchorNames } from './sections.ts'

export interface RenderedFrom {
  /** Its source file: links are relative to it. */
  readonly source: string
  /** The address of a repository file from this page; undefined where it is not shown. */
  linkTo(source: string): string | undefined
}

export type Render = (text: string, from: RenderedFrom) => string

/** Loaded for the first page. */
export async function openRenderer(): Promise<Render> {
  const { default: MarkdownIt } = await import('markdown-it')
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
  // A narrow column breaks a name between its words: invalid_ | payload.
  const { code_inline } = markdown.renderer.rules
  markdown.renderer.rules.code_inline = (...place) => code_inline!(...place).replaceAll('_', '_<wbr>')
  return (text, from) => {
    const tokens = markdown.parse(text, {})
    nameHeadings(tokens)
    for (const token of tokens) {
      leadLinks(token.children ?? [], from)
      placePictures(token.children ?? [], from)
    }
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

/** A link to a page that is not shown becomes text; its two ends are separate tokens. */
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

/** Only our own pictures are shown; of any other its words. */
function placePictures(tokens: readonly Token[], from: RenderedFrom): void {
  for (const token of tokens) {
    if (token.type !== 'image') continue
    const place = targetOf(String(token.attrGet('src') ?? ''), from)
    if (place !== undefined && /^(\.\.\/)*pictures\/[\w-]+\.(svg|png)$/.test(place))
      token.attrSet('src', place)
    else [token.type, token.tag] = ['text', '']
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
