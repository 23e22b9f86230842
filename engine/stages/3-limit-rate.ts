// Stage 3: not too fast, and nothing that changes state while decisions cannot be kept.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Admitted, Enriched } from '../call.ts'
import { bucketSize } from '../limits.ts'
import type { Allowance, Ports } from '../ports.ts'

const overflow_retry_ms = 1000

/** Waits only for a limiter that lives elsewhere. */
export function limitRate(call: Enriched, ports: Ports): Admitted | Promise<Admitted> {
  call.stage = 3
  const { facts } = call.operation
  const overflow = facts.effect === 'write' && ports.book.state() === 'overflow'
  // What is never limited, or refused anyway, asks for nothing, so that it waits for no bucket kept elsewhere.
  const cost = facts.exempt || overflow ? 0 : (facts.rate_cost ?? 1)
  const allowance = look(call, ports, cost, cost > 0 && !call.asked.dry_run)
  return allowance instanceof Promise
    ? allowance.then((found) => judge(call, found, overflow))
    : judge(call, allowance, overflow)
}

function judge(call: Enriched, allowance: Allowance, overflow: boolean): Admitted {
  const admitted = Object.assign(call, { allowance })
  // The bucket is looked at first, so that this answer carries its limits like any other.
  if (overflow) throw bufferFull()
  if (allowance.allowed || call.operation.facts.exempt) return admitted
  const { id } = call.registered.facts
  const { tenant_id } = call.asked.credential
  throw refuse('rate_limited', sentence(id, tenant_id, allowance), {
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

function look(call: Enriched, ports: Ports, cost: number, take: boolean): Allowance | Promise<Allowance> {
  const { facts } = call.registered
  const { tenant_id, tier } = call.asked.credential
  const size = bucketSize(ports.settings.limits, facts.rate, tier)
  return ports.limiter.take({ tenant_id, protocol: facts.id }, size, cost, take)
}

function sentence(protocol: string, tenant_id: string, allowance: Allowance): string {
  if (allowance.reason === 'monthly quota used') {
    return `Tenant ${tenant_id} has used the calls its tier includes this month; wait for the next month or ask for a higher tier.`
  }
  return `Tenant ${tenant_id} calls ${protocol} faster than its limit of ${allowance.limit}; wait ${allowance.retry_after_ms} ms and try again.`
}
