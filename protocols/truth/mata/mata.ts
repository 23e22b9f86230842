import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { PoolInput, PoolOutput, poolOpinions } from './pool-opinions.ts'
import { WeightInput, WeightOutput, weighSource } from './reliability-report.ts'

const track_record = {
  source: 'protocol:MARC',
  topic: 'deliveries',
  outcomes: [
    { forecast: 0.8, outcome: true, id: 'order-1' },
    { forecast: 0.3, outcome: false, id: 'order-2' },
  ],
}

const bad_outcomes = [{ forecast: 0.2, outcome: true, id: 'order-1' }]

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
      needs: ['compute', 'lineages'],
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
      scene: [
        { call: 'MATA.weight', input: track_record },
        { call: 'MATA.weight', input: { ...track_record, source: stand_ins.did, outcomes: bad_outcomes } },
      ],
      handle: poolOpinions,
    }),

    weight: operation({
      summary: 'Read how reliable a source has been, or report outcomes of its forecasts.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 10_000,
      // Enough for ten thousand outcomes with their ids.
      input_bytes_max: 3 * 1024 * 1024,
      needs: ['requireAuthority'],
      input: WeightInput,
      output: WeightOutput,
      example: track_record,
      handle: weighSource,
    }),
  },
})
