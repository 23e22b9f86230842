import { principalsOf } from '@svc/contract/identity/principals'
import type { OperationContext } from '@svc/contract/operation-context'
import { AnyObject, Closed, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  MemoryKind,
  memory_kinds,
  memoryIdOf,
  noteAccess,
  type ReadCell,
  readCells,
  Share,
} from '../cells/api.ts'
import { type FoundContent, listContents, searchContents } from '../search/api.ts'
import { chooseRefs } from './cell-choice.ts'
import { type RecallInput, refuseOddRecall } from './recall-input.ts'
import { orderByModel } from './recall-order.ts'

const limit_default = 10
/** Extra rows to read, to replace those redacted a moment ago. */
const spare = 8
const ordered_max = 20

const Rank = Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])
const Memory = Closed({
  memory_id: Text(256, { description: 'Names the memory.' }),
  kind: MemoryKind,
  payload: described(AnyObject, 'What was remembered.'),
  score: described(Share, 'Its place in this order, 0 to 1; says nothing of whether it answers.'),
  relevance: described(
    Share,
    'How likely it is about the question; below 0.5 rather not. 1 if nothing was asked.',
  ),
  version: Type.Integer({ minimum: 1, description: 'Grows with each edit.' }),
  occurred_at: described(Timestamp, 'When it happened.'),
  confidence: described(Share, 'How sure it is, 0 to 1.'),
  why: Type.Optional(
    Closed(
      {
        lexical_rank: described(Rank, 'Place among matches by words; null: not among them.'),
        vector_rank: described(Rank, 'Place among matches by meaning; null: not among them.'),
        graph_rank: described(Rank, 'Place among matches by links and facts; null: not among them.'),
        hop_rank: described(Rank, 'Place among those named by the best matches; null: not among them.'),
        coverage: described(Share, 'How much of what the question says its words cover, 0 to 1.'),
        similarity: described(Share, 'How near its meaning is, 0 to 1.'),
        recency: described(Share, '1 for new, falling over a month.'),
        importance: described(Share, 'As it was stored, 0 to 1.'),
      },
      { description: 'Parts of the score; with explain.' },
    ),
  ),
})
export const RecallOutput = Closed({
  memories: described(ListOf(Memory, 0, 100), 'The best matches, best first.'),
  total_candidates: Type.Integer({ minimum: 0, description: 'How many matched before limit.' }),
  nothing_found: Type.Boolean({
    description: 'True: no memory that you may read fits, or none is likely to be about the question.',
  }),
  path: described(OneOf('protocol', 'agent'), 'agent: a model reordered them.'),
})

interface Recalled {
  readonly cell: ReadCell
  readonly found: FoundContent
}

export async function recallMemory(
  input: RecallInput,
  context: OperationContext<'embedder' | 'engine' | 'model' | 'tokens' | 'vault'>,
): Promise<Static<typeof RecallOutput>> {
  context.takePath('protocol')
  refuseOddRecall(input)
  const { predicate, limit = limit_default } = input
  const { found, candidates } = await findRelevant(input, context, Math.max(limit, ordered_max) + spare)
  const cells = await readCells(
    context,
    found.slice(0, limit + spare).map(({ ref }) => ref),
    predicate.temporal,
  )
  const recalled = found.flatMap((one) => {
    const cell = cells.get(one.ref)
    return cell ? [{ cell, found: one }] : []
  })
  const { ordered, path } = await order(input, context, recalled)
  const memories = ordered.slice(0, limit).map((one) => tell(one, input.explain === true))
  noteAccess(
    context,
    ordered.slice(0, limit).map(({ cell }) => cell.ref),
  )
  return { memories, total_candidates: candidates, nothing_found: memories.length === 0, path }
}

/** Nothing at all rather than the nearest of what is not about the question. */
async function findRelevant(
  input: RecallInput,
  context: OperationContext<'embedder' | 'engine' | 'vault'>,
  found_max: number,
) {
  const { found, candidates, is_nothing } = await find(input, context, found_max)
  if (is_nothing) return { found: [], candidates: 0 }
  const { min_relevance = 0 } = input
  return { found: found.filter(({ relevance }) => relevance >= min_relevance), candidates }
}

async function find(
  input: RecallInput,
  context: OperationContext<'embedder' | 'engine' | 'vault'>,
  found_max: number,
) {
  const { predicate, namespace, kinds = memory_kinds, include_inactive = false } = input
  const { semantic, structural, temporal } = predicate
  const choice = {
    kinds,
    namespace,
    principals: principalsOf(context.caller),
    active_at_ms: include_inactive ? undefined : Date.parse(context.now),
    from_ms: msOf(temporal?.from),
    to_ms: msOf(temporal?.to),
    refs: await chooseRefs(context, kinds, structural, temporal),
  }
  if (!semantic) return await listContents(context, choice, { order: temporal?.order ?? 'newest', found_max })
  const { text, min_similarity: similarity_min } = semantic
  return await searchContents(context, { text, similarity_min }, choice, found_max)
}

function msOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time)
}

/** If the best two are nearly equal a model may be asked; only its order is used. */
async function order(
  { predicate: { semantic }, rerank = 'auto' }: RecallInput,
  context: OperationContext<'model' | 'tokens'>,
  recalled: readonly Recalled[],
): Promise<{ ordered: readonly Recalled[]; path: 'protocol' | 'agent' }> {
  const { model } = context
  const unsure = rerank === 'always' || (rerank === 'auto' && isAmbiguous(recalled))
  if (!semantic || !model || !unsure || recalled.length < 2) return { ordered: recalled, path: 'protocol' }
  context.takePath('agent')
  const first = recalled.slice(0, ordered_max)
  const texts = first.map(({ cell }) => cell.index?.text ?? JSON.stringify(cell.body))
  const places = await orderByModel(context, model, semantic.text, texts, rerank === 'always')
  // Scores stay in place, so that the first still has the best.
  const ordered = places.map((place, at) => ({
    cell: first[place]!.cell,
    found: { ...first[place]!.found, score: first[at]!.found.score },
  }))
  return { ordered: [...ordered, ...recalled.slice(ordered_max)], path: 'agent' }
}

const ambiguous_share = 0.05

function isAmbiguous(recalled: readonly Recalled[]): boolean {
  const [best, second] = recalled
  if (!best || !second) return false
  return (best.found.score - second.found.score) / best.found.score < ambiguous_share
}

function tell({ cell, found }: Recalled, explain: boolean): Static<typeof Memory> {
  const { lexical_rank, vector_rank, graph_rank, hop_rank, recency, importance } = found
  const near = { coverage: round(found.coverage), similarity: round(found.similarity) }
  return {
    memory_id: memoryIdOf(cell.ref),
    kind: cell.kind as Static<typeof MemoryKind>,
    payload: cell.body as Record<string, unknown>,
    score: found.score,
    relevance: round(found.relevance),
    version: cell.version,
    occurred_at: cell.occurred_at.toISOString(),
    confidence: cell.confidence,
    ...(explain
      ? { why: { lexical_rank, vector_rank, graph_rank, hop_rank, ...near, recency, importance } }
      : {}),
  }
}

function round(share: number): number {
  return Math.round(Math.min(1, share) * 1e4) / 1e4
}
