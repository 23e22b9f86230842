// MOTET emit: measurements to the tables of metrics, logs and spans sealed for whoever sent them.
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, described, ListOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { resolutions } from '../metrics/api.ts'
import { logOf, spanOf } from './otlp-signal.ts'
import { AnySignal } from './signal.ts'
import { faultsOfSignal, isSignal } from './signal-faults.ts'
import { keepSignals } from './signal-store.ts'
import { signals_kept_ms } from './signal-sweep.ts'

const signals_max = 10_000
const ahead_ms_max = 3_600_000
/** Older measurements are history: they are stored at once, and are no current value. */
const late_ms_max = 3_600_000
const measured_ms_max = resolutions.at(-1)!.kept_ms
const day_ms = 86_400_000
const fields_max = 32
/** Then other calls have their turn, and after each signal that does not fit: one with thousands of labels takes milliseconds to judge. */
const signals_a_turn = 500

export const EmitInput = Closed({
  signals: described(
    ListOf(AnySignal, 1, signals_max),
    'Metrics, logs and spans, in our names or those of OTLP/JSON. One that does not fit is listed in rejected; the others are recorded.',
  ),
})
/** What stage 7 checks. Single signals are judged here, so that one that does not fit does not lose the others. */
export const EmitBatch = Closed({
  signals: ListOf(Type.Record(Type.String(), Type.Unknown(), { maxProperties: fields_max }), 1, signals_max),
})
export const EmitOutput = Closed({
  accepted: Type.Integer({ description: 'Number of signals that were recorded.' }),
  rejected: described(
    ListOf(
      Closed({
        index: Type.Integer({ description: 'Which of the signals, from 0.' }),
        reason: Type.String({ description: 'Why it was not recorded.' }),
      }),
      0,
      signals_max,
    ),
    'Signals that were not recorded; the others were.',
  ),
  series_created: Type.Integer({
    description: 'New combinations of metric and labels; their number is limited for a tenant.',
  }),
})

interface Taken {
  readonly logs: object[]
  readonly spans: object[]
  series_created: number
  has_history: boolean
}

type EmitContext = OperationContext<'health' | 'telemetry' | 'vault'>

/** Partial acceptance is a success: one bad signal must not lose the others. */
export async function emitSignals(
  { signals }: { readonly signals: readonly object[] },
  context: EmitContext,
): Promise<Static<typeof EmitOutput>> {
  const rejected: { index: number; reason: string }[] = []
  const taken: Taken = { logs: [], spans: [], series_created: 0, has_history: false }
  let in_turn = 0
  for (const [index, signal] of signals.entries()) {
    const is_signal = isSignal(signal)
    const reason = is_signal ? take(signal, context, taken) : faultsOfSignal(signal)
    if (reason !== undefined) rejected.push({ index, reason })
    if (is_signal && ++in_turn < signals_a_turn) continue
    await new Promise((resolve) => setImmediate(resolve))
    in_turn = 0
  }
  await keepSignals(context, 'log', taken.logs)
  await keepSignals(context, 'span', taken.spans)
  // Whoever loads history waits for it, so that one batch after the other finds room.
  if (taken.has_history) await context.health.settled(context.tenant_id)
  return {
    accepted: signals.length - rejected.length,
    rejected,
    series_created: taken.series_created,
  }
}

/** Why it is not recorded. */
function take(signal: Static<typeof AnySignal>, context: EmitContext, taken: Taken): string | undefined {
  const { telemetry, tenant_id, now } = context
  if ('traceId' in signal) return take(spanOf(signal), context, taken)
  if ('severityText' in signal) return take(logOf(signal), context, taken)
  if ('trace_id' in signal) {
    if (sortable(signal.end) < sortable(signal.start)) return 'a span must not end before it starts'
    const fault = faultOfTime(signal.end, now, signals_kept_ms)
    if (fault) return fault
    telemetry.span(tenant_id, signal)
    taken.spans.push(signal)
    return undefined
  }
  if ('kind' in signal) return takeMetric(signal, context, taken)
  const fault = signal.at === undefined ? undefined : faultOfTime(signal.at, now, signals_kept_ms)
  if (fault) return fault
  telemetry.log(tenant_id, signal)
  taken.logs.push(signal)
  return undefined
}

function takeMetric(
  signal: Extract<Static<typeof AnySignal>, { kind: unknown }>,
  { telemetry, tenant_id, now }: EmitContext,
  taken: Taken,
): string | undefined {
  const { labels = {}, at = now } = signal
  const fault = faultOfTime(at, now, measured_ms_max)
  if (fault) return fault
  const is_history = Date.parse(now) - Date.parse(at) > late_ms_max
  const { rejected, created } = telemetry.metric(tenant_id, {
    ...{ ...signal, labels, at },
    ...(is_history && { received_at: now }),
  })
  if (rejected !== undefined) return rejected
  if (created) taken.series_created++
  if (is_history) taken.has_history = true
  return undefined
}

function faultOfTime(at: string, now: string, past_ms_max: number): string | undefined {
  const ahead_ms = Date.parse(at) - Date.parse(now)
  if (ahead_ms > ahead_ms_max) return 'its time is more than an hour ahead'
  if (-ahead_ms <= past_ms_max) return undefined
  return `its time is more than ${past_ms_max / day_ms} days ago, which is how long it would be kept`
}

/** Padded to nanoseconds, times compare as text; unpadded, 10:00:00Z sorts after 10:00:00.5Z. */
function sortable(at: string): string {
  return `${at.slice(0, 19)}.${at.slice(20, -1).padEnd(9, '0')}`
}
