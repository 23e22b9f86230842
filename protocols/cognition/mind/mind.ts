import { protocol } from '@svc/contract/protocol'
import { associate_memories } from './associate-memories.ts'
import { fusion_request } from './fusion-request.ts'
import { query_knowledge } from './query-knowledge.ts'
import { recall_memory } from './recall-memory.ts'
import { store_memory } from './store-memory.ts'

export const mind = protocol({
  id: 'MIND',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-cognitive',
  summary:
    'Memory: what an organization has in mind, what happened, what it holds to be true, and how things are done.',

  operations: { store_memory, recall_memory, associate_memories, query_knowledge, fusion_request },
})
