// Messages between the main thread and the writer thread, at most one per batch.
import type { RootKeyRing } from '../sealing/root-keys.ts'
import type { Proof } from './recent-commits.ts'
import type { Position } from './signals.ts'

export interface WriterConfig {
  readonly db_url: string
  readonly dir: string
  readonly journal_id: string
  readonly root_keys: RootKeyRing
  readonly operator_tenant_id: string
  /** Addresses of modules that export `projections`. */
  readonly projection_modules: readonly string[]
  /** The start of a journal that the database does not know yet. */
  readonly oldest_segment: number
  readonly signals: SharedArrayBuffer
  readonly segments: ReadonlyMap<number, number>
}

export type ToWriter =
  | { readonly kind: 'segment'; readonly segment: number; readonly fd: number }
  | { readonly kind: 'root-keys'; readonly root_keys: RootKeyRing }
  /** Asks for the proof of a record that was just committed. */
  | {
      readonly kind: 'prove'
      readonly question: number
      readonly tenant_ids: readonly string[]
      readonly record_id: string
    }
  | { readonly kind: 'stop' }

export type Head = readonly [tenant_id: string, seq: number, record_hash: string]

export type FromWriter =
  /** Connected, with the committed position: at the start and after each failure. */
  | { readonly kind: 'ready'; readonly position: Position }
  | {
      readonly kind: 'committed'
      readonly position: Position
      readonly heads: readonly Head[]
      /** Every outbox row of the transactions counted up to here is in the chain. */
      readonly outbox_count: number
      readonly unknown_events: number
    }
  | { readonly kind: 'proved'; readonly question: number; readonly proof: Proof | undefined }
  /** Everything before this position is committed, though the stored position is at the end of an older segment. */
  | { readonly kind: 'reached'; readonly place: Position }
  | { readonly kind: 'failed'; readonly error: string }
  /** The journal must not or cannot be read further; a restart alone does not help. */
  | { readonly kind: 'stopped'; readonly error: string; readonly fenced: boolean }
  | { readonly kind: 'torn-tail'; readonly segment: number; readonly bytes: number }
