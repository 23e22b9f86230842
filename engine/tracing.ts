// Stage timings and tracing. Times are always taken; spans are made only for sampled calls.

import type { Call } from './call.ts'
import type { CallEnding, Ports } from './ports.ts'

const last_stage = 8
const never = Number.NaN

/** When each stage ended, by number; NaN for those not reached. Doubles from the start, so that none is boxed. */
export function untimed(): number[] {
  return [never, never, never, never, never, never, never, never, never]
}

export function passed(call: Call, stage: number, { clock }: Ports): void {
  call.ended_ms[stage] = clock.monotonic_ms()
}

/** A refusing stage has ended too: otherwise its time would count for the next one. */
export function ended(call: Call, ports: Ports): void {
  if (call.stage < last_stage) passed(call, call.stage, ports)
}

/** Resolves when the decision is in the journal. A call whose record cannot be written has ended too, in an error. */
export function written(call: Call, root: CallEnding['root'], ports: Ports): Promise<void> {
  return ports.audit_log.written().catch((thrown: unknown) => {
    call.stage = last_stage
    const audit_head = ports.audit_log.head(call.asked.credential.tenant_id)
    concludeTimes(call, { root, outcome: 'error', code: 'internal', audit_head }, ports)
    throw thrown
  })
}

/** The last stage ends when the decision is written. */
export function concludeTimes(call: Call, ending: CallEnding, ports: Ports): void {
  passed(call, last_stage, ports)
  ports.meters.timed?.(call.started_ms, call.ended_ms)
  ports.tracer?.end(call, ending)
}
