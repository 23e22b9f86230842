import { protocol } from '@svc/contract/protocol'
import { detect } from './metric-detect.ts'
import { query } from './metric-query.ts'

export const motif = protocol({
  id: 'MOTIF',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'What was measured over time, what repeats in it and what broke.',

  operations: { query, detect },
})
