// MOTE sensor_read: the latest reading, a window of readings, or the next one.

import { invalidCursor } from '@svc/contract/list-page'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import type { Static } from 'typebox'
import { noiseOf, type Sensor } from './device-descriptor.ts'
import type { Reading } from './device-report.ts'
import { findSensor } from './device-store.ts'
import { type Part, partId, partTopic } from './device-topic.ts'
import { findSuspects, window_size } from './sensor-filter.ts'
import { fuse, gatherOpinions } from './sensor-fusion.ts'
import { judgeLatest, type Quality, qualityOf } from './sensor-quality.ts'
import {
  deadline_ms,
  max_age_ms_default,
  type Sample,
  type SensorReadInput,
  type SensorReadOutput,
} from './sensor-read-input.ts'
import { aggregateIn, latestReadings, type Position, readingAfter, readingsIn } from './sensor-store.ts'

/** Time reserved to answer after the wait. */
const answer_ms = 500
const window_ms_default = 3_600_000
const window_days_max = 31
const day_ms = 86_400_000
/** Waiters also poll, because change notifications may be lost with a connection. */
const look_every_ms = 1_000
const looks_max = 10_000
/** A page is judged with the readings around it, so that page limits do not change the result. */
const beside = window_size - 1

type Found = Part & { readonly sensor: Sensor }

export async function readSensor(
  input: SensorReadInput,
  context: OperationContext<'devices' | 'model' | 'change_notifications' | 'tokens'>,
): Promise<SensorReadOutput> {
  context.takePath('protocol')
  const mode = input.mode ?? 'latest'
  requireFitting(input, mode)
  const part = await context.apart(({ db }) => findSensor(db, context.tenant_id, input.sensor_id))
  if (!part) throw notFound('sensor', input.sensor_id)
  if (mode === 'next') await waitForNext(input, context, part)
  const answer =
    mode === 'window' ? await readWindow(input, context, part) : await readLatest(input, context, part)
  if (input.fuse === undefined) return answer
  const sensor_ids = [...new Set([input.sensor_id, ...input.fuse])]
  const question = {
    tenant_id: context.tenant_id,
    now_ms: nowOf(context),
    is_stale: staleness(input, context),
  }
  const judged = await context.apart(({ db }) => gatherOpinions(db, question, part, sensor_ids))
  const fusion = await fuse(context, judged, part.sensor.unit)
  const quality = fusion.explanation && answer.quality !== 'bad' ? 'suspect' : answer.quality
  return { ...answer, quality, ...fusion }
}

function requireFitting({ from, to, aggregate, cursor, fuse: others }: SensorReadInput, mode: string): void {
  const fault = (pointer: string, message: string) =>
    refuse('invalid_payload', `${pointer} ${message}; correct it and read again.`, {
      reason: 'window',
      faults: [{ pointer, message }],
    })
  if (mode !== 'window') {
    const named = Object.entries({ from, to, aggregate, cursor }).find(([, value]) => value !== undefined)
    if (named) throw fault(`/${named[0]}`, 'is for the mode window')
    return
  }
  if (others !== undefined) throw fault('/fuse', 'is for the modes latest and next')
  for (const [pointer, moment] of Object.entries({ '/from': from, '/to': to }))
    if (moment !== undefined && !isMoment(moment)) throw fault(pointer, 'is no day of the calendar')
  if (from === undefined || to === undefined) return
  const span_ms = Date.parse(to) - Date.parse(from)
  if (span_ms <= 0) throw fault('/to', 'must lie after from')
  if (span_ms > window_days_max * day_ms) throw fault('/to', `may lie ${window_days_max} days after from`)
}

/** After a wait, the current time is later than the call's. */
function nowOf({ devices, now }: OperationContext<'devices'>): number {
  return Math.max(Date.parse(now), devices.now_ms())
}

/** Without a broker connection, no reading counts as fresh. */
function staleness(
  { max_age_ms = max_age_ms_default }: SensorReadInput,
  { devices }: OperationContext<'devices'>,
) {
  const is_deaf = devices.state() !== 'connected'
  return (age_ms: number) => is_deaf || age_ms > max_age_ms
}

async function readLatest(
  input: SensorReadInput,
  context: OperationContext<'devices'>,
  { sensor, ...part }: Found,
): Promise<SensorReadOutput> {
  const readings = await context.apart(({ db }) => latestReadings(db, context.tenant_id, part, window_size))
  const latest = judgeLatest(sensor, readings, staleness(input, context), nowOf(context))
  if (!latest) throw silent(input.sensor_id, 'has reported nothing yet')
  return answerOf(part, sensor, latest.reading, latest.age_ms, latest.quality)
}

function answerOf(
  part: Part,
  { unit }: Sensor,
  reading: Reading,
  age_ms: number,
  quality: Quality,
): SensorReadOutput {
  const { value, observed_at } = reading
  return { sensor_id: partId(part), value, unit, observed_at: observed_at.toISOString(), age_ms, quality }
}

async function readWindow(
  input: SensorReadInput,
  context: OperationContext<'devices'>,
  { sensor, ...part }: Found,
): Promise<SensorReadOutput> {
  const { tenant_id } = context
  const { limit = 200 } = input
  const now_ms = nowOf(context)
  const to = new Date(input.to === undefined ? now_ms : Date.parse(input.to))
  const from = new Date(input.from === undefined ? to.getTime() - window_ms_default : Date.parse(input.from))
  const window = { from, to }
  const after = input.cursor === undefined ? undefined : readCursor(input.cursor)
  const { newest, before, samples, aggregates } = await context.apart(async ({ db }) => ({
    newest: await latestReadings(db, tenant_id, part, window_size, window),
    before: after && !input.aggregate ? await latestReadings(db, tenant_id, part, beside, window, after) : [],
    samples: input.aggregate ? [] : await readingsIn(db, tenant_id, part, window, after, limit + beside),
    aggregates: input.aggregate && (await aggregateIn(db, tenant_id, part, window)),
  }))
  // Readings of a past window are old by request, not stale.
  const latest = judgeLatest(sensor, newest, () => false, now_ms)
  if (!latest) throw silent(input.sensor_id, 'reported nothing in this window')
  const answer = answerOf(part, sensor, latest.reading, latest.age_ms, latest.quality)
  if (input.aggregate && aggregates)
    return {
      ...answer,
      aggregates: Object.fromEntries(input.aggregate.map((name) => [name, aggregates[name]])),
    }
  const shown = samples.slice(0, limit)
  const cursor = samples.length > limit ? { cursor: writeCursor(shown.at(-1)!) } : {}
  const judged = sampled(sensor, [...before, ...samples]).slice(before.length, before.length + shown.length)
  return { ...answer, samples: judged, ...cursor }
}

/** Each judged among its neighbours: marked, never left out. */
function sampled(sensor: Sensor, readings: readonly Reading[]): Static<typeof Sample>[] {
  const suspects = findSuspects(
    readings.map(({ value }) => value),
    noiseOf(sensor),
  )
  return readings.map(({ value, observed_at, seq }, at) => ({
    value,
    observed_at: observed_at.toISOString(),
    seq,
    quality: qualityOf(sensor, value, suspects[at]!, false),
  }))
}

/** Ends when a newer reading is stored; holds no connection while waiting. */
async function waitForNext(
  input: SensorReadInput,
  context: OperationContext<'devices' | 'change_notifications'>,
  { sensor: _, ...part }: Found,
): Promise<void> {
  const { tenant_id, devices, change_notifications } = context
  const wait_ms = Math.min(input.timeout_ms ?? deadline_ms, deadline_ms - answer_ms)
  const over = AbortSignal.any([context.signal, AbortSignal.timeout(wait_ms)])
  const listening = change_notifications.listen(partTopic(tenant_id, part))
  try {
    const before = (await context.apart(({ db }) => latestReadings(db, tenant_id, part, 1)))[0]
    for (let looks = 0; looks < looks_max && !over.aborted; looks++) {
      if (devices.state() !== 'connected') throw deaf(input.sensor_id)
      await listening.heard(look_every_ms, over)
      if (await context.apart(({ db }) => readingAfter(db, tenant_id, part, before))) return
    }
  } finally {
    listening.close()
  }
  throw refuse(
    'timeout',
    `${input.sensor_id} reported nothing new within ${wait_ms} ms; wait longer, or read its latest value.`,
    { reason: 'no reading in time' },
  )
}

function silent(sensor_id: string, why: string) {
  return refuse('invalid_payload', `${sensor_id} ${why}; look for another sensor or another time.`, {
    reason: 'no_reading',
  })
}

function deaf(sensor_id: string) {
  return refuse(
    'adapter_error',
    `No broker is connected, so nothing of ${sensor_id} can arrive; read its latest value, or try again later.`,
    { reason: 'broker away' },
  )
}

function writeCursor({ observed_at, seq }: Position): string {
  return Buffer.from(`${observed_at.getTime()}.${seq}`).toString('base64url')
}

function readCursor(cursor: string): Position {
  const [, ms, seq] =
    /^(\d{1,13})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (ms === undefined || seq === undefined) throw invalidCursor()
  return { observed_at: new Date(Number(ms)), seq: Number(seq) }
}
