// Maps logs and spans from OTLP/JSON names to ours. Not metrics: OTLP nests their points, ours are flat.
import { Closed, described, OneOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const Nanos = Type.String({
  pattern: '^[0-9]{1,19}$',
  description: 'Nanoseconds since the epoch, as OTLP writes them.',
})

export const OtlpLog = Closed({
  severityText: described(OneOf('DEBUG', 'INFO', 'WARN', 'ERROR'), 'How serious it is.'),
  body: Closed(
    { stringValue: Text(8192, { description: 'The message as text.' }) },
    { description: 'The log message.' },
  ),
  timeUnixNano: Type.Optional(Nanos),
})
export const OtlpSpan = Closed({
  traceId: Type.String({
    pattern: '^[0-9a-f]{32}$',
    description: 'Trace the span belongs to, 16 bytes in lower hex.',
  }),
  spanId: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Id of the span, 8 bytes in lower hex.' }),
  parentSpanId: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{16}$',
      description: 'Span that started this one; absent for the root of a trace.',
    }),
  ),
  name: Text(256, { description: 'What was done, e.g. an operation.' }),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  status: Type.Optional(
    Closed(
      {
        code: Type.Optional(Type.Integer({ minimum: 0, maximum: 2, description: '0 unset, 1 ok, 2 error.' })),
        message: Type.Optional(
          Type.String({ maxLength: 256, description: 'Explanation of an error; it is not stored.' }),
        ),
      },
      { description: 'How the work ended; absent means unset.' },
    ),
  ),
})

const statuses = ['unset', 'ok', 'error'] as const
type Severity = 'debug' | 'info' | 'warn' | 'error'

export function logOf({ severityText, body, timeUnixNano }: Static<typeof OtlpLog>) {
  const severity = severityText.toLowerCase() as Severity
  return { severity, body: body.stringValue, ...(timeUnixNano && { at: timeOf(timeUnixNano) }) }
}

export function spanOf(span: Static<typeof OtlpSpan>) {
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    ...(span.parentSpanId && { parent: span.parentSpanId }),
    name: span.name,
    start: timeOf(span.startTimeUnixNano),
    end: timeOf(span.endTimeUnixNano),
    status: statuses[span.status?.code ?? 0] ?? 'unset',
  }
}

/** RFC 3339 with nine decimals, so that no precision is lost. */
function timeOf(nanos: string): string {
  const [seconds, rest] = [BigInt(nanos) / 1_000_000_000n, BigInt(nanos) % 1_000_000_000n]
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(rest).padStart(9, '0')}Z`
}
