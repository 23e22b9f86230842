// How long each stage took, and what a tracer is told. Times are taken always; a span is made only of a call that is sampled.
import type { TraceContext } from '@svc/contract/invoke-context'
import type { Call } from './call.ts'
import type { Ports } from './ports.ts'

/** A call that is sampled from its beginning: those it calls hang below its invocation. */
export interface CallTrace {
  readonly trace_id: string
  readonly span_id: string
  readonly invoke_span_id: string
  readonly context: TraceContext
}

/** What became of a call, in words that hold nothing of its content. */
export interface CallEnding {
  readonly root: 'svc.dispatch' | 'svc.invoke'
  readonly outcome: 'success' | 'refused' | 'error'
  readonly code: string | undefined
  readonly audit_head: string | null
}

export interface Tracer {
  /** Undefined where it is not known yet whether this call is sampled: an error still may be. */
  begin(call: Call): CallTrace | undefined
  /** Told once, when everything is decided and written. Must not throw, and must not wait. */
  end(call: Call, ending: CallEnding): void
}

const last_stage = 8
const never = Number.NaN

/** When each stage ended, by its number; NaN for those that were never reached. Doubles from the start, so that none is boxed. */
export function untimed(): number[] {
  return [never, never, never, never, never, never, never, never, never]
}

export function passed(call: Call, stage: number, { clock }: Ports): void {
  call.ended_ms[stage] = clock.monotonic_ms()
}

/** A stage that refused has ended too: without this its time would be the next one's. */
export function ended(call: Call, ports: Ports): void {
  if (call.stage < last_stage) passed(call, call.stage, ports)
}

/** Resolves when what was decided is in the journal. A call whose record cannot be written has ended too, in an error. */
export function written(call: Call, root: CallEnding['root'], ports: Ports): Promise<void> {
  return ports.book.written().catch((thrown: unknown) => {
    call.stage = last_stage
    const audit_head = ports.book.head(call.asked.credential.tenant_id)
    concludeTimes(call, { root, outcome: 'error', code: 'internal', audit_head }, ports)
    throw thrown
  })
}

/** The last stage ends when what was decided is written. */
export function concludeTimes(call: Call, ending: CallEnding, ports: Ports): void {
  passed(call, last_stage, ports)
  ports.meters.timed?.(call.started_ms, call.ended_ms)
  ports.tracer?.end(call, ending)
}
