import type { OperationContext } from '@svc/contract/operation-context'
import { AnyObject, Closed, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
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
  memory_id: Text(256),
  kind: MemoryKind,
  payload: AnyObject,
  score: Share,
  version: Type.Integer({ minimum: 1 }),
  occurred_at: Timestamp,
  confidence: Share,
  why: Type.Optional(
    Closed({ lexical_rank: Rank, vector_rank: Rank, graph_rank: Rank, recency: Share, importance: Share }),
  ),
})
export const RecallOutput = Closed({
  memories: ListOf(Memory, 0, 100),
  total_candidates: Type.Integer({ minimum: 0 }),
  path: OneOf('protocol', 'agent'),
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
  const { found, candidates } = await find(input, context, Math.max(limit, ordered_max) + spare)
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
  return { memories, total_candidates: candidates, path }
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
  const { lexical_rank, vector_rank, graph_rank, recency, importance } = found
  return {
    memory_id: memoryIdOf(cell.ref),
    kind: cell.kind as Static<typeof MemoryKind>,
    payload: cell.body as Record<string, unknown>,
    score: found.score,
    version: cell.version,
    occurred_at: cell.occurred_at.toISOString(),
    confidence: cell.confidence,
    ...(explain ? { why: { lexical_rank, vector_rank, graph_rank, recency, importance } } : {}),
  }
}
