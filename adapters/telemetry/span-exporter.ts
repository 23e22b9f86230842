// Finished calls as OTLP spans: the root has the outcome, each child the duration of its stage.
import { stages } from '@svc/contract/stage'
import type { Clock } from '@svc/engine/ports'
import { callConventions, toolConventions, usageConventions } from './gen-ai.ts'
import { attributesOf, collectorAt, countsOf, nanos, type OtlpIdentity, resourceOf } from './otlp-wire.ts'
import { type FinishedTrace, newSpanId } from './tracer.ts'

const kinds = { internal: 1, server: 2 } as const
const status_error = 2
const invoke_stage = 7
/** Retryable by OTLP; any other failure drops the batch, which would otherwise block all later ones. */
const again: ReadonlySet<number> = new Set([429, 502, 503, 504])

interface Parts extends OtlpIdentity {
  readonly clock: Pick<Clock, 'uuid'>
}

export function spanExporter(url: string, { clock, ...identity }: Parts) {
  const post = collectorAt(url, 'v1/traces')
  return async (traces: readonly FinishedTrace[]): Promise<'taken' | 'again' | 'never'> => {
    const spans = traces.flatMap((trace) => spansOf(trace, () => newSpanId(clock)))
    const resource = resourceOf(identity)
    const { ok, status } = await post({
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'svc' }, spans }] }],
    })
    return ok ? 'taken' : again.has(status) ? 'again' : 'never'
  }
}

function spansOf(trace: FinishedTrace, newId: () => string): object[] {
  const { trace_id: traceId, began_ms, started_ms, ended_ms, tracestate } = trace
  const state = tracestate === undefined ? {} : { traceState: tracestate }
  const at = (ms: number) => nanos(began_ms, ms - started_ms)
  const failed = trace.outcome === 'error' ? { status: { code: status_error } } : {}
  const root = {
    traceId,
    spanId: trace.span_id,
    ...(trace.parent_span_id === undefined ? {} : { parentSpanId: trace.parent_span_id }),
    ...state,
    name: trace.root,
    kind: kinds.server,
    startTimeUnixNano: at(started_ms),
    endTimeUnixNano: at(ended_ms.at(-1)!),
    attributes: [...rootAttributes(trace), ...countsOf(usageConventions(trace))],
    ...failed,
  }
  let since_ms = started_ms
  const children = ended_ms.flatMap((until_ms, stage) => {
    if (Number.isNaN(until_ms)) return []
    const refused = stage === trace.refused_at
    const child = {
      traceId,
      spanId: stage === invoke_stage ? trace.invoke_span_id : newId(),
      parentSpanId: trace.span_id,
      ...state,
      name: `svc.stage.${stages[stage]?.id}`,
      kind: kinds.internal,
      startTimeUnixNano: at(since_ms),
      endTimeUnixNano: at(until_ms),
      attributes: attributesOf({
        'svc.stage': stage,
        ...(refused && { 'svc.refusal_reason': trace.code }),
        ...(stage === invoke_stage && toolConventions(trace)),
      }),
      ...(refused ? failed : {}),
    }
    since_ms = until_ms
    return [child]
  })
  return [root, ...children]
}

function rootAttributes(trace: FinishedTrace) {
  const { code, audit_head } = trace
  return attributesOf({
    'svc.protocol': trace.protocol,
    'svc.operation': trace.operation,
    'svc.tenant_id': trace.tenant_id,
    'svc.outcome': trace.outcome,
    ...(code !== undefined && { 'svc.refusal_reason': code }),
    ...(audit_head !== null && { 'svc.audit_head': audit_head }),
    'svc.correlation_id': trace.correlation_id,
    'svc.origin': trace.origin,
    ...(trace.dry_run && { 'svc.dry_run': true }),
    ...callConventions(trace),
  })
}
