// What a stranger's code may write into the audit log in one call, and what that costs.

import { refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { Used } from '../call.ts'

const events_max = 100
export const event_bytes_max = 64 * 1024
const kib = 1024
const ms_per_kib = 10

/** Each KiB that is begun is charged like so many milliseconds of work. */
export function chargedEventMs(bytes: number): number {
  return Math.ceil(bytes / kib) * ms_per_kib
}

/** Counts an event, or refuses it: what was recorded before it stays. */
export function countForeignEvent(used: Used, event_type: string, meta: unknown): void {
  const { events = 0, event_bytes = 0 } = used
  const bytes = event_bytes + Buffer.byteLength(event_type + canonicalJson(meta))
  if (events >= events_max || bytes > event_bytes_max)
    throw refuse(
      'policy_denied',
      `One call may record ${events_max} events of ${event_bytes_max} bytes in all, and this is more; record less.`,
      { reason: 'event limit' },
    )
  used.events = events + 1
  used.event_bytes = bytes
}
