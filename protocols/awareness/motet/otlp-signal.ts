// Maps logs and spans from OTLP/JSON names to ours. Not metrics: OTLP nests their points, ours are flat.
import { Closed, OneOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const Nanos = Type.String({
  pattern: '^[0-9]{1,19}$',
  description: 'Nanoseconds since the epoch, as OTLP writes them.',
})

export const OtlpLog = Closed({
  severityText: OneOf('DEBUG', 'INFO', 'WARN', 'ERROR'),
  body: Closed({ stringValue: Text(8192) }),
  timeUnixNano: Type.Optional(Nanos),
})
export const OtlpSpan = Closed({
  traceId: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  spanId: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  parentSpanId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{16}$' })),
  name: Text(256),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  status: Type.Optional(
    Closed({
      code: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 })),
      message: Type.Optional(Type.String({ maxLength: 256 })),
    }),
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
