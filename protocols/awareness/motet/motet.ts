import type { OperationContext } from '@svc/contract/operation-context'
import { operation, protocol } from '@svc/contract/protocol'
import { Closed, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { logOf, OtlpLog, OtlpSpan, spanOf } from './otlp-signal.ts'

const skew_ms_max = 3_600_000

const Labels = Type.Record(
  Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$' }),
  Type.String({ maxLength: 128 }),
  {
    maxProperties: 16,
    additionalProperties: false,
  },
)
const MetricSignal = Closed({
  name: Type.String({ pattern: '^[a-z_:][a-z0-9_:]{0,127}$', description: 'Name of the metric.' }),
  kind: described(
    OneOf('counter', 'gauge', 'histogram'),
    'counter: a running total that only grows; gauge: a current value; histogram: one observation.',
  ),
  value: Type.Number({ description: 'The measurement; for a counter its total so far.' }),
  unit: Type.Optional(Text(32, { description: 'Unit of the value, e.g. ms or bytes.' })),
  labels: Type.Optional(
    described(Labels, 'Distinguish series of the same metric; the tenant is added by the service.'),
  ),
  at: Type.Optional(described(Timestamp, 'When it was measured; default now.')),
})
const LogSignal = Closed({
  severity: described(OneOf('debug', 'info', 'warn', 'error'), 'How serious it is.'),
  body: Text(8192, { description: 'The log message.' }),
  attributes: Type.Optional(described(Labels, 'Details to filter by.')),
  at: Type.Optional(described(Timestamp, 'When it was logged; default now.')),
})
const SpanSignal = Closed({
  trace_id: Type.String({
    pattern: '^[0-9a-f]{32}$',
    description: 'Trace the span belongs to, 16 bytes in lower hex.',
  }),
  span_id: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Id of the span, 8 bytes in lower hex.' }),
  parent: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{16}$',
      description: 'Span that started this one; absent for the root of a trace.',
    }),
  ),
  name: Text(256, { description: 'What was done, e.g. an operation.' }),
  start: described(Timestamp, 'When the work began.'),
  end: described(Timestamp, 'When the work ended.'),
  status: described(OneOf('unset', 'ok', 'error'), 'How the work ended; unset where nobody said.'),
})
const AnySignal = Type.Union([MetricSignal, LogSignal, SpanSignal, OtlpLog, OtlpSpan])

export const motet = protocol({
  id: 'MOTET',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Measurements: metrics, logs and spans that agents emit.',

  operations: {
    emit: operation({
      summary: 'Record measurements, logs or spans of the calling tenant.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      // Signals are the tenant's own telemetry and are exported; the record holds a commitment, not a copy.
      keep_input: false,
      needs: ['telemetry'],
      input: Closed({
        signals: described(
          ListOf(AnySignal, 1, 1000),
          'Metrics, logs and spans, in our names or those of OTLP/JSON.',
        ),
      }),
      output: Closed({
        accepted: Type.Integer({ description: 'Number of signals that were recorded.' }),
        rejected: described(
          ListOf(
            Closed({
              index: Type.Integer({ description: 'Which of the signals, from 0.' }),
              reason: Type.String({ description: 'Why it was not recorded.' }),
            }),
            0,
            1000,
          ),
          'Signals that were not recorded; the others were.',
        ),
        series_created: Type.Integer({
          description: 'New combinations of metric and labels; their number is limited for a tenant.',
        }),
      }),
      example: { signals: [{ name: 'tasks_done', kind: 'counter', value: 1, labels: { queue: 'inbox' } }] },

      // Partial acceptance is a success: one bad signal must not lose the others.
      handle({ signals }, context) {
        const rejected: { index: number; reason: string }[] = []
        let series_created = 0
        signals.forEach((signal, index) => {
          const taken = take(signal, context)
          if (taken.rejected) rejected.push({ index, reason: taken.rejected })
          if (taken.created) series_created++
        })
        return { accepted: signals.length - rejected.length, rejected, series_created }
      },
    }),
  },
})

type Taken = { rejected?: string; created?: boolean }

function take(signal: Static<typeof AnySignal>, context: OperationContext<'telemetry'>): Taken {
  const { telemetry, tenant_id } = context
  if ('traceId' in signal) return take(spanOf(signal), context)
  if ('severityText' in signal) return take(logOf(signal), context)
  if ('trace_id' in signal) {
    if (sortable(signal.end) < sortable(signal.start))
      return { rejected: 'a span must not end before it starts' }
    const skewed = skew(signal.end, context.now)
    if (!skewed) telemetry.span(tenant_id, signal)
    return { rejected: skewed }
  }
  const skewed = signal.at === undefined ? undefined : skew(signal.at, context.now)
  if (skewed) return { rejected: skewed }
  if ('kind' in signal) {
    const { labels = {}, at = context.now } = signal
    return telemetry.metric(tenant_id, { ...signal, labels, at })
  }
  telemetry.log(tenant_id, signal)
  return {}
}

function skew(at: string, now: string): string | undefined {
  const off_ms = Math.abs(Date.parse(at) - Date.parse(now))
  return off_ms > skew_ms_max ? 'its time is more than an hour from now' : undefined
}

/** Padded to nanoseconds, times compare as text; unpadded, 10:00:00Z sorts after 10:00:00.5Z. */
function sortable(at: string): string {
  return `${at.slice(0, 19)}.${at.slice(20, -1).padEnd(9, '0')}`
}
