import { protocol } from '@svc/contract/protocol'
import { execute_workflow } from './execute-workflow.ts'
import { list } from './list-workflows.ts'
import { submit_manifest } from './submit-manifest.ts'

export const moon = protocol({
  id: 'MOON',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Durable workflows: every step is a call through the door, done once, whatever dies meanwhile.',
  operations: { submit_manifest, execute_workflow, list },
})
