// How far a caller is slowed below its tenant's rate: by its department's throttle, or by a low runway.

import { factorFor } from '@svc/contract/authority/throttle'
import { type Books, envelopeOf } from '@svc/contract/money/books'
import type { Enriched } from '../call.ts'
import type { BucketKey } from '../ports.ts'
import type { BucketSize } from './limits.ts'

const bps_whole = 10_000
/** A low runway is reserved for essential work: agents' reasoning is slowed first. */
const low_runway_bps = 2_500

export interface Slowing {
  /** Below 10,000; 0 stops. */
  readonly factor_bps: number
  /** Callers slowed together share a separate bucket. */
  readonly bucket: string
  readonly why: string
}

export function slowingOf(
  { caller, context, operation, registered }: Enriched,
  books: Books,
): Slowing | undefined {
  // Whoever set the throttle must be able to lift it.
  if (operation.facts.exempt || operation.facts.essential) return undefined
  const is_low = books.level === 'critical' || books.level === 'exhausted'
  const low_bps = is_low && registered.facts.estate === 'agent' ? low_runway_bps : bps_whole
  const envelope =
    books.envelopes.length > 0 ? envelopeOf(books, caller.did, context.metadata.envelope_id) : undefined
  const own_bps = envelope ? factorFor(envelope.throttles, operation.capability) : bps_whole
  const factor_bps = Math.floor((own_bps * low_bps) / bps_whole)
  if (factor_bps >= bps_whole) return undefined
  if (envelope && own_bps < bps_whole)
    return { factor_bps, bucket: envelope.envelope_id, why: `a throttle of ${envelope.department}` }
  return { factor_bps, bucket: 'low-runway', why: 'a runway that is nearly spent' }
}

export function slowBucket({ tenant_id, protocol }: BucketKey, { bucket }: Slowing): BucketKey {
  return { tenant_id, protocol: `${protocol}/${bucket}` }
}

export function slowDown(size: BucketSize, { factor_bps }: Slowing): BucketSize {
  const factor = Math.max(1, factor_bps) / bps_whole
  return {
    capacity: Math.max(1, size.capacity * factor),
    refill_per_s: size.refill_per_s * factor,
    month_max: size.month_max,
  }
}
