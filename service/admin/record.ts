// What an operator changes is recorded in the tenant's book: an outbox row in the change's own transaction, so that it
// also stands when the engine is stopped; the chain writer takes it when the engine runs.
import { userInfo } from 'node:os'
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Clock } from '@svc/engine/ports'

/** Who types, as the operating system knows them. */
export interface Operator {
  readonly os_user: string
  readonly clock: Clock
}

export interface Change {
  readonly tenant_id: string
  /** The command, such as `key issue`. */
  readonly command: string
  /** Something was given rather than taken or set. */
  readonly grants?: boolean
  /** Names, ids and sizes; never a secret or content. */
  readonly meta: Record<string, unknown>
}

export function currentOperator(clock: Clock): Operator {
  return { os_user: osUser(), clock }
}

/** A container may run under a number that has no name. */
function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

export async function recordChange(db: Database, operator: Operator, change: Change): Promise<void> {
  const { grants, command, meta, tenant_id } = change
  await leaveInOutbox(db, {
    ...changeOrder(operator, tenant_id, command, meta),
    event_type: grants ? 'CapabilityGrant' : 'AuthorizationCheck',
    outcome: 'success',
    latency_ms: 0,
  })
}

/** Who asked for what and when, in the words of a record. */
export function changeOrder(
  { clock, os_user }: Operator,
  tenant_id: string,
  command: string,
  meta: Record<string, unknown> = {},
) {
  return {
    id: clock.uuid(),
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id,
    caller_did: 'operator',
    meta: { ...meta, gate: 'operator', command, os_user },
  }
}
