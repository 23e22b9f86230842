// The current place in the console: the fragment of the address, which no server sees and no prefix changes.

export interface Place {
  /** The first segment: the page. */
  readonly page: string
  /** The following segments: the part of the page and its subject. */
  readonly rest: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** The props of every page. */
export interface PageProps {
  readonly place: Place
}

const first_page = 'overview'

export function readPlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [page = '', ...rest] = path.split('/').filter(Boolean).map(decoded)
  return { page: page || first_page, rest, query: Object.fromEntries(new URLSearchParams(query)) }
}

export function hashOf(page: string, rest: readonly string[] = [], query: Place['query'] = {}): string {
  const path = [page, ...rest].map(encodeURIComponent).join('/')
  const filled = Object.entries(query).filter(([, value]) => value !== '')
  return `#/${path}${filled.length ? `?${new URLSearchParams(filled)}` : ''}`
}

/** An address typed by hand may not be valid percent-encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
