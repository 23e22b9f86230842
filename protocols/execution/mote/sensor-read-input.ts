// Input and output of MOTE sensor_read.
import { Closed, described, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { PartId } from './device-topic.ts'
import { Explanation, FusedReading } from './sensor-fusion.ts'
import { Quality } from './sensor-quality.ts'

export const deadline_ms = 30_000

export const max_age_ms_default = 60_000

const aggregate_names = ['last', 'min', 'max', 'mean', 'median', 'p95', 'count', 'stddev'] as const

const aggregate_meanings: Readonly<Record<(typeof aggregate_names)[number], string>> = {
  last: 'Newest value.',
  min: 'Lowest value.',
  max: 'Highest value.',
  mean: 'Average.',
  median: 'Half of the values are below it.',
  p95: '95 % of the values are below it.',
  count: 'Number of readings.',
  stddev: 'Standard deviation.',
}

export const SensorReadInput = Closed({
  sensor_id: PartId,
  mode: Type.Optional(
    Type.Enum(['latest', 'window', 'next'], {
      default: 'latest',
      description:
        'latest: the newest reading; window: those between from and to; next: waits for a new one.',
    }),
  ),
  from: Type.Optional(described(Timestamp, 'For window: readings from this time on.')),
  to: Type.Optional(described(Timestamp, 'For window: readings before this time.')),
  aggregate: Type.Optional(
    Type.Array(OneOf(...aggregate_names), {
      minItems: 1,
      maxItems: aggregate_names.length,
      description: 'For window: these figures instead of samples.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 200, description: 'Samples of a window.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'For window: cursor of the previous page.',
    }),
  ),
  max_age_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400_000,
      default: max_age_ms_default,
      description: 'Older is stale.',
    }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: deadline_ms,
      default: deadline_ms,
      description: 'For the next one.',
    }),
  ),
  fuse: Type.Optional(
    described(
      ListOf(PartId, 1, 16),
      'Other sensors of the same quantity and unit, to combine with this one.',
    ),
  ),
})

export type SensorReadInput = Static<typeof SensorReadInput>

export const Sample = Closed({
  value: Type.Number({ description: "The reading, in the sensor's unit." }),
  observed_at: described(Timestamp, 'When the device measured it.'),
  seq: Type.Integer({ description: 'Number that the device gave it.' }),
  quality: described(
    Quality,
    'suspect: an outlier among its neighbours; bad: outside what the sensor can measure.',
  ),
})

export const SensorReadOutput = Closed({
  sensor_id: PartId,
  value: Type.Number({ description: 'The newest reading, of the window if one was asked for.' }),
  unit: Type.String({ description: 'Unit of all values.' }),
  observed_at: described(Timestamp, 'When the device measured it.'),
  age_ms: Type.Integer({ minimum: 0, description: 'Milliseconds since it was observed.' }),
  quality: described(
    Quality,
    'stale: older than max_age_ms; suspect: an outlier; bad: outside what it can measure.',
  ),
  samples: Type.Optional(described(ListOf(Sample), 'Readings of the window, oldest first.')),
  cursor: Type.Optional(Type.String({ description: 'There are more samples behind this.' })),
  aggregates: Type.Optional(
    Closed(
      Object.fromEntries(
        aggregate_names.map((name) => [
          name,
          Type.Optional(Type.Number({ description: aggregate_meanings[name] })),
        ]),
      ),
      { description: 'Figures over the whole window.' },
    ),
  ),
  fused: Type.Optional(described(FusedReading, 'Combined with the sensors named in fuse.')),
  explanation: Type.Optional(described(Explanation, 'Only where the fused sensors disagree.')),
})

export type SensorReadOutput = Static<typeof SensorReadOutput>
