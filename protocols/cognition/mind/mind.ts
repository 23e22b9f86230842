import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { AssociateInput, AssociateMemoriesOutput, associate } from './associate-memories.ts'
import { FusionAnswer, FusionRequest } from './fusion-input.ts'
import { deadline_ms_max, fuseSources } from './fusion-request.ts'
import { KnowledgeInput, QueryKnowledgeOutput, queryKnowledge } from './query-knowledge.ts'
import { RecallInput } from './recall-input.ts'
import { RecallOutput, recallMemory } from './recall-memory.ts'
import { StoreInput, StoreOutput, storeMemory } from './store-memory.ts'

const late_pumps: StoreInput = {
  kind: 'episodic',
  payload: { text: 'The supplier Acme said that the pumps arrive two days late.' },
  occurred_at: '2026-11-16T09:30:00Z',
  triples: [{ subject: 'Acme', predicate: 'delivers', object: 'pumps' }],
}
const line_stop = {
  kind: 'episodic',
  payload: { text: 'Assembly line 2 stood still for a day: it had no pumps.' },
}
const late_pumps_ref = 'mind://cell/0199f3b0-5c1e-7c3a-9d2e-6f1b2a3c4d5e'
const line_stop_ref = 'mind://cell/0199f3b4-7d20-7b11-8c45-3e9d5a6f7b80'

export const mind = protocol({
  id: 'MIND',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Memory of an organization: working, episodic, semantic and procedural.',

  operations: {
    store_memory: operation({
      summary: 'Store a memory.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 5_000,
      needs: ['embedder', 'vault'],
      input: StoreInput,
      output: StoreOutput,
      example: late_pumps,
      handle: storeMemory,
    }),
    recall_memory: operation({
      summary: 'Recall memories by words, meaning, structure and time.',
      effect: 'read',
      reveals: true,
      level: 'L0',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms: 5_000,
      // For a model that orders twenty memories; without a model nothing is spent.
      budget_default: { tokens: 10_000, deadline_ms: 5_000 },
      needs: ['embedder', 'engine', 'model', 'tokens', 'vault'],
      input: RecallInput,
      output: RecallOutput,
      scene: [{ call: 'MIND.store_memory', input: late_pumps }],
      example: { predicate: { semantic: { text: 'which deliveries are late?' } }, limit: 3 },
      handle: recallMemory,
    }),
    associate_memories: operation({
      summary: 'Link two memories; linking them again strengthens the link.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 5_000,
      input: AssociateInput,
      output: AssociateMemoriesOutput,
      scene: [
        { call: 'MIND.store_memory', input: late_pumps, answer: { ref: late_pumps_ref } },
        { call: 'MIND.store_memory', input: line_stop, answer: { ref: line_stop_ref } },
      ],
      example: { source: late_pumps_ref, target: line_stop_ref, relation: 'causes' },
      handle: associate,
    }),
    query_knowledge: operation({
      summary: 'Facts about a subject, as valid at one time and as known at another.',
      effect: 'read',
      reveals: true,
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 5_000,
      needs: ['vault'],
      input: KnowledgeInput,
      output: QueryKnowledgeOutput,
      scene: [
        {
          call: 'MIND.store_memory',
          input: {
            kind: 'semantic',
            payload: { text: 'Ines Vargas leads Acme since January.' },
            triples: [
              {
                subject: 'Acme',
                predicate: 'ceo',
                object: 'Ines Vargas',
                valid_from: '2026-01-01T00:00:00Z',
              },
            ],
          },
        },
      ],
      example: { subject: 'Acme', predicate: 'ceo', as_of: '2026-02-15T00:00:00Z', limit: 20 },
      handle: queryKnowledge,
    }),
    fusion_request: operation({
      summary: 'Fuse the statements of several sources into one consistent set of facts.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens'],
      rate_cost: 10,
      deadline_ms: deadline_ms_max,
      secret_output: true,
      needs: ['compute', 'embedder', 'lineages', 'tokens', 'vault'],
      input: FusionRequest,
      output: FusionAnswer,
      example: {
        sources: [
          {
            source_did: stand_ins.did,
            facts: [{ subject: 'Pump 7', predicate: 'pressure_bar', object: 4.2, confidence: 0.9 }],
          },
          {
            source_did: `did:oas:acme:agent:${'7f'.repeat(32)}`,
            facts: [{ subject: 'Pump 7', predicate: 'pressure_bar', object: 4.2 }],
          },
          {
            source_did: `did:oas:acme:agent:${'9b'.repeat(32)}`,
            facts: [{ subject: 'Pump 7', predicate: 'pressure_bar', object: 6.8 }],
          },
        ],
        min_confidence: 0.5,
      },
      handle: fuseSources,
    }),
  },
})
