// Whoever is far too fast is answered late: refusing costs the time of others, and most clients wait for their answer before they ask again.
import type { Outcome } from '@svc/engine/dispatch'
import type { Place } from './admission-control.ts'

/** So that an organization gets 200 of these answers a second, on however many connections. */
const spacing_ms = 5
const wait_ms_max = 5_000
/** A larger request is answered at once: it is in memory until then. */
const body_bytes_max = 16 * 1024

const waiting = new Map<string, number>()

/** True where the refusal is one of so many that it was only counted. */
export function isFarTooFast(outcome: Outcome, body_bytes: number): boolean {
  if (outcome.kind !== 'refused' || outcome.refusal.code !== 'rate_limited') return false
  return outcome.record_id === null && body_bytes <= body_bytes_max
}

/** The caller waits without a place among the calls under way; the bytes of its request still count. */
export async function slowDown(tenant_id: string, place?: Place): Promise<void> {
  place?.stepAside()
  const number = (waiting.get(tenant_id) ?? 0) + 1
  waiting.set(tenant_id, number)
  await new Promise((resolve) => setTimeout(resolve, Math.min(wait_ms_max, number * spacing_ms)).unref())
  const left = waiting.get(tenant_id)! - 1
  if (left > 0) waiting.set(tenant_id, left)
  else waiting.delete(tenant_id)
}
