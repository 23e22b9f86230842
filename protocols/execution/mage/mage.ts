import { protocol } from '@svc/contract/protocol'
import { fetch } from './artifact-fetching.ts'
import { publish } from './artifact-publishing.ts'
import { draft } from './draft.ts'

export const mage = protocol({
  id: 'MAGE',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Artifacts: drafted in versions, published for good, and always with what they were made from.',

  operations: { draft, publish, fetch },
})
