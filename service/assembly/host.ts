// What every part of an engine's process uses: database, audit log, metrics, clock and log.
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { AuditLog } from '@svc/audit/audit-log'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { Clock } from '@svc/engine/ports'
import type { LiveLog } from './log.ts'

export interface Host {
  readonly store: PostgresStore
  /** The database with the engine's role: all tenants are visible. */
  readonly db: Database
  readonly root_keys: RootKeys
  readonly audit_log: AuditLog
  readonly meters: Prometheus
  readonly clock: Clock
  readonly log: LiveLog
}

/** Run in reverse order at shutdown. */
export type Closing = (() => Promise<unknown>)[]
