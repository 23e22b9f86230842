// What an agent keeps in mind, over the protocol MIND: remember, recall, relate, know.
import type { CallOptions } from './call-options.ts'
import type { DispatchClient } from './client.ts'

/** `working` fades within hours, `episodic` happened, `semantic` is so, `procedural` says how. */
export type MemoryKind = 'working' | 'episodic' | 'semantic' | 'procedural'

/** A fact as a memory states it. */
export interface Triple {
  subject: string
  predicate: string
  object: string
  valid_from?: string
  valid_to?: string
  confidence?: number
}

/** How something is remembered; `working` in the memory's own namespace where nothing else is said. */
export interface Remembering {
  kind?: MemoryKind
  namespace?: string
  /** What to find it by; the texts of the payload where absent. */
  text?: string
  index?: { vector?: boolean; graph?: boolean }
  triples?: readonly Triple[]
  /** When it happened; only for what did. */
  occurred_at?: string
  /** How long a working memory lasts; an hour where absent. */
  ttl_seconds?: number
  importance?: number
  confidence?: number
  source_ref?: string
  /** Whether the same knowledge twice is kept once. */
  dedupe?: boolean
}

/** A memory that was kept. */
export interface Remembered {
  memory_id: string
  ref: string
  version: number
  content_commitment: string
  indexed: { vector: boolean; graph: boolean; lexical: boolean }
  triples_added: number
  superseded: string[]
  /** The memory that said the same already. */
  duplicate_of?: string
}

/** What a memory must be to be recalled: everything that is given, at least one. */
export interface Predicate {
  semantic?: { text: string; min_similarity?: number }
  structural?: {
    match?: Record<string, unknown>
    jsonpath?: string
    entity?: string
    linked_to?: string
    relation?: string
    hops?: number
  }
  temporal?: { from?: string; to?: string; as_of?: string; known_at?: string; order?: 'newest' | 'oldest' }
}

/** How to look. */
export interface Recalling {
  kinds?: readonly MemoryKind[]
  namespace?: string
  limit?: number
  /** Also what has faded or was pushed out. */
  include_inactive?: boolean
  /** Says of each memory why it was found. */
  explain?: boolean
  rerank?: 'auto' | 'never' | 'always'
}

/** One memory that was found. */
export interface Memory {
  memory_id: string
  kind: MemoryKind
  payload: Record<string, unknown>
  /** 0 to 1; the best first. */
  score: number
  version: number
  occurred_at: string
  confidence: number
  why?: {
    lexical_rank?: number | null
    vector_rank?: number | null
    graph_rank?: number | null
    recency?: number
    importance?: number
  }
}

/** What a question brought up. */
export interface Recalled {
  memories: Memory[]
  total_candidates: number
  /** `agent` where a model had to put them in order. */
  path: 'protocol' | 'agent'
}

/** How two memories belong together. */
export interface Relating {
  weight?: number
  valid_from?: string
  valid_to?: string
  bidirectional?: boolean
}

/** A bond between two memories. */
export interface Related {
  association_id: string
  weight: number
  /** True where the two were related so already; the bond is stronger now. */
  reinforced: boolean
  created: boolean
}

/** Which facts to ask for. */
export interface Knowing {
  limit?: number
  predicate?: string
  object?: string
  /** What was so at that time. */
  as_of?: string
  /** What was known at that time. */
  known_at?: string
  depth?: number
  include_superseded?: boolean
  min_confidence?: number
  cursor?: string
}

/** Somebody or something that facts are about. */
export interface Entity {
  id: string
  label: string
  type: string | null
  aliases: string[]
}

/** One fact: when it was so, and since when it is known. */
export interface Fact {
  fact_id: string
  subject: string
  predicate: string
  object: string
  valid_from: string | null
  valid_to: string | null
  recorded_at: string
  superseded_at?: string | null
  confidence: number
  source_ref: string | null
  status: 'current' | 'superseded' | 'contested'
}

/** What is known about a subject. */
export interface Known {
  entity: Entity | null
  /** Who may be meant, where the name fits more than one; then there are no facts. */
  candidates?: Entity[]
  facts: Fact[]
  truncated: boolean
  cursor?: string | null
}

/** The memory of one agent, or of one task of it. */
export interface WorkingMemory {
  /** Keeps a text, or anything that is JSON. */
  remember(what: string | Record<string, unknown>, how?: Remembering, call?: CallOptions): Promise<Remembered>
  /** What matters here, the best first: by a text's meaning, or by more than that. */
  recall(what: string | Predicate, how?: Recalling, call?: CallOptions): Promise<Recalled>
  /** Binds two memories; again, and the bond grows stronger. */
  relate(
    source: string,
    relation: string,
    target: string,
    how?: Relating,
    call?: CallOptions,
  ): Promise<Related>
  /** The facts about a subject, by its name, alias or id. An unknown one has none; that is no error. */
  know(subject: string, how?: Knowing, call?: CallOptions): Promise<Known>
}

/**
 * A working memory over a client. Memories of one namespace do not push out those of another.
 *
 * @example
 * ```ts
 * import { createClient, createWorkingMemory } from '@svc/sdk'
 *
 * const memory = createWorkingMemory(createClient(), { namespace: 'night-shift' })
 * const late = await memory.remember('The supplier Acme delivers two days late', { kind: 'semantic' })
 * const order = await memory.remember({ order: 17, supplier: 'Acme' })
 * await memory.relate(order.ref, 'depends_on', late.ref)
 * const { memories } = await memory.recall('which deliveries are late?', { limit: 3 })
 * const { facts } = await memory.know('Acme')
 * console.log(memories.length, facts.length)
 * ```
 */
export function createWorkingMemory(
  client: Pick<DispatchClient, 'dispatch'>,
  { namespace = 'default' }: { namespace?: string } = {},
): WorkingMemory {
  // Any engine may be asked: one without MIND says so itself.
  const ask = async <Output>(operation: string, input: object, call?: CallOptions) =>
    (await client.dispatch('MIND' as string, operation, input, call)).output as Output
  return {
    remember(what, how = {}, call) {
      const payload = typeof what === 'string' ? { text: what } : what
      return ask('store_memory', { kind: 'working', namespace, payload, ...how }, call)
    },
    recall(what, how = {}, call) {
      const predicate = typeof what === 'string' ? { semantic: { text: what } } : what
      return ask('recall_memory', { namespace, predicate, ...how }, call)
    },
    relate(source, relation, target, how = {}, call) {
      return ask('associate_memories', { source, relation, target, ...how }, call)
    },
    know(subject, how = {}, call) {
      return ask('query_knowledge', { subject, ...how }, call)
    },
  }
}
