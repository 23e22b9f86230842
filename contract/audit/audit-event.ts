// Events an operation records, and how to find their records.
import type { AuditEntry, AuditRecord } from './audit-record.ts'

/** Text the engine did not produce: from a caller, a plugin or a service. It is stored under `meta.supplied` and never decides anything. */
export type Supplied = Readonly<Record<string, unknown>>

/** Fields of an event besides the facts this engine computed or checked. */
export interface EventMore {
  readonly supplied?: Supplied | undefined
  /** Tenants whose audit logs also get the event. */
  readonly also?: readonly string[] | undefined
  readonly outcome?: AuditEntry['outcome'] | undefined
  /** Set where the event belongs to another request of this tenant. */
  readonly correlation_id?: string | undefined
}

/** Identifies a record once it is committed. */
export interface RecordName {
  /** The tenant whose audit log holds it. */
  readonly tenant_id: string
  readonly record_id: string
  readonly correlation_id: string
}

/** A committed record and its place in the chain; it never changes. */
export interface PlacedRecord {
  readonly record: AuditRecord
  /** The first signed tree that contains it. */
  readonly tree_size: number
  /** The hash of that tree's last record. */
  readonly chain_head: string
}
