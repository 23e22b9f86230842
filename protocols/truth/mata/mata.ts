import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { PoolInput, PoolOutput, poolOpinions } from './pool-opinions.ts'
import { WeightInput, WeightOutput, weighSource } from './reliability-report.ts'

export const mata = protocol({
  id: 'MATA',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Opinion pooling, and weights of sources by their track record.',

  operations: {
    pool: operation({
      summary: 'Combine several opinions into one, and list who disagrees.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 6_000,
      needs: ['compute', 'lineages', 'served', 'vault'],
      input: PoolInput,
      output: PoolOutput,
      example: {
        question: 'Will the supplier deliver in time?',
        topic: 'deliveries',
        opinions: [
          { source: 'protocol:MARC', probability: 0.8 },
          { source: stand_ins.did, probability: 0.6 },
        ],
        method: 'log',
        persist: true,
      },
      handle: poolOpinions,
    }),

    weight: operation({
      summary: 'Read how reliable a source has been by its resolved forecasts, or set its weight.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 10_000,
      needs: ['lineages', 'requireAuthority', 'served'],
      input: WeightInput,
      output: WeightOutput,
      example: {
        source: 'protocol:MARC',
        topic: 'deliveries',
        set: { weight: 0.8, authority: 'mace://sole-member' },
      },
      handle: weighSource,
    }),
  },
})
