// What untrusted code may write to the audit log in one call, and its price.

import { refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { Used } from '../call.ts'

const events_max = 100
export const event_bytes_max = 64 * 1024
const kib = 1024
const ms_per_kib = 10

/** Each started KiB is charged like this many milliseconds of work. */
export function chargedEventMs(bytes: number): number {
  return Math.ceil(bytes / kib) * ms_per_kib
}

/** Counts an event, or refuses it: events recorded before it stay. */
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
