import { operation, protocol } from '@svc/contract/protocol'
import { calibrate } from './calibration-asking.ts'
import { CalibrateInput, CalibrateOutput } from './calibration-schema.ts'
import { question_operations } from './question-operations.ts'
import { UploadInput, UploadOutput, uploadForecasts } from './upload-forecasts.ts'

const forecasts = Array.from({ length: 20 }, (_, place) => ({
  p: place % 2 === 0 ? 0.95 : 0.1,
  outcome: place % 2 === 0 ? place % 6 !== 0 : place % 3 === 0,
}))

export const mantic = protocol({
  id: 'MANTIC',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Questions, forecasts of them, and calibration of probabilities.',

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
      needs: ['compute', 'requireAuthority', 'vault'],
      input: CalibrateInput,
      output: CalibrateOutput,
      example: {
        forecaster: 'protocol:MARC',
        forecasts,
        apply: [0.5, 0.9],
        persist: true,
        authority: 'mace://sole-member',
      },
      handle: calibrate,
    }),

    upload_forecasts: operation({
      summary: 'Upload forecasts with their outcomes in parts, to calibrate them together.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 20_000,
      input_bytes_max: 6 * 1024 * 1024,
      keep_input: false,
      needs: ['vault'],
      input: UploadInput,
      output: UploadOutput,
      example: { part: 1, forecasts },
      handle: uploadForecasts,
    }),

    ...question_operations,
  },
})
