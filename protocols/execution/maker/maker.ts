import { protocol } from '@svc/contract/protocol'
import { emergency_stop } from './emergency-stop.ts'
import { execute_action } from './execute-action.ts'

export const maker = protocol({
  id: 'MAKER',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Actions in the world: begun with leave, watched while they run, and stopped for real.',
  operations: { execute_action, emergency_stop },
})
