import { operation, protocol } from '@svc/contract/protocol'
import { council_decided, verdict_ref } from './scenes.ts'
import { budget_default, deadline_ms_max, traceRoot } from './trace.ts'
import { TraceInput, TraceOutput } from './trace-input.ts'

export const magi = protocol({
  id: 'MAGI',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'agent',
  rate: 'heavy',
  category: 'svc-cognitive',
  summary: 'Why something happened: traced to its root causes in the signed audit log, with counterfactuals.',

  operations: {
    trace: operation({
      summary: 'Trace a decision, a record or an entity to its root causes or its effects.',
      effect: 'read',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      multipliers: [1, 2, 4],
      deadline_ms: deadline_ms_max,
      budget_default,
      needs: [
        'audit_log',
        'charter',
        'compute',
        'model',
        'policies',
        'served',
        'telemetry',
        'tokens',
        'treaties',
        'vault',
      ],
      input: TraceInput,
      output: TraceOutput,
      example: { root: verdict_ref, direction: 'causes', max_depth: 8 },
      scene: council_decided,
      handle: traceRoot,
    }),
  },
})
