import { protocol } from '@svc/contract/protocol'
import { trace } from './trace.ts'

export const magi = protocol({
  id: 'MAGI',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'agent',
  rate: 'heavy',
  category: 'svc-cognitive',
  summary:
    'Why something happened: followed to its root through the signed book, with what would have changed it.',

  operations: { trace },
})
