// What an agent keeps in mind, over the protocol MIND: remember, recall, relate, know.
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

/** A fact as a memory states it. */
export type Triple = NonNullable<MindStoreMemoryInput['triples']>[number]

/** How something is remembered; `working` in the memory's own namespace where nothing else is said. */
export type Remembering = Partial<Omit<MindStoreMemoryInput, 'payload'>>

/** A memory that was kept. */
export type Remembered = MindStoreMemoryOutput

/** What a memory must be to be recalled: everything that is given, at least one. */
export type Predicate = MindRecallMemoryInput['predicate']

/** How to look. */
export type Recalling = Omit<MindRecallMemoryInput, 'predicate'>

/** One memory that was found. */
export type Memory = MindRecallMemoryOutput['memories'][number]

/** What a question brought up. */
export type Recalled = MindRecallMemoryOutput

/** How two memories belong together. */
export type Relating = Omit<MindAssociateMemoriesInput, 'source' | 'target' | 'relation'>

/** A bond between two memories. */
export type Related = MindAssociateMemoriesOutput

/** Which facts to ask for. */
export type Knowing = Omit<MindQueryKnowledgeInput, 'subject'>

/** Somebody or something that facts are about. */
export type Entity = NonNullable<MindQueryKnowledgeOutput['entity']>

/** One fact: when it was so, and since when it is known. */
export type Fact = MindQueryKnowledgeOutput['facts'][number]

/** What is known about a subject. */
export type Known = MindQueryKnowledgeOutput

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
