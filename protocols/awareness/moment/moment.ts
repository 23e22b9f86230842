import { operation, protocol } from '@svc/contract/protocol'
import { judgeObjective, SloInput, SloOutput } from './slo-judging.ts'
import { SnapshotInput, SnapshotOutput, takeSnapshot } from './snapshot.ts'

export const moment = protocol({
  id: 'MOMENT',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'State at one instant, and whether service level objectives are met.',

  operations: {
    snapshot: operation({
      summary: 'Get a signed snapshot of the current state, or of the state at a past moment.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 5_000,
      needs: ['audit_log', 'authority', 'budgets', 'engine', 'served', 'tenants', 'health'],
      input: SnapshotInput,
      output: SnapshotOutput,
      scene: [
        {
          call: 'MAX.audit_log_entry',
          input: { event_type: 'custom.shift_started', meta: { shift: 'night' } },
        },
      ],
      example: { sections: ['dispatch', 'latency', 'audit'] },
      handle: takeSnapshot,
    }),
    slo: operation({
      summary: 'Check a service level objective of your calls, and how fast its error budget burns.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 5_000,
      needs: ['authority', 'engine', 'served', 'health'],
      input: SloInput,
      output: SloOutput,
      example: { objective: { kind: 'availability', target: 0.999 } },
      handle: judgeObjective,
    }),
  },
})
