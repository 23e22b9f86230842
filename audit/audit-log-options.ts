// Options of an audit log.
import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { AuditLogLog } from './audit-log-state.ts'
import type { JournalFiles } from './journal/journal.ts'
import type { FsyncMode } from './journal/sync-schedule.ts'
import type { RootKeys } from './sealing/root-keys.ts'
import type { StartWriter } from './writer/writer-link.ts'

export const bytes_default = 1024 ** 3
export const segment_bytes_default = 64 * 1024 * 1024

export interface AuditLogOptions {
  readonly db_url: string
  /** The journal's folder: one engine process, one folder. */
  readonly dir: string
  readonly root_keys: RootKeys
  /** Journalled and not yet committed bytes past which state-changing operations are refused. */
  readonly bytes_max?: number
  readonly segment_bytes?: number
  readonly fsync?: FsyncMode
  /** Addresses of modules that export `projections: readonly Projection[]`; they run in the writer thread. */
  readonly projection_modules?: readonly string[]
  /** The tenant whose chain takes records about an organization after its own was sealed. */
  readonly operator_tenant_id?: string
  /** Called after each commit of this engine. */
  readonly onCommitted?: () => void
  /** Where old pages are read. */
  readonly page_archive?: PageArchive | undefined
  readonly files?: Partial<JournalFiles>
  /** A thread unless given. */
  readonly startWriter?: StartWriter
  readonly onUnknownEvent: () => void
  readonly log: AuditLogLog
}
