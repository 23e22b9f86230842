// svc.search_tools: matches words with names, titles, descriptions and arguments, tolerating typing errors.
import { nearest } from '@svc/sdk/nearest'
import { query_length_max, search_limit_default, search_limit_max } from './meta-tools.ts'
import { compareText, isWithin, type Offer, readCategories, type ToolRow, unknownCategory } from './tools.ts'

const words_max = 16
const exact_name_score = 1_000

export interface Search {
  readonly query?: string
  readonly category?: string
  readonly limit?: number
}

export interface SearchResult {
  readonly tools: readonly Record<string, unknown>[]
  readonly total: number
}

/** What is wrong with the arguments; undefined if they are valid. */
export function searchFault(
  args: Readonly<Record<string, unknown>>,
  offers: readonly Offer[],
): string | undefined {
  const { query, category, limit, ...more } = args
  const surplus = Object.keys(more)[0]
  if (surplus !== undefined) return `svc.search_tools takes query, category and limit, not ${surplus}.`
  if (query !== undefined && (typeof query !== 'string' || query.length > query_length_max))
    return `query must be a string of at most ${query_length_max} characters.`
  if (
    limit !== undefined &&
    (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > search_limit_max)
  )
    return `limit must be an integer from 1 to ${search_limit_max}.`
  if (category === undefined) return undefined
  if (typeof category !== 'string') return 'category must be a string.'
  return categoryFault(readCategories(category), offers)
}

export function categoryFault(categories: readonly string[], offers: readonly Offer[]): string | undefined {
  const unknown = unknownCategory(
    categories,
    offers.map(({ tool }) => tool.protocol),
  )
  return unknown && `There is no category ${unknown.word}; use ${unknown.known.join(', ')}.`
}

export function searchTools(offers: readonly Offer[], search: Search): SearchResult {
  const { query = '', category = '', limit = search_limit_default } = search
  const within = offers.filter(({ tool }) => isWithin(tool, readCategories(category)))
  const matches = rank(within, query)
  return { tools: matches.slice(0, limit).map(describeOffer), total: matches.length }
}

function rank(offers: readonly Offer[], query: string): Offer[] {
  const words = wordsOf(query).slice(0, words_max)
  const scored = offers.map((offer) => ({ offer, score: scoreOf(offer.tool, query.trim(), words) }))
  const hits = scored.filter(({ score }) => score > 0)
  hits.sort(
    (a, b) =>
      b.score - a.score ||
      mayRank(a.offer) - mayRank(b.offer) ||
      compareText(a.offer.tool.name, b.offer.tool.name),
  )
  if (hits.length > 0) return hits.map(({ offer }) => offer)
  const by_name = new Map(offers.map((offer) => [offer.tool.name, offer]))
  const by_word = new Map(offers.flatMap((offer) => wordsOf(offer.tool.name).map((word) => [word, offer])))
  const near = [
    by_name.get(nearest(query, by_name.keys()) ?? ''),
    ...words.map((word) => by_word.get(nearest(word, by_word.keys()) ?? '')),
  ]
  return [...new Set(near.filter((offer) => offer !== undefined))]
}

function mayRank({ may }: Offer): number {
  return { yes: 0, depends: 1, no: 2 }[may]
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Words of the name weigh most, then of the description, then of the arguments; a prefix match weighs half. */
function scoreOf(tool: ToolRow, query: string, words: readonly string[]): number {
  const { name, title, description, category, inputSchema } = tool
  if (words.length === 0) return 1
  if (name === query) return exact_name_score
  const fields: readonly (readonly [readonly string[], number])[] = [
    [wordsOf(`${name} ${title}`), 8],
    [wordsOf(`${description} ${category ?? ''}`), 4],
    [wordsOf(Object.keys((inputSchema.properties as object | undefined) ?? {}).join(' ')), 2],
  ]
  const weightOf = (word: string) =>
    Math.max(
      ...fields.map(([text, weight]) => {
        if (text.includes(word)) return weight
        return word.length > 2 && text.some((each) => each.startsWith(word)) ? weight / 2 : 0
      }),
    )
  return words.reduce((sum, word) => sum + weightOf(word), 0)
}

function describeOffer({ tool, may, why_not }: Offer): Record<string, unknown> {
  const { name, title, description, category = null, inputSchema } = tool
  return {
    name,
    title,
    description,
    category,
    may,
    ...(may === 'no' && why_not !== undefined ? { why_not } : {}),
    input_schema: inputSchema,
  }
}
