// The second hop: a memory that names the same person, firm or thing as one of the best hits, though the question does
// not name it. "Where does the head of Acme live?" finds "Ines leads Acme", and through Ines where she lives.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import type { SearchIndex } from './search-index.ts'
import { type Lexeme, readLexemes } from './search-lexemes.ts'
import type { Ranked, Searched } from './search-words.ts'

const starts_max = 8
const text_read_max = 2_000
const bridges_max = 64
const hops_max = 50
/** A name in more memories than this leads nowhere in particular; at least a few, at most a share of all. */
const bridged_min = 8
const bridged_share = 0.02
/** What a memory gets that shares the name alone, and nothing with the question. */
const bare = 0.2

interface Hopping {
  readonly index: SearchIndex
  readonly searched: Searched
  readonly question: readonly Lexeme[]
  /** How far a memory is itself about the question, 0 to 1. */
  readonly nearness: (slot: number) => number
}

/** Memories one name away from the best hits, the likeliest first. */
export async function rankByHops(
  context: Pick<OperationContext, 'db' | 'tenant_id'>,
  starts: readonly number[],
  { index, searched, question, nearness }: Hopping,
): Promise<number[]> {
  const first = starts.slice(0, starts_max)
  const names = await namesIn(context, index, first)
  const is_asked = new Set(question.map(({ word }) => word))
  const { allowed, allowed_count } = searched
  const bridged_max = Math.max(bridged_min, allowed_count * bridged_share)
  const scores = new Map<number, number>()
  for (const [place, start] of first.entries())
    for (const { word } of (names.get(index.refs[start]!) ?? []).slice(0, bridges_max)) {
      const slots = is_asked.has(word) ? [] : slotsWithTerm(index, word, allowed)
      if (slots.length < 2 || slots.length > bridged_max) continue
      const share = Math.log(1 + allowed_count / slots.length) / (place + 1)
      for (const slot of slots)
        if (slot !== start) scores.set(slot, Math.max(scores.get(slot) ?? 0, share * (bare + nearness(slot))))
    }
  const ranked: Ranked[] = Array.from(scores, ([slot, score]) => ({ slot, score }))
  ranked.sort((one, other) => other.score - one.score || one.slot - other.slot)
  return ranked.slice(0, hops_max).map(({ slot }) => slot)
}

/** Words with a capital or a digit, as PostgreSQL stems them. */
async function namesIn(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  { refs }: SearchIndex,
  slots: readonly number[],
): Promise<Map<string, Lexeme[]>> {
  if (slots.length === 0) return new Map()
  const rows = await sql<{ ref: string; names: string }>`
    SELECT ref, to_tsvector('english', coalesce((SELECT string_agg(word[1], ' ')
      FROM regexp_matches(left(text, ${text_read_max}), '\\m([[:upper:]][[:alnum:]]+|[[:alpha:]]*[[:digit:]][[:alnum:]]*)', 'g')
        AS word), ''))::text AS names
    FROM content_index
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${slots.map((slot) => refs[slot]!)}) AND present`.all(db)
  return new Map(rows.map(({ ref, names }) => [ref, readLexemes(names)]))
}

function slotsWithTerm({ words }: SearchIndex, word: string, allowed: Uint8Array): number[] {
  const term = words.terms.get(word)
  if (term === undefined) return []
  const slots: number[] = []
  const places = words.postings[term]!
  for (let at = 0; at < words.sizes[term]!; at += 2) if (allowed[places[at]!]) slots.push(places[at]!)
  return slots
}
