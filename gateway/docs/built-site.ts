// The built documentation site (`npm run docs`), if there is one. Addresses are looked up in a list made at the first request: what is
// asked for never becomes a file name.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** The frame that the engine puts pages of its own into. */
export const template_address = 'frame'

export interface BuiltSite {
  /** The built page, if it was made of this text: a stale one is not shown. */
  page(address: string, text: string): Promise<string | undefined>
  /** Any other file of the site. */
  file(path: string): Promise<Buffer> | undefined
  frame(page: { address: string; title: string; body: string }): string
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** From a page's folder to the first page's, as an address prefix. */
export function upFrom(address: string): string {
  return '../'.repeat(address.split('/').length - 1)
}

export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** Undefined where the site has not been built. */
export function openBuiltSite(folder: URL): BuiltSite | undefined {
  const paths = new Set(filesBelow(folder))
  if (!paths.has('made-of.json')) return undefined
  const read = (path: string) => readFile(new URL(path, folder))
  const made_of = new Map(
    Object.entries<string>(JSON.parse(readFileSync(new URL('made-of.json', folder), 'utf8'))),
  )
  const template = readFileSync(new URL(`${template_address}.html`, folder), 'utf8')
  return {
    async page(address, text) {
      const is_current = made_of.get(address) === digestOf(text)
      return is_current ? (await read(`${address}.html`)).toString('utf8') : undefined
    },
    file: (path) => (paths.has(path) && !path.endsWith('.html') ? read(path) : undefined),
    frame({ address, title, body }) {
      const parts: Readonly<Record<string, string>> = {
        '%%UP%%': upFrom(address),
        '%%TITLE%%': escapeText(title),
        '%%BODY%%': body,
      }
      return template.replaceAll(/%%(UP|TITLE|BODY)%%/g, (name) => parts[name]!)
    },
  }
}

function filesBelow(folder: URL): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return names.map((name) => name.replaceAll('\\', '/'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
