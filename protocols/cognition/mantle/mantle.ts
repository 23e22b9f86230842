import { protocol } from '@svc/contract/protocol'
import { consolidate } from './consolidate.ts'

export const mantle = protocol({
  id: 'MANTLE',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Consolidation: what happened often enough becomes knowledge, what nobody needs recedes.',

  operations: { consolidate },
})
