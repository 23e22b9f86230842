// Where in the console one is: the part of the address behind `#`, which no server sees and no prefix touches.

export interface Place {
  /** The first word: which page. */
  readonly page: string
  /** The words after it: which part of the page, and of what. */
  readonly rest: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

/** What every page is handed. */
export interface PageProps {
  readonly place: Place
}

const first_page = 'now'

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

/** What somebody typed by hand may be no encoding at all. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
