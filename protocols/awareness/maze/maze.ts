import { operation, protocol } from '@svc/contract/protocol'
import { list } from './installation-list.ts'
import { proveBook } from './proof-making.ts'
import { ProofInput, ProofOutput } from './proof-schema.ts'
import { topology } from './topology.ts'

export const maze = protocol({
  id: 'MAZE',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'The map of the mesh, and proofs that its book was never changed.',

  operations: {
    topology,

    list,

    prove: operation({
      summary:
        'Prove that a record is in your log, that the log only ever grew, or what stands in a row of it.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      outlives: true,
      deadline_ms: 5_000,
      input: ProofInput,
      output: ProofOutput,
      example: { kind: 'consistency', first: 0 },
      handle: proveBook,
    }),
  },
})
