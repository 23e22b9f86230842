// Rows that must be committed before an operation proceeds, such as an intent before an external effect, or a state before a long wait.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Apart } from '@svc/contract/operation-context'
import type { Placed } from '../call.ts'
import type { Ports, Transaction } from '../ports.ts'
import { eventInChains, eventOf, nameOf } from './events.ts'

/** In this transaction, which it ends. */
export async function runApart<Result>(
  call: Placed,
  ports: Ports,
  transaction: Transaction,
  work: (rows: Apart) => Promise<Result>,
): Promise<Result> {
  const { tenant_id } = call.context
  const events: AuditEntry[] = []
  const audit: Apart['audit'] = (event_type, facts, more = {}) => {
    const own = eventOf(call, ports, event_type, facts, more)
    events.push(...eventInChains(own, more.also ?? [], tenant_id, ports))
    return nameOf(own)
  }
  try {
    const result = await work({ db: transaction.db, audit })
    await transaction.commit(events)
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}
