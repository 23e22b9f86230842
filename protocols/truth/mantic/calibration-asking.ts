// MANTIC calibrate: scores resolved forecasts, or reported ones, and fits and publishes a map.
import { isMoment } from '@svc/contract/moment'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import type { Static } from 'typebox'
import { any_topic, faulty, findScores } from '../opinions/api.ts'
import { forecasts_for_any_map, forecasts_min } from './calibration.ts'
import type { Sample } from './calibration-fit.ts'
import { type CalibrationResult, type CalibrationTask, compute } from './calibration-job.ts'
import { type Reading, type ResolvedForecast, readAll, readAsserted } from './calibration-sample.ts'
import { type CalibrateInput, type CalibrateOutput, forecasts_max } from './calibration-schema.ts'
import { keepMap } from './calibration-store.ts'
import { readUpload } from './upload-forecasts.ts'

/** Measured: trying every map takes over ten milliseconds, so only samples too small for that run inline. */
const inline_max = forecasts_for_any_map - 1
const thread_ms_max = 55_000
const job = computation<CalibrationTask, CalibrationResult>(new URL('./calibration-job.ts', import.meta.url))

type Context = OperationContext<'compute' | 'requireAuthority' | 'vault'>

export async function calibrate(
  input: CalibrateInput,
  context: Context,
): Promise<Static<typeof CalibrateOutput>> {
  const { method = 'auto', bins = 10, folds = 5, apply = [], persist = false, forecaster } = input
  const reading = readAll(await forecastsOf(input, context))
  const { sample } = reading
  requireEnough(reading.forecasts, method)
  const seed = seedOf(sample, [method, String(bins), String(folds)])
  const task = { sample, method, bins, folds, seed, apply }
  const { report, cross_validated, chosen, map, calibrated } =
    sample.said.length > inline_max ? await context.compute(job, task, thread_ms_max) : compute(task)
  const answer = {
    ...reportOf(report, reading),
    cross_validated,
    chosen,
    ...(input.apply && { calibrated }),
  }
  if (!persist) return answer
  const { calibrated: _, ...told } = answer
  const map_id = sha256Hex(canonicalJson({ tenant_id: context.tenant_id, forecaster, map, report: told }))
  const authority = input.stored ? undefined : await requireVerdict(context, input, map_id)
  await keepMap(context, map_id, forecaster, map, told)
  const map_ref = `mantic://map/${map_id}`
  context.audit('CalibrationPublished', {
    map_ref,
    forecaster,
    method: chosen,
    n: answer.n,
    ...(authority && { authority }),
  })
  return { ...answer, map_ref }
}

/** Whoever reports outcomes could correct anybody's confidence as it likes: the organization must have decided it. */
async function requireVerdict(
  context: Context,
  { authority }: CalibrateInput,
  map_id: string,
): Promise<string> {
  if (authority !== undefined)
    return context.requireAuthority('MANTIC.calibrate', `sha256:${map_id}`, authority)
  throw refuse(
    'policy_denied',
    'A map is stored only from resolved questions (stored): these outcomes were only reported. Name a charter verdict as authority to store it all the same.',
    { reason: 'outcomes without evidence', subject: `sha256:${map_id}` },
  )
}

/** The scores are those of the forecasts; the parts of the decomposition add up to that of the events. */
function reportOf(report: CalibrationResult['report'], { kind, forecasts, scores }: Reading) {
  const { brier, log_score, decomposition, ...rest } = report
  return {
    ...rest,
    n: forecasts,
    brier: scores.brier ?? brier,
    log_score: scores.log ?? log_score,
    ...(kind === 'quantity' && { crps: scores.crps!, quantile_loss: scores.quantile! }),
    decomposition: { brier, ...decomposition },
  }
}

/** Hashes the columns as bytes: serializing a hundred thousand forecasts would take longer than hashing. */
function seedOf({ said, hits, weights }: Sample, how: readonly string[]): number {
  const columns = [said, hits, weights].map((column) => sha256Hex(new Uint8Array(column.buffer)))
  return Number.parseInt(sha256Hex([...columns, ...how].join(' ')).slice(0, 8), 16)
}

async function forecastsOf(input: CalibrateInput, context: Context): Promise<ResolvedForecast[]> {
  const { forecasts, uploaded, stored, forecaster } = input
  if ([forecasts, uploaded, stored].filter((choice) => choice !== undefined).length !== 1)
    throw faulty('one_of', '', 'must have exactly one of forecasts, uploaded and stored')
  if (forecasts) return forecasts.map((forecast, place) => readAsserted(forecast, `/forecasts/${place}`))
  if (uploaded !== undefined) return readUpload(context, uploaded)
  const { topic = any_topic, from, to } = stored!
  for (const [name, moment] of Object.entries({ from, to }))
    if (moment !== undefined && !isMoment(moment))
      throw faulty('no_such_moment', `/stored/${name}`, 'is no moment that exists')
  const scores = await findScores(context, { source: forecaster, topic, from, to }, forecasts_max)
  return scores.map(({ kind, forecast, outcome }) => ({ kind, forecast, outcome, weight: 1 }))
}

function requireEnough(n: number, method: NonNullable<CalibrateInput['method']>): void {
  const needed = ['isotonic', 'beta', 'temperature'].includes(method) ? forecasts_for_any_map : forecasts_min
  if (n >= needed) return
  throw refuse(
    'invalid_payload',
    `Calibrating with ${method} needs at least ${needed} forecasts with outcomes, and there are ${n}; ` +
      'wait for more questions to be resolved, or use platt or none where there are few.',
    { reason: 'too_few_forecasts', n, needed },
  )
}
