// Stage 3: rate limits, and no state changes while decisions cannot be recorded.
import { factorFor } from '@svc/contract/authority/throttle'
import { type Books, envelopeOf } from '@svc/contract/money/books'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Admitted, Allowance, Call, Enriched } from '../call.ts'
import type { Ahead } from '../judge-ahead.ts'
import { type BucketSize, bucketSize } from '../limits/limits.ts'
import type { BucketKey, Ports } from '../ports.ts'

const overflow_retry_ms = 1000
const day_ms = 86_400_000

/** Waits only for a remote limiter, and for a tenant's books at its first call. A remote limiter may ask what the later stages would reserve. */
export function limitRate(
  call: Enriched,
  ports: Ports,
  ahead: Pick<Ahead, 'judge'>,
): Admitted | Promise<Admitted> {
  call.stage = 3
  const books = ports.treasury.of(call.asked.credential.tenant_id)
  return books instanceof Promise
    ? books.then((read) => limit(call, read, ports, ahead))
    : limit(call, books, ports, ahead)
}

function limit(
  call: Enriched,
  books: Books,
  ports: Ports,
  ahead: Pick<Ahead, 'judge'>,
): Admitted | Promise<Admitted> {
  const { facts } = call.operation
  // An emergency stop is never refused because the buffer is full: its record is committed with its rows.
  const overflow = facts.effect === 'write' && !facts.exempt && ports.audit_log.state() === 'overflow'
  const slowed = slowingOf(call, books)
  const refused = overflow ? bufferFull() : slowed?.factor_bps === 0 ? stopped(call, slowed) : undefined
  // An unlimited call, or one refused anyway, takes nothing, so it does not wait for a remote bucket.
  const cost = facts.exempt || refused ? 0 : (facts.rate_cost ?? 1)
  const admitted = Object.assign(call, { books }) as Admitted
  const allowance = look(admitted, slowed, ports, cost, ahead)
  const learn = (taken: Allowance): Admitted => {
    admitted.allowance = taken
    // The bucket is checked first, so that this answer reports its limits too.
    if (refused) throw refused
    if (taken.allowed || facts.exempt) return admitted
    const { id } = call.registered.facts
    throw tooFast(id, call.asked.credential.tenant_id, id, taken)
  }
  return allowance instanceof Promise ? allowance.then(learn) : learn(allowance)
}

function look(
  call: Admitted,
  slowed: Slowing | undefined,
  ports: Ports,
  cost: number,
  ahead: Pick<Ahead, 'judge'>,
): Allowance | Promise<Allowance> {
  const { limiter, settings } = ports
  const { id: protocol, rate } = call.registered.facts
  const { tenant_id, tier } = call.asked.credential
  const key = { tenant_id, protocol }
  const size = bucketSize(settings.limits, rate, tier)
  const take = cost > 0 && !call.asked.dry_run
  const planned = () => ahead.judge(call, ports)
  return slowed
    ? limiter.take(slowBucket(key, slowed), slowDown(size, slowed), cost, take, planned)
    : limiter.take(key, size, cost, take, planned)
}

/** The bucket of unknown protocols. No protocol can have this id: theirs are in capitals. */
const unknown_bucket = 'unknown'

/** An unknown name takes from a bucket too: guessing many is slowed down. */
export async function limitUnknown(call: Call, refusal: Refusal, ports: Ports): Promise<Refusal> {
  if (call.stage !== 1 || !refusal.code.startsWith('unknown_')) return refusal
  const { request, credential, dry_run } = call.asked
  const { tenant_id, tier } = credential
  const { id = unknown_bucket, rate = 'standard' } =
    ports.registry.versions(request.protocol)?.[0]?.facts ?? {}
  const size = bucketSize(ports.settings.limits, rate, tier)
  call.allowance = await ports.limiter.take({ tenant_id, protocol: id }, size, 1, !dry_run)
  if (call.allowance.allowed) return refusal
  call.stage = 3
  return tooFast(id === unknown_bucket ? 'protocols that do not exist' : id, tenant_id, id, call.allowance)
}

function tooFast(name: string, tenant_id: string, id: string, allowance: Allowance): Refusal {
  return refuse('rate_limited', sentence(name, tenant_id, allowance), {
    reason: allowance.reason ?? 'bucket empty',
    retry_after_ms: allowance.retry_after_ms,
    tenant: tenant_id,
    protocol: id,
  })
}

function bufferFull(): Refusal {
  return refuse(
    'rate_limited',
    'The audit buffer is full, so operations that change state wait until it drains; reads go on. Try again shortly.',
    { reason: 'audit buffer overflow', retry_after_ms: overflow_retry_ms },
  )
}

function stopped({ operation }: Enriched, { why }: Slowing): Refusal {
  return refuse(
    'rate_limited',
    `${operation.capability} is stopped by ${why} with factor 0; lift it with MANA throttle.`,
    { reason: 'throttled to zero', retry_after_ms: day_ms },
  )
}

function sentence(protocol: string, tenant_id: string, allowance: Allowance): string {
  if (allowance.reason === 'monthly quota used') {
    return `Tenant ${tenant_id} has used the calls its tier includes this month; wait for the next month or ask for a higher tier.`
  }
  return `Tenant ${tenant_id} calls ${protocol} faster than its limit of ${allowance.limit}; wait ${allowance.retry_after_ms} ms and try again.`
}

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

function slowingOf({ caller, context, operation, registered }: Enriched, books: Books): Slowing | undefined {
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

function slowBucket({ tenant_id, protocol }: BucketKey, { bucket }: Slowing): BucketKey {
  return { tenant_id, protocol: `${protocol}/${bucket}` }
}

function slowDown(size: BucketSize, { factor_bps }: Slowing): BucketSize {
  const factor = Math.max(1, factor_bps) / bps_whole
  return {
    capacity: Math.max(1, size.capacity * factor),
    refill_per_s: size.refill_per_s * factor,
    month_max: size.month_max,
  }
}
