// What agents send: metrics, logs and spans, in our names or those of OTLP/JSON.
import { Closed, described, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { Type } from 'typebox'
import { OtlpLog, OtlpSpan } from './otlp-signal.ts'

const Labels = Type.Record(
  Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$' }),
  Type.String({ maxLength: 128 }),
  {
    maxProperties: 16,
    additionalProperties: false,
  },
)
export const MetricSignal = Closed({
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
  at: Type.Optional(
    described(
      Timestamp,
      'When it was measured, up to 400 days ago and an hour ahead; default now. History of a counter comes before its newer totals.',
    ),
  ),
})
export const severities = ['debug', 'info', 'warn', 'error'] as const

export const log_fields = {
  severity: described(OneOf(...severities), 'How serious it is.'),
  body: Text(8192, { description: 'The log message.' }),
  attributes: Type.Optional(described(Labels, 'Details to filter by.')),
  at: Type.Optional(
    described(Timestamp, 'When it was logged, up to 7 days ago and an hour ahead; absent: when it arrived.'),
  ),
}
export const LogSignal = Closed(log_fields)

export const span_fields = {
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
  end: described(Timestamp, 'When the work ended, up to 7 days ago and an hour ahead.'),
  status: described(OneOf('unset', 'ok', 'error'), 'How the work ended; unset where nobody said.'),
}
export const SpanSignal = Closed(span_fields)

export const AnySignal = Type.Union([MetricSignal, LogSignal, SpanSignal, OtlpLog, OtlpSpan])
