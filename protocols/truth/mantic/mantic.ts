import { operation, protocol } from '@svc/contract/protocol'
import { CalibrateInput, CalibrateOutput, calibrate } from './calibration-asking.ts'

export const mantic = protocol({
  id: 'MANTIC',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Whether probabilities were honest, and maps that make them so.',

  operations: {
    calibrate: operation({
      summary: 'Hold forecasts against what came of them, and learn what the next ones mean.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'watts'],
      rate_cost: 10,
      deadline_ms: 60_000,
      // A hundred thousand forecasts.
      input_bytes_max: 6 * 1024 * 1024,
      keep_input: false,
      needs: ['compute'],
      input: CalibrateInput,
      output: CalibrateOutput,
      example: {
        forecaster: 'protocol:MARC',
        forecasts: Array.from({ length: 20 }, (_, place) => ({
          p: place % 2 === 0 ? 0.9 : 0.2,
          outcome: place % 2 === 0 ? place % 6 !== 0 : place % 5 === 0,
        })),
        apply: [0.5, 0.9],
        persist: true,
      },
      handle: calibrate,
    }),
  },
})
