// What the operator lets a tenant owe, and how much of what was used has been booked.
import type { Database } from '@svc/contract/operation-context'
import { sql } from 'kysely'

export interface Billing {
  /** Null where the tier says it. */
  readonly credit_line_micro_usd: bigint | null
  /** Taken from the runway by roll-ups in all. */
  readonly rolled_micro_usd: bigint
}

export async function billingOf(db: Database, tenant_id: string): Promise<Billing> {
  const { rows } = await sql<{ credit_line_micro_usd: string | null; rolled_micro_usd: string }>`
    SELECT credit_line_micro_usd, rolled_micro_usd FROM billing WHERE tenant_id = ${tenant_id}`.execute(db)
  const { credit_line_micro_usd: line = null, rolled_micro_usd = '0' } = rows[0] ?? {}
  return {
    credit_line_micro_usd: line === null ? null : BigInt(line),
    rolled_micro_usd: BigInt(rolled_micro_usd),
  }
}
