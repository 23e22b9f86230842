// What an operation says of an event, and how its record is found again.
import type { AuditEntry, AuditRecord } from './audit-record.ts'

/** Words the engine did not choose: a caller's, a plugin's, a service's. They stand under `meta.supplied`, and nothing is decided by them. */
export type Supplied = Readonly<Record<string, unknown>>

/** What an event has beside the facts that this engine computed or checked. */
export interface EventMore {
  readonly supplied?: Supplied | undefined
  /** Tenants whose logs hold it as well. */
  readonly also?: readonly string[] | undefined
  readonly outcome?: AuditEntry['outcome'] | undefined
  /** Where it belongs to another request of this tenant. */
  readonly correlation_id?: string | undefined
}

/** What finds a record once it is committed. */
export interface RecordName {
  /** In whose log it stands. */
  readonly tenant_id: string
  readonly record_id: string
  readonly correlation_id: string
}

/** A record in its place; the same for whoever asks, however often and late. */
export interface PlacedRecord {
  readonly record: AuditRecord
  /** The first signed tree that holds it. */
  readonly tree_size: number
  /** The hash of that tree's last record. */
  readonly chain_head: string
}
