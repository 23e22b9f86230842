// An agent's working memory over the protocol MIND: remember, recall, relate, know.
import type {
  MindAssociateMemoriesInput,
  MindAssociateMemoriesOutput,
  MindQueryKnowledgeInput,
  MindQueryKnowledgeOutput,
  MindRecallMemoryInput,
  MindRecallMemoryOutput,
  MindStoreMemoryInput,
  MindStoreMemoryOutput,
} from '../../generated/sdk-types.ts'
import type { CallOptions } from './call-options.ts'
import type { DispatchClient } from './client.ts'

/** `working` fades within hours, `episodic` happened, `semantic` is so, `procedural` says how. */
export type MemoryKind = MindStoreMemoryInput['kind']

/** A fact stated by a memory. */
export type Triple = NonNullable<MindStoreMemoryInput['triples']>[number]

/** Options of remember; default `working` in the memory's own namespace. */
export type Remembering = Partial<Omit<MindStoreMemoryInput, 'payload'>>

/** A stored memory. */
export type Remembered = MindStoreMemoryOutput

/** The criteria of recall, all of which must match; at least one is required. */
export type Predicate = MindRecallMemoryInput['predicate']

/** Options of recall. */
export type Recalling = Omit<MindRecallMemoryInput, 'predicate'>

/** One recalled memory. */
export type Memory = MindRecallMemoryOutput['memories'][number]

/** The result of recall. */
export type Recalled = MindRecallMemoryOutput

/** The kind of relation between two memories. */
export type Relating = Omit<MindAssociateMemoriesInput, 'source' | 'target' | 'relation'>

/** A relation between two memories. */
export type Related = MindAssociateMemoriesOutput

/** Options of know. */
export type Knowing = Omit<MindQueryKnowledgeInput, 'subject'>

/** The subject of facts. */
export type Entity = NonNullable<MindQueryKnowledgeOutput['entity']>

/** One fact: when it was true, and since when it is known. */
export type Fact = MindQueryKnowledgeOutput['facts'][number]

/** What is known about a subject. */
export type Known = MindQueryKnowledgeOutput

/** The memory of one agent, or of one task of it. */
export interface WorkingMemory {
  /** Stores a text or any JSON value. */
  remember(what: string | Record<string, unknown>, how?: Remembering, call?: CallOptions): Promise<Remembered>
  /** Relevant memories, best first: by the meaning of a text, or by further criteria. */
  recall(what: string | Predicate, how?: Recalling, call?: CallOptions): Promise<Recalled>
  /** Relates two memories; repeating it strengthens the relation. */
  relate(
    source: string,
    relation: string,
    target: string,
    how?: Relating,
    call?: CallOptions,
  ): Promise<Related>
  /** The facts about a subject, by name, alias or id; empty if it is unknown. */
  know(subject: string, how?: Knowing, call?: CallOptions): Promise<Known>
}

/**
 * A working memory over a client. Namespaces do not evict each other's memories.
 *
 * @example
 * ```ts
 * import { createClient, createWorkingMemory } from '@svc/sdk'
 *
 * const memory = createWorkingMemory(createClient(), { namespace: 'night-shift' })
 * const triples = [{ subject: 'Night shift', predicate: 'waits_for', object: 'Acme' }]
 * const late = await memory.remember('The supplier Acme delivers two days late', { kind: 'semantic', triples })
 * const order = await memory.remember({ order: 17, supplier: 'Acme' })
 * await memory.relate(order.ref, 'depends_on', late.ref)
 * const { memories } = await memory.recall('which deliveries are late?', { limit: 3 })
 * const { facts } = await memory.know('Night shift')
 * console.log(memories[0]?.payload.text, facts[0]?.object)
 * ```
 *
 * ```output
 * The supplier Acme delivers two days late Acme
 * ```
 */
export function createWorkingMemory(
  client: Pick<DispatchClient, 'dispatch'>,
  { namespace = 'default' }: { namespace?: string } = {},
): WorkingMemory {
  // An engine without MIND refuses by itself.
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
