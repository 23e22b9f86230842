// Searches content by words, meaning and entities, fused into one ranking.
import { sql } from '@svc/database/sql'
import { rankByGraph } from '../cells/api.ts'
import { fuseRanks } from './rank-fusion.ts'
import { coverageOf, nothing_below, type Relevance, relevanceOf } from './relevance.ts'
import { catchUp, type Ready, type Searching } from './search-cache.ts'
import { rankByHops } from './search-hops.ts'
import { type Choice, chooseSlots, type SearchIndex } from './search-index.ts'
import { readWording } from './search-lexemes.ts'
import { shareAmongNeighbours } from './search-neighbours.ts'
import { rankByVector } from './search-vectors.ts'
import { rankByWords, slotsWith } from './search-words.ts'

export interface Question {
  readonly text: string
  /** Minimum cosine of a hit by meaning; 0.15 if omitted. */
  readonly similarity_min?: number | undefined
}

/** A hit with its ranks; relevance, coverage and similarity are 1, 0 and 0 where nothing was asked. */
export interface FoundContent extends Relevance {
  readonly ref: string
  /** 0 to 1. */
  readonly score: number
  /** From 1; null if it is not in that list. */
  readonly lexical_rank: number | null
  readonly vector_rank: number | null
  readonly graph_rank: number | null
  readonly hop_rank: number | null
  /** 1 now, 1/e thirty days ago. */
  readonly recency: number
  readonly importance: number
}

export interface Findings {
  readonly found: readonly FoundContent[]
  /** The number of candidates. */
  readonly candidates: number
  /** Something was asked, and no candidate is likely to be about it; nor is an entity named that is known. */
  readonly is_nothing: boolean
}

const list_max = 200
/** How many are considered for each list. */
const considered_max = 400
/** Sharing only a query's common words, such as a name in every turn, is no hit. */
const telling_min = 0.4
const weights = { lexical: 1, vector: 1, graph: 0.5, hops: 0.5 }
const similarity_min_default = 0.15
/** How much of the score the covered words decide: they settle the first places, and lift no weak hit far. */
const word_weight = 0.3
const recency_ms = 30 * 86_400_000

/** Best first, at most `found_max`. Filters apply before ranking. */
export async function searchContents(
  context: Searching,
  { text, similarity_min = similarity_min_default }: Question,
  choice: Choice,
  found_max: number,
): Promise<Findings> {
  const wording = readWording(text)
  const [question_vector] = await embedQuestion(context, wording.words)
  const ready = await catchUp(context, wording)
  const { index } = ready
  const searched = chooseSlots(index, choice)
  const unwanted = slotsWith(index.words, ready.without)
  for (const slot of unwanted) if (searched.allowed[slot]) searched.allowed[slot] = 0
  const words = shareAmongNeighbours(index, rankByWords(index.words, ready.lexemes, searched, considered_max))
  const telling = words.filter(({ score }) => score >= words[0]!.score * telling_min).slice(0, list_max)
  const alike = question_vector
    ? rankByVector(index.vectors, question_vector, searched.allowed, similarity_min, considered_max)
    : []
  const near = shareAmongNeighbours(index, alike).slice(0, list_max)
  const lexical = await phrasesFirst(context, index, wording.phrases, telling)
  const vector = near.map(({ slot }) => slot)
  const graph = await graphSlots(context, ready, wording.words, searched.allowed)
  const covered = coverageOf(index.words, ready.lexemes, searched)
  const judge = (slot: number) => relevanceOf(index.vectors, covered, question_vector, slot)
  const lists = { lexical, vector, graph, hops: [] }
  const first = fuse(context, index, lists, judge, found_max)
  if (first.is_nothing) return first
  const starts = first.found.map(({ ref }) => index.slot_of.get(ref)!)
  const nearness = (slot: number) => Math.max(judge(slot).coverage, judge(slot).relevance)
  const hops = await rankByHops(context, starts, { index, searched, question: ready.lexemes, nearness })
  return fuse(context, index, { ...lists, hops }, judge, found_max)
}

/** Everything that matches the filters, by time of the event. */
export async function listContents(
  context: Searching,
  choice: Choice,
  { order, found_max }: { readonly order: 'newest' | 'oldest'; readonly found_max: number },
): Promise<Findings> {
  const { index } = await catchUp(context, { words: '', phrases: [], without: [] })
  const { allowed, allowed_count } = chooseSlots(index, choice)
  const { occurred_ms } = index.columns
  const slots: number[] = []
  for (let slot = 0; slot < allowed.length; slot++) if (allowed[slot]) slots.push(slot)
  const sign = order === 'newest' ? -1 : 1
  slots.sort((one, other) => sign * (occurred_ms[one]! - occurred_ms[other]! || one - other))
  const ranks = { lexical_rank: null, vector_rank: null, graph_rank: null, hop_rank: null, ...unasked }
  const contents = slots.slice(0, found_max).map((slot) => ({ ...weigh(context, index, slot, 1), ...ranks }))
  return { found: contents, candidates: allowed_count, is_nothing: false }
}

/** Without a vector from the embedder, words alone are used. */
async function embedQuestion({ embedder, signal }: Searching, text: string): Promise<readonly Int8Array[]> {
  try {
    return await embedder.embed([text], signal)
  } catch {
    signal.throwIfAborted()
    return []
  }
}

/** Exact matches of a quoted phrase rank before matches of its words. */
async function phrasesFirst(
  { db, tenant_id }: Searching,
  { refs }: SearchIndex,
  phrases: readonly string[],
  ranked: readonly { readonly slot: number }[],
): Promise<number[]> {
  const slots = ranked.map(({ slot }) => slot)
  if (phrases.length === 0 || slots.length === 0) return slots
  const rows = await sql<{ ref: string }>`
    SELECT ref FROM content_index
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${slots.map((slot) => refs[slot]!)})
      AND NOT EXISTS (SELECT FROM unnest(${phrases}::text[]) AS phrase
        WHERE NOT lexemes @@ phraseto_tsquery('english', phrase))`.all(db)
  const having = new Set(rows.map(({ ref }) => ref))
  const has = (slot: number) => having.has(refs[slot]!)
  return [...slots.filter(has), ...slots.filter((slot) => !has(slot))]
}

async function graphSlots(
  context: Searching,
  { index, has_names }: Ready,
  text: string,
  allowed: Uint8Array,
): Promise<number[]> {
  if (!has_names) return []
  const slots: number[] = []
  for (const ref of await rankByGraph(context, text)) {
    const slot = index.slot_of.get(ref)
    if (slot !== undefined && allowed[slot]) slots.push(slot)
    if (slots.length === list_max) break
  }
  return slots
}

const unasked: Relevance = { relevance: 1, coverage: 0, similarity: 0 }

type Lists = Readonly<Record<keyof typeof weights, readonly number[]>>

function fuse(
  context: Searching,
  index: SearchIndex,
  lists: Lists,
  judge: (slot: number) => Relevance,
  found_max: number,
): Findings {
  const names = ['lexical', 'vector', 'graph', 'hops'] as const
  const fused = fuseRanks(names.map((name) => ({ weight: weights[name], ranked: lists[name] })))
  const places = names.map((name) => new Map(lists[name].map((slot, place) => [slot, place + 1])))
  const contents = Array.from(fused, ([slot, share]) => {
    const judged = judge(slot)
    return {
      ...weigh(context, index, slot, share * wordShare(judged)),
      ...judged,
      lexical_rank: places[0]!.get(slot) ?? null,
      vector_rank: places[1]!.get(slot) ?? null,
      graph_rank: places[2]!.get(slot) ?? null,
      hop_rank: places[3]!.get(slot) ?? null,
    }
  })
  contents.sort((one, other) => other.score - one.score || (one.ref < other.ref ? -1 : 1))
  // All or nothing: what stands beside a likely hit, or is linked with it, counts although its own words are others.
  const is_nothing = lists.graph.length === 0 && contents.every(({ relevance }) => relevance < nothing_below)
  return { found: contents.slice(0, found_max), candidates: contents.length, is_nothing }
}

/** Of equal ranks words weigh more than meaning: a name is in a text or is not, while a meaning is only near. */
function wordShare({ coverage, relevance }: Relevance): number {
  return 1 - word_weight + word_weight * Math.max(coverage, relevance)
}

function weigh({ now }: Searching, { columns, refs }: SearchIndex, slot: number, share: number) {
  const importance = columns.importance[slot]!
  const age_ms = Math.max(0, Date.parse(now) - columns.occurred_ms[slot]!)
  const recency = Math.exp(-age_ms / recency_ms)
  return { ref: refs[slot]!, score: share * (0.8 + 0.1 * recency + 0.1 * importance), recency, importance }
}
