import { operation, protocol } from '@svc/contract/protocol'
import { ListInput, ListOutput, listInstallations } from './installation-list.ts'
import { TopologyInput, TopologyOutput } from './mesh-schema.ts'
import { proveAuditLog } from './proof-making.ts'
import { ProofInput, ProofOutput } from './proof-schema.ts'
import { deadline_ms, showTopology } from './topology.ts'

const record_hash = '3f9a'.repeat(16)

export const maze = protocol({
  id: 'MAZE',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'The map of the mesh, and proofs that its audit log was never changed.',

  operations: {
    topology: operation({
      summary: 'Show the mesh around a node: what there is, who calls whom, and what holds it together.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms,
      needs: ['audit_log', 'compute', 'engine', 'served', 'telemetry', 'treaties', 'vault'],
      input: TopologyInput,
      output: TopologyOutput,
      example: { include: ['protocols', 'agents'], depth: 2, analysis: ['components'] },
      handle: showTopology,
    }),

    list: operation({
      summary:
        'List plugins, or services outside that answer for protocols, with their states and the reasons.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['engine', 'membership', 'served'],
      input: ListInput,
      output: ListOutput,
      example: { kind: 'endpoints', limit: 10 },
      handle: listInstallations,
    }),

    prove: operation({
      summary:
        'Prove that a record is in your log, that the log is append-only, or what a segment of it contains.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      outlives: true,
      deadline_ms: 5_000,
      needs: ['audit_log'],
      input: ProofInput,
      output: ProofOutput,
      scene: [
        {
          call: 'MAX.audit_log_entry',
          input: { event_type: 'custom.shift_started', meta: { shift: 'night' } },
          answer: { record_hash },
        },
      ],
      example: { kind: 'inclusion', record_hash },
      handle: proveAuditLog,
    }),
  },
})
