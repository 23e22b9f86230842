// What everything in an engine's process stands on.
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { AuditLog } from '@svc/audit/audit-log'
import type { Database } from '@svc/contract/database'
import type { Clock } from '@svc/engine/ports'
import type { LiveLog } from './log.ts'

export interface Host {
  readonly store: PostgresStore
  /** The database as the engine itself sees it: every tenant. */
  readonly db: Database
  readonly audit_log: AuditLog
  readonly meters: Prometheus
  readonly clock: Clock
  readonly log: LiveLog
}

/** Run in reverse order when the engine ends. */
export type Closing = (() => Promise<unknown>)[]
