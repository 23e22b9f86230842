import { operation, protocol } from '@svc/contract/protocol'
import { diff } from './artifact-diff.ts'
import { fetch } from './artifact-fetching.ts'
import { publish } from './artifact-publishing.ts'
import { DraftInput, DraftOutput, deadline_ms, input_bytes_max, makeDraft, tokens_default } from './draft.ts'
import { maintenance_report } from './scenes.ts'

export const mage = protocol({
  id: 'MAGE',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Artifacts: drafted in versions, published immutably, with signed provenance.',

  operations: {
    draft: operation({
      summary: 'Create or revise a draft of an artifact, and get its lint results.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms,
      budget_default: { tokens: tokens_default, deadline_ms },
      input_bytes_max,
      // Its text is stored as content: a retained copy would outlive a redaction.
      keep_input: false,
      secret_output: true,
      needs: ['audit_log', 'compute', 'embedder', 'model', 'policies', 'tokens', 'vault'],
      input: DraftInput,
      output: DraftOutput,
      example: maintenance_report,
      handle: makeDraft,
    }),
    publish,
    fetch,
    diff,
  },
})
