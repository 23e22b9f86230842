// Full-text search over the pages. Our own index, because it runs on the thread that answers calls: a library took twice as long to fill,
// and thirty times as long for a hostile query.
import { wordsIn } from '@svc/catalogue/derive/directory'
import type { Page } from './page-registry.ts'
import { plainWords, type Section, sectionsOf } from './sections.ts'

export interface PageHit {
  readonly title: string
  /** Below /docs/, with the section. */
  readonly href: string
  readonly excerpt: string
}

interface Entry {
  readonly page: Page
  readonly section: Section
  readonly is_first: boolean
  /** The section as plain text, once found. */
  words?: string
}

const terms_max = 8
const prefix_length_min = 3
const excerpt_length = 160
const points = { heading: 10, text: 4 }

export function openFinder(pages: readonly Page[]): (query: string, limit: number) => PageHit[] {
  const entries = pages.flatMap((page) =>
    sectionsOf(page.text).map((section, place): Entry => ({ page, section, is_first: place === 0 })),
  )
  const index = indexOf(entries)
  return (query, limit) => {
    const terms = [...new Set(wordsIn(query).map(stem))].slice(0, terms_max)
    const scores = new Map<number, { matched: number; score: number }>()
    for (const term of terms)
      for (const [place, weight] of placesOf(index, term)) {
        const so_far = scores.get(place) ?? { matched: 0, score: 0 }
        scores.set(place, { matched: so_far.matched + 1, score: so_far.score + weight })
      }
    return [...scores]
      .sort(([a, x], [b, y]) => y.matched - x.matched || y.score - x.score || a - b)
      .slice(0, limit)
      .map(([place]) => hitOf(entries[place]!, terms))
  }
}

type Index = ReadonlyMap<string, ReadonlyMap<number, number>>

/** Word -> place of a section -> weight there. */
function indexOf(entries: readonly Entry[]): Index {
  const index = new Map<string, Map<number, number>>()
  const put = (text: string, place: number, counts: number) => {
    for (const word of new Set(wordsIn(text).map(stem))) {
      const places = index.get(word) ?? new Map<number, number>()
      places.set(place, (places.get(place) ?? 0) + counts)
      index.set(word, places)
    }
  }
  for (const [place, { section, is_first }] of entries.entries()) {
    // A page's title weighs more than a heading within it.
    put(section.heading, place, is_first ? 2 * points.heading : points.heading)
    put(section.text, place, points.text)
  }
  return index
}

/** Whole words count fully, prefixes half. */
function placesOf(index: Index, term: string): Map<number, number> {
  const best = new Map(index.get(term))
  if (term.length < prefix_length_min) return best
  for (const [word, places] of index) {
    if (word === term || !word.startsWith(term)) continue
    for (const [place, counts] of places) best.set(place, Math.max(best.get(place) ?? 0, counts / 2))
  }
  return best
}

/** Singular and plural match alike. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function hitOf(entry: Entry, terms: readonly string[]): PageHit {
  const { page, section, is_first } = entry
  entry.words ??= plainWords(section.text)
  const { words } = entry
  const lower = words.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const near = places.length === 0 ? 0 : Math.min(...places)
  const begin = near < excerpt_length / 2 ? 0 : lower.lastIndexOf(' ', near - excerpt_length / 4) + 1
  const cut = words.slice(begin, begin + excerpt_length)
  return {
    title: is_first ? page.title : `${page.title}: ${section.heading}`,
    href: is_first ? page.address : `${page.address}#${section.anchor}`,
    excerpt: `${begin > 0 ? '… ' : ''}${cut}${begin + excerpt_length < words.length ? ' …' : ''}`,
  }
}
