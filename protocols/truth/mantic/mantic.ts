import { operation, protocol } from '@svc/contract/protocol'
import { CalibrateInput, CalibrateOutput, calibrate } from './calibration-asking.ts'

export const mantic = protocol({
  id: 'MANTIC',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Calibration of probabilities: reports, and maps that correct them.',

  operations: {
    calibrate: operation({
      summary: 'Compare forecasts with their outcomes, and fit a map that corrects later ones.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'watts'],
      rate_cost: 10,
      deadline_ms: 60_000,
      // Enough for a hundred thousand forecasts.
      input_bytes_max: 6 * 1024 * 1024,
      keep_input: false,
      needs: ['compute'],
      input: CalibrateInput,
      output: CalibrateOutput,
      example: {
        forecaster: 'protocol:MARC',
        forecasts: Array.from({ length: 20 }, (_, place) => ({
          p: place % 2 === 0 ? 0.95 : 0.1,
          outcome: place % 2 === 0 ? place % 6 !== 0 : place % 3 === 0,
        })),
        apply: [0.5, 0.9],
        persist: true,
      },
      handle: calibrate,
    }),
  },
})
