// Combines several sensors into one value: each is judged alone first, then weighted by its certainty.

import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { askRationale } from '../../truth/opinions/api.ts'
import { noiseOf, type Sensor } from './device-descriptor.ts'
import { findSensor } from './device-store.ts'
import type { Part } from './device-topic.ts'
import { PartId } from './device-topic.ts'
import {
  type Disagreement,
  findDisagreements,
  fuseOpinions,
  type Opinion,
  spreadOf,
  window_size,
} from './sensor-filter.ts'
import { judgeLatest } from './sensor-quality.ts'
import { latestReadings } from './sensor-store.ts'

const instructions =
  'Sensors of one quantity disagree. Say in at most three sentences which of them is likelier wrong and what to check. ' +
  'Use only the numbers given.'

export const FusedReading = Closed({
  value: Type.Number({ description: 'Mean of the sensors, the precise ones counting more.' }),
  sd: Type.Number({ description: 'Standard deviation of the value, as far as the sensors are independent.' }),
  rejected: described(
    ListOf(
      Closed({
        sensor_id: PartId,
        reason: described(
          OneOf('silent', 'stale', 'suspect', 'bad'),
          'Why: no reading, too old, an outlier, or outside its range.',
        ),
      }),
    ),
    'Sensors that were left out.',
  ),
})
export type FusedReading = Static<typeof FusedReading>

export const Explanation = Closed({
  text: Text(4000, { description: 'Which sensors disagree, and by how much.' }),
  model: Type.Optional(Type.String({ description: 'Who wrote the last part; nothing of it was checked.' })),
  verified: Type.Boolean({ description: 'False where a model wrote a part of it.' }),
})
export type Explanation = Static<typeof Explanation>

export interface Fusion {
  readonly fused?: FusedReading
  readonly explanation?: Explanation
}

interface Asked {
  readonly tenant_id: string
  readonly now_ms: number
  is_stale(age_ms: number): boolean
}

type Judged = Opinion | FusedReading['rejected'][number]

/** Reads in the given transaction; `explain` calls the model later. */
export async function gatherOpinions(
  db: Database,
  question: Asked,
  first: Part & { readonly sensor: Sensor },
  sensor_ids: readonly string[],
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const sensor_id of sensor_ids) {
    const sensor = await findSensor(db, question.tenant_id, sensor_id)
    if (!sensor) throw notFound('sensor', sensor_id)
    if (sensor.sensor.unit !== first.sensor.unit)
      throw refuse(
        'invalid_payload',
        `${sensor_id} measures ${sensor.sensor.unit}, not ${first.sensor.unit}; fuse sensors of one unit.`,
        {
          reason: 'unit mismatch',
          faults: [{ pointer: '/fuse', message: 'names a sensor of another unit' }],
        },
      )
    judged.push(await judgeOne(db, question, sensor_id, sensor))
  }
  return judged
}

async function judgeOne(
  db: Database,
  { tenant_id, now_ms, is_stale }: Asked,
  sensor_id: string,
  { sensor, ...part }: Part & { readonly sensor: Sensor },
): Promise<Judged> {
  const readings = await latestReadings(db, tenant_id, part, window_size)
  const latest = judgeLatest(sensor, readings, is_stale, now_ms)
  if (!latest) return { sensor_id, reason: 'silent' }
  if (latest.quality !== 'good') return { sensor_id, reason: latest.quality }
  const values = readings.map(({ value }) => value)
  // The declared deviation, or else the observed one.
  const sd = sensor.sd ?? spreadOf(values, noiseOf(sensor)).sd
  return { sensor_id, value: latest.reading.value, sd }
}

/** Uses the model only if the sensors contradict each other. */
export async function fuse(
  context: OperationContext<'model' | 'tokens'>,
  judged: readonly Judged[],
  unit: string,
): Promise<Fusion> {
  const opinions = judged.filter((one) => 'sd' in one)
  const rejected = judged.filter((one) => 'reason' in one)
  const mean = fuseOpinions(opinions)
  const fused = mean && { ...mean, rejected }
  const disagreements = findDisagreements(opinions)
  if (disagreements.length === 0) return fused ? { fused } : {}
  context.takePath('agent')
  const facts = { unit, opinions, disagreements, fused: mean }
  const written = await askRationale(context, instructions, facts)
  const text = [describe(opinions, disagreements, unit), ...(written ? [written.text] : [])].join(' ')
  const explanation = { text, ...(written ? { model: written.model } : {}), verified: written === undefined }
  return { ...(fused ? { fused } : {}), explanation }
}

/** Names the sensor furthest from the others, as the most likely fault, and gives the numbers. */
function describe(
  opinions: readonly Opinion[],
  disagreements: readonly Disagreement[],
  unit: string,
): string {
  const counts = new Map<string, number>()
  for (const { a, b } of disagreements) for (const id of [a, b]) counts.set(id, (counts.get(id) ?? 0) + 1)
  const [odd, most] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]!
  const widest = disagreements[0]!
  const is_alone = opinions.length > 2 && [...counts.values()].filter((count) => count === most).length === 1
  const values = opinions.map(({ sensor_id, value, sd }) => `${sensor_id} says ${value} ± ${sd} ${unit}`)
  return [
    `${values.join('; ')}.`,
    `${widest.a} and ${widest.b} lie ${widest.sigmas.toFixed(1)} standard deviations apart.`,
    is_alone
      ? `${odd} contradicts ${most} of the others and is the likeliest to be wrong.`
      : 'Nothing here tells which of them is wrong.',
  ].join(' ')
}
