// Who calls in this simulation: one tenant with a tight rate limit, another with a tight budget.
import { type Books, empty_books } from '@svc/contract/money/books'
import type { Asked } from '@svc/engine/call'
import type { Bucket, Budget } from './limits-model.ts'

export interface ClientCall {
  readonly tenant_id: string
  readonly operation: 'happen' | 'act'
  readonly key: string | undefined
  readonly name: string
  readonly after_ms: number
  readonly is_refused: boolean
}

const row = { capacity: 6, refill_per_s: 0.2 }
export const limits_table = { infrastructure: row, standard: row, heavy: row }
const tight_micro_usd = 80_000
const ample_micro_usd = 10_000_000_000n
/** A second, the most that is charged for a call, at the base rate. */
const worst_micro_usd = 18_000

type TenantIds = readonly [limited: string, poor: string]

export function tenantsOf(seed: number): TenantIds {
  return [`d${seed}-limited`, `d${seed}-poor`]
}

export function budgetOf([limited, poor]: TenantIds): { bucket: Bucket; budget: Budget } {
  return {
    bucket: { tenant_id: limited, ...row },
    budget: { tenant_id: poor, limit_micro_usd: tight_micro_usd, worst_micro_usd },
  }
}

export function booksOf(tenant_id: string, [, poor]: TenantIds): Books {
  const paid_in_micro_usd = tenant_id === poor ? BigInt(tight_micro_usd) : ample_micro_usd
  return { ...empty_books, paid_in_micro_usd, credit_line_micro_usd: 0n }
}

export function askedOf(call: ClientCall, correlation_id: string, [limited]: TenantIds): Asked {
  const { tenant_id, operation, key, name, after_ms, is_refused } = call
  return {
    request: {
      protocol: 'EFFECTS',
      version: 'v1.0.0',
      operation,
      input: { name, after_ms, is_refused },
      tenant_id,
      ...(key !== undefined && { idempotency_key: key }),
    },
    credential: {
      key_id: 'simulate',
      did: `did:oas:${tenant_id}:agent:${'a'.repeat(64)}`,
      tenant_id,
      // Fifty times the bucket, so that only its budget limits the other tenant.
      tier: tenant_id === limited ? 'charter' : 'sovereign',
      capabilities: [{ name: 'svc.effects.*', caveats: [] }],
    },
    origin: 'http',
    correlation_id,
  }
}
