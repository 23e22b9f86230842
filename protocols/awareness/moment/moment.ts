import { protocol } from '@svc/contract/protocol'
import { slo } from './slo-judging.ts'
import { snapshot } from './snapshot.ts'

export const moment = protocol({
  id: 'MOMENT',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'How things stand at one instant, and whether promises about service are kept.',

  operations: { snapshot, slo },
})
