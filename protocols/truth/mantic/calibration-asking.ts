// MANTIC calibrate: scores forecasts with supplied outcomes or MATA's, and fits and publishes a map.

import { isMoment } from '@svc/contract/moment'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, ListOf, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { OutcomeField } from '../mata/api.ts'
import {
  any_topic,
  Distribution,
  type Forecast,
  faulty,
  findOutcomes,
  hitOf,
  type Outcome,
  Probability,
  requireWhole,
  Source,
  Topic,
} from '../opinions/api.ts'
import { forecasts_for_any_map, forecasts_min } from './calibration.ts'
import type { Sample } from './calibration-fit.ts'
import { type CalibrationResult, type CalibrationTask, compute } from './calibration-job.ts'
import { keepMap } from './calibration-store.ts'

const forecasts_max = 100_000
const applied_max = 10_000
/** Measured: trying every map takes over ten milliseconds, so only samples too small for that run inline. */
const inline_max = forecasts_for_any_map - 1
const thread_ms_max = 55_000
const job = computation<CalibrationTask, CalibrationResult>(new URL('./calibration-job.ts', import.meta.url))

export const CalibrateInput = Closed({
  forecaster: Source,
  forecasts: Type.Optional(
    ListOf(
      Closed(
        {
          p: Type.Optional(Probability),
          distribution: Type.Optional(Distribution),
          outcome: OutcomeField,
          at: Type.Optional(Timestamp),
          weight: Type.Optional(Type.Number({ minimum: 1e-6, maximum: 1e6, default: 1 })),
        },
        {
          description: 'Of a distribution, the likeliest label counts, and whether it occurred.',
        },
      ),
      1,
      forecasts_max,
    ),
  ),
  stored: Type.Optional(
    Closed(
      { from: Type.Optional(Timestamp), to: Type.Optional(Timestamp), topic: Type.Optional(Topic) },
      {
        description: 'Instead of forecasts: those reported for this forecaster to MATA weight, newest first.',
      },
    ),
  ),
  method: Type.Optional(OneOf('auto', 'none', 'platt', 'isotonic', 'beta', 'temperature')),
  bins: Type.Optional(Type.Integer({ minimum: 5, maximum: 50, default: 10, description: 'Of equal mass.' })),
  folds: Type.Optional(Type.Integer({ minimum: 2, maximum: 10, default: 5 })),
  apply: Type.Optional(ListOf(Probability, 0, applied_max)),
  persist: Type.Optional(Type.Boolean({ default: false })),
})
type CalibrateInput = Static<typeof CalibrateInput>

const Amount = Type.Number({ minimum: 0 })
const Scores = Type.Optional(Closed({ brier: Amount, log: Amount, ece: Amount }))
export const CalibrateOutput = Closed({
  n: Type.Integer({ minimum: forecasts_min }),
  base_rate: Probability,
  brier: Amount,
  decomposition: Closed(
    {
      reliability: Amount,
      resolution: Type.Number(),
      uncertainty: Amount,
      within_bin_variance: Amount,
      within_bin_covariance: Type.Number(),
    },
    {
      description:
        'Brier = reliability - resolution + uncertainty; resolution is less the variance and plus the covariance within bins.',
    },
  ),
  log_score: Type.Number({ minimum: 0, description: 'Mean loss in nats; less is better.' }),
  ece: Amount,
  mce: Amount,
  sharpness: Type.Number({ minimum: 0, description: 'Variance of the forecasts.' }),
  curve: ListOf(
    Closed({
      mean_p: Probability,
      freq: Probability,
      n: Type.Integer({ minimum: 1 }),
      ci95: Type.Array(Probability, { minItems: 2, maxItems: 2 }),
    }),
    1,
    50,
  ),
  cross_validated: Closed({
    none: Scores,
    platt: Scores,
    isotonic: Scores,
    beta: Scores,
    temperature: Scores,
  }),
  chosen: OneOf('none', 'platt', 'isotonic', 'beta', 'temperature'),
  map_ref: Type.Optional(Ref),
  calibrated: Type.Optional(ListOf(Probability, 0, applied_max)),
})

export async function calibrate(
  input: CalibrateInput,
  context: OperationContext<'compute'>,
): Promise<Static<typeof CalibrateOutput>> {
  const { method = 'auto', bins = 10, folds = 5, apply = [], persist = false, forecaster } = input
  const sample = sampleOf(await forecastsOf(input, context))
  requireEnough(sample.said.length, method)
  const seed = seedOf(sample, [method, String(bins), String(folds)])
  const task = { sample, method, bins, folds, seed, apply }
  const { report, cross_validated, chosen, map, calibrated } =
    sample.said.length > inline_max ? await context.compute(job, task, thread_ms_max) : compute(task)
  const answer = { ...report, cross_validated, chosen, ...(input.apply && { calibrated }) }
  if (!persist) return answer
  const { calibrated: _, ...told } = answer
  const map_id = sha256Hex(canonicalJson({ tenant_id: context.tenant_id, forecaster, map, report: told }))
  await keepMap(context, map_id, forecaster, map, told)
  const map_ref = `mantic://map/${map_id}`
  context.audit('CalibrationPublished', { map_ref, forecaster, method: chosen, n: report.n })
  return { ...answer, map_ref }
}

/** Hashes the columns as bytes: serializing a hundred thousand forecasts would take longer than hashing. */
function seedOf({ said, hits, weights }: Sample, how: readonly string[]): number {
  const columns = [said, hits, weights].map((column) => sha256Hex(new Uint8Array(column.buffer)))
  return Number.parseInt(sha256Hex([...columns, ...how].join(' ')).slice(0, 8), 16)
}

interface Resolved {
  readonly forecast: Forecast
  readonly outcome: Outcome
  readonly weight?: number
}

async function forecastsOf(input: CalibrateInput, context: OperationContext): Promise<Resolved[]> {
  const { forecasts, stored, forecaster } = input
  if ((forecasts === undefined) === (stored === undefined))
    throw faulty('one_of', '', 'must have either forecasts or stored')
  if (forecasts)
    return forecasts.map(({ p, distribution, ...rest }, place) => {
      if ((p === undefined) === (distribution === undefined))
        throw faulty('one_of', `/forecasts/${place}`, 'must say either p or distribution')
      if (distribution) requireWhole(Object.values(distribution), `/forecasts/${place}/distribution`)
      return { forecast: p ?? distribution!, ...rest }
    })
  const { topic = any_topic, from, to } = stored!
  for (const [name, moment] of Object.entries({ from, to }))
    if (moment !== undefined && !isMoment(moment))
      throw faulty('no_such_moment', `/stored/${name}`, 'is no moment that exists')
  return findOutcomes(context, { source: forecaster, topic, from, to }, forecasts_max)
}

function sampleOf(forecasts: readonly Resolved[]): Sample {
  const float64_array = new Float64Array(forecasts.length)
  const hits = new Float64Array(forecasts.length)
  const weights = new Float64Array(forecasts.length)
  for (const [place, { forecast, outcome, weight = 1 }] of forecasts.entries()) {
    const read =
      typeof forecast === 'number' ? { said: forecast, hit: hitOf(outcome) } : likeliest(forecast, outcome)
    if (read.hit === undefined)
      throw faulty(
        'outcome_not_in_labels',
        `/forecasts/${place}/outcome`,
        'is none that the forecast speaks of',
      )
    float64_array[place] = read.said
    hits[place] = read.hit
    weights[place] = weight
  }
  return { said: float64_array, hits, weights }
}

/** On a tie, the first label in order. */
function likeliest(forecast: Readonly<Record<string, number>>, outcome: Outcome) {
  const labels = Object.keys(forecast).sort()
  const top = labels.reduce((best, label) => (forecast[label]! > forecast[best]! ? label : best))
  const is_known = typeof outcome === 'string' && labels.includes(outcome)
  return { said: forecast[top]!, hit: is_known ? Number(outcome === top) : undefined }
}

function requireEnough(n: number, method: NonNullable<CalibrateInput['method']>): void {
  const needed = ['isotonic', 'beta', 'temperature'].includes(method) ? forecasts_for_any_map : forecasts_min
  if (n >= needed) return
  throw refuse(
    'invalid_payload',
    `Calibrating with ${method} needs at least ${needed} forecasts with outcomes, and there are ${n}; ` +
      'report more, or use platt or none where there are few.',
    { reason: 'too_few_forecasts', n, needed },
  )
}
