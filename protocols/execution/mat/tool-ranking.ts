// Ranks tools for a query: by shared words, by meaning, then both combined.

import type { ToolDefinition } from '@svc/contract/foreign/tools'
import { cosine } from '@svc/contract/needs/embedding'
import type { OperationContext } from '@svc/contract/operation-context'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { fuseRanks } from '../../cognition/search/api.ts'

const description_length_max = 2_000
const vectors_max = 10_000
const words_max = 400
const name_weight = 3
/** Below this similarity a tool is unrelated to the query. */
const near_min = 0.25
/** Hashes, keys and the like: a table of words finds them similar to anything. */
const meaningless = /\p{L}*\p{N}[\p{L}\p{N}]{7,}|\p{L}{25,}/gu

interface Rankable {
  readonly tool_id: string
  readonly definition: ToolDefinition
}

/** By embedder and text: the same text has the same vector for all tenants. */
const vectors = new Map<string, Int8Array>()

/** Only related tools. */
export async function rankTools<Tool extends Rankable>(
  query: string,
  tools: readonly Tool[],
  context: Pick<OperationContext<'embedder'>, 'embedder' | 'signal'>,
): Promise<Tool[]> {
  const by_words = rankByWords(query, tools)
  const texts = tools.map(textOf)
  const [query_vector, ...tool_vectors] = await embedAll(
    [query.replaceAll(meaningless, ' ').trim(), ...texts],
    context,
  )
  const near = tools
    .map((tool, place) => ({ tool, nearness: cosine(query_vector!, tool_vectors[place]!) }))
    .filter(({ nearness }) => nearness > near_min)
    .sort((a, b) => b.nearness - a.nearness || order(a.tool, b.tool))
    .map(({ tool }) => tool)
  const scores = fuseRanks([
    { weight: 1, ranked: by_words },
    { weight: 1, ranked: near },
  ])
  return [...scores].sort(([a, x], [b, y]) => y - x || order(a, b)).map(([tool]) => tool)
}

/** Rare words weigh more than common ones; words in the name weigh most. */
function rankByWords<Tool extends Rankable>(query: string, tools: readonly Tool[]): Tool[] {
  const read = tools.map((tool) => ({
    tool,
    name: wordsOf(tool.tool_id),
    said: wordsOf(tool.definition.description.slice(0, description_length_max)),
  }))
  const scores = new Map<Tool, number>()
  for (const word of wordsOf(query)) {
    const having = read.filter(({ name, said }) => name.has(word) || said.has(word))
    const weight = Math.log(1 + tools.length / (having.length || 1))
    for (const { tool, name, said } of having) {
      const word_weight = (name.has(word) ? name_weight : 0) + (said.has(word) ? 1 : 0)
      scores.set(tool, (scores.get(tool) ?? 0) + weight * word_weight)
    }
  }
  return [...scores].sort(([a, x], [b, y]) => y - x || order(a, b)).map(([tool]) => tool)
}

function order(a: Rankable, b: Rankable): number {
  return a.tool_id < b.tool_id ? -1 : a.tool_id > b.tool_id ? 1 : 0
}

function textOf({ tool_id, definition }: Rankable): string {
  const name = tool_id.slice(tool_id.indexOf(':') + 1).replaceAll(/[^A-Za-z0-9]+/g, ' ')
  return `${name} ${definition.description.slice(0, description_length_max)}`
}

/** `getWeather`, `get_weather` and "get weather" give the same words; plurals become singular. */
export function wordsOf(text: string): Set<string> {
  const parts = text
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  const words = parts.filter((part) => part.length > 1).slice(0, words_max)
  return new Set(words.map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word)))
}

async function embedAll(
  texts: readonly string[],
  { embedder, signal }: Pick<OperationContext<'embedder'>, 'embedder' | 'signal'>,
): Promise<Int8Array[]> {
  const keys = texts.map((text) => sha256Hex(`${embedder.id}\0${text}`))
  const missing = [...new Map(keys.map((key, place) => [key, texts[place]!])).entries()].filter(
    ([key]) => !vectors.has(key),
  )
  const made =
    missing.length === 0
      ? []
      : await embedder.embed(
          missing.map(([, text]) => text),
          signal,
        )
  const fresh = new Map(missing.map(([key], place) => [key, made[place]!]))
  const ordered = keys.map((key) => fresh.get(key) ?? vectors.get(key)!)
  // Stored only after all were found: eviction must not remove what is being looked up.
  for (const [key, vector] of fresh) vectors.set(key, vector)
  for (const oldest of vectors.keys()) {
    if (vectors.size <= vectors_max) break
    vectors.delete(oldest)
  }
  return ordered
}
