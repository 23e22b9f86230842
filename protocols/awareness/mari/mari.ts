import { protocol } from '@svc/contract/protocol'
import { inquire } from './inquire.ts'
import { synthesize } from './synthesize.ts'

export const mari = protocol({
  id: 'MARI',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-cognitive',
  summary:
    'Research: questions answered from what the organization keeps, with a citation for every sentence.',

  operations: { inquire, synthesize },
})
