import { protocol } from '@svc/contract/protocol'
import { causal_analysis } from './causal-analysis.ts'
import { publish_model } from './publish-model.ts'
import { reasoning_task } from './reasoning-task.ts'

export const marc = protocol({
  id: 'MARC',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'agent',
  rate: 'heavy',
  category: 'svc-cognitive',
  summary: 'Reasoning within a budget: proofs from premises, and what models of the world say follows.',

  operations: {
    reasoning_task,
    publish_model,
    causal_analysis,
  },
})
