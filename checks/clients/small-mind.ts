// MIND as far as a client needs it: the operations and fields of the real one, over a list in memory.
import { randomUUID } from 'node:crypto'
import { operation, type Protocol, protocol } from '@svc/contract/protocol'
import { AnyObject, Closed, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const Kind = OneOf('working', 'episodic', 'semantic', 'procedural')
const Share = Type.Number({ minimum: 0, maximum: 1 })
const triple = {
  subject: Text(200),
  predicate: Text(200),
  object: Text(200),
  valid_from: Type.Optional(Timestamp),
  valid_to: Type.Optional(Timestamp),
  confidence: Type.Optional(Share),
}
const Remembering = Closed({
  kind: Kind,
  payload: AnyObject,
  namespace: Type.Optional(Text(128)),
  text: Type.Optional(Text(32_768)),
  index: Type.Optional(
    Closed({ vector: Type.Optional(Type.Boolean()), graph: Type.Optional(Type.Boolean()) }),
  ),
  triples: Type.Optional(ListOf(Closed(triple), 0, 100)),
  occurred_at: Type.Optional(Timestamp),
  ttl_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 604_800 })),
  importance: Type.Optional(Share),
  confidence: Type.Optional(Share),
  source_ref: Type.Optional(Text(256)),
  dedupe: Type.Optional(Type.Boolean()),
})
const Recalling = Closed({
  predicate: Type.Object(
    {
      semantic: Type.Optional(
        Closed({ text: Text(2048), min_similarity: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })) }),
      ),
      structural: Type.Optional(AnyObject),
      temporal: Type.Optional(AnyObject),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  kinds: Type.Optional(ListOf(Kind, 1, 4)),
  namespace: Type.Optional(Text(128)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  include_inactive: Type.Optional(Type.Boolean()),
  explain: Type.Optional(Type.Boolean()),
  rerank: Type.Optional(OneOf('auto', 'never', 'always')),
})
const Relating = Closed({
  source: Text(256),
  target: Text(256),
  relation: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
  weight: Type.Optional(Share),
  valid_from: Type.Optional(Timestamp),
  valid_to: Type.Optional(Timestamp),
  bidirectional: Type.Optional(Type.Boolean()),
})
const Knowing = Closed({
  subject: Text(200),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  predicate: Type.Optional(Text(200)),
  object: Type.Optional(Text(200)),
  as_of: Type.Optional(Timestamp),
  known_at: Type.Optional(Timestamp),
  depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })),
  include_superseded: Type.Optional(Type.Boolean()),
  min_confidence: Type.Optional(Share),
  cursor: Type.Optional(Text(256)),
})

type Cell = Static<typeof Remembering> & { readonly memory_id: string; readonly stored_at: string }

export function smallMind(): Protocol {
  const cells: Cell[] = []
  const bonds = new Map<string, { association_id: string; weight: number }>()
  const plain = { level: 'L0', meters: ['seconds'], output: AnyObject } as const
  return protocol({
    id: 'MIND',
    version: 'v1.0.0',
    plane: 'cognition',
    estate: 'hybrid',
    rate: 'standard',
    category: 'svc-cognitive',
    summary: 'Memory, as far as a test of a client needs it.',
    operations: {
      store_memory: operation({
        ...plain,
        summary: 'Remember this.',
        effect: 'write',
        input: Remembering,
        example: { kind: 'working', payload: {} },
        handle(input, context) {
          const cell = { ...input, memory_id: randomUUID(), stored_at: context.now }
          cells.push(cell)
          return stored(cell)
        },
      }),
      recall_memory: operation({
        ...plain,
        summary: 'Say what is known that matters here.',
        effect: 'read',
        input: Recalling,
        example: { predicate: { semantic: { text: 'x' } } },
        handle: (input) => recall(cells, input),
      }),
      associate_memories: operation({
        ...plain,
        summary: 'Link these.',
        effect: 'write',
        input: Relating,
        example: { source: 'a', target: 'b', relation: 'causes' },
        handle({ source, target, relation, weight = 0.5 }) {
          const name = JSON.stringify([source, target, relation])
          const bond = bonds.get(name)
          const next = bond ? bond.weight + (1 - bond.weight) * 0.2 * weight : weight
          const kept = { association_id: bond?.association_id ?? randomUUID(), weight: next }
          bonds.set(name, kept)
          return { ...kept, reinforced: bond !== undefined, created: bond === undefined }
        },
      }),
      query_knowledge: operation({
        ...plain,
        summary: 'Say the facts about a subject.',
        effect: 'read',
        input: Knowing,
        example: { subject: 'x' },
        handle: (input) => know(cells, input),
      }),
    },
  })
}

function stored({ memory_id, triples = [] }: Cell) {
  return {
    memory_id,
    ref: `mind://cell/${memory_id}`,
    version: 1,
    content_commitment: 'sha256:0',
    indexed: { vector: true, graph: true, lexical: true },
    triples_added: triples.length,
    superseded: [],
  }
}

/** By the words that question and memory share. */
function recall(
  cells: readonly Cell[],
  { predicate, namespace = 'default', limit = 10 }: Static<typeof Recalling>,
) {
  const words = wordsOf(predicate.semantic?.text ?? '')
  const found = cells
    .filter((cell) => (cell.namespace ?? 'default') === namespace)
    .map((cell) => ({
      cell,
      shared: wordsOf(JSON.stringify(cell.payload)).filter((word) => words.includes(word)),
    }))
    .filter(({ shared }) => shared.length > 0)
    .sort((a, b) => b.shared.length - a.shared.length)
  const memories = found.slice(0, limit).map(({ cell, shared }) => ({
    memory_id: cell.memory_id,
    kind: cell.kind,
    payload: cell.payload,
    score: shared.length / words.length,
    version: 1,
    occurred_at: cell.occurred_at ?? cell.stored_at,
    confidence: cell.confidence ?? 1,
  }))
  return { memories, total_candidates: found.length, path: 'protocol' }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? []
}

function know(cells: readonly Cell[], { subject, limit = 20 }: Static<typeof Knowing>) {
  const facts = cells.flatMap(({ triples = [], memory_id, stored_at }) =>
    triples
      .filter((fact) => fact.subject === subject)
      .map((fact) => ({
        confidence: 1,
        valid_from: null,
        valid_to: null,
        ...fact,
        fact_id: randomUUID(),
        recorded_at: stored_at,
        source_ref: `mind://cell/${memory_id}`,
        status: 'current',
      })),
  )
  const entity = facts.length > 0 ? { id: `e:${subject}`, label: subject, type: null, aliases: [] } : null
  return { entity, facts: facts.slice(0, limit), truncated: facts.length > limit }
}
