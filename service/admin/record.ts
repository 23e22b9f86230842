// Records an operator's change in the tenant's audit log: an outbox row in the same transaction, so that it is recorded
// even while the engine is stopped; the chain writer processes it when the engine runs.
import { userInfo } from 'node:os'
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { EventType } from '@svc/contract/audit/event'
import type { Database } from '@svc/contract/database'
import type { Clock } from '@svc/engine/ports'

/** The operating system's name of the person at the terminal. */
export interface Operator {
  readonly os_user: string
  readonly clock: Clock
  /** The configuration file that `svc-engine apply` carries out, by its SHA-256. */
  readonly config_sha256?: string
}

export interface Change {
  readonly tenant_id: string
  /** For example `key issue`. */
  readonly command: string
  /** The change grants something. */
  readonly grants?: boolean
  /** Where the change has an event of its own. */
  readonly event_type?: EventType
  /** Names, ids and sizes; never secrets or content. */
  readonly meta: Record<string, unknown>
}

export function currentOperator(clock: Clock): Operator {
  return { os_user: osUser(), clock }
}

/** In a container the user id may have no name. */
function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

export async function recordChange(db: Database, operator: Operator, change: Change): Promise<void> {
  const { grants, command, meta, tenant_id } = change
  const { event_type = grants ? 'CapabilityGrant' : 'AuthorizationCheck' } = change
  await leaveInOutbox(db, {
    ...changeOrder(operator, tenant_id, command, meta),
    event_type,
    outcome: 'success',
    latency_ms: 0,
  })
}

/** The audit entry: who did what and when. */
export function changeOrder(
  { clock, os_user, config_sha256 }: Operator,
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
    meta: { ...meta, gate: 'operator', command, os_user, ...(config_sha256 && { config_sha256 }) },
  }
}
