// How long each stage took, and what a tracer is told. Times are taken always; a span is made only of a call that is sampled.

import type { Call } from './call.ts'
import type { CallEnding, Ports } from './ports.ts'

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
  return ports.audit_log.written().catch((thrown: unknown) => {
    call.stage = last_stage
    const audit_head = ports.audit_log.head(call.asked.credential.tenant_id)
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
