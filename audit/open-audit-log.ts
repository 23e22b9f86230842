// Opens an audit log: its folder, lock, writer thread and journal.
import { AuditLog } from './audit-log.ts'
import { type AuditLogOptions, segment_bytes_default } from './audit-log-options.ts'
import { Journal } from './journal/journal.ts'
import { listSegments, lockDirectory, openDirectory, ownSegments } from './journal/journal-directory.ts'
import { Signals } from './writer/signals.ts'
import { WriterLink } from './writer/writer-link.ts'

/** Opens the journal and the writer thread; what an earlier process left in the journal is committed from here on. */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { dir } = options
  const journal_id = openDirectory(dir)
  const unlock = await lockDirectory(dir)
  const oldest_segment = listSegments(dir).keys().next().value ?? 1
  const signals = new Signals()
  let journal: Journal | undefined
  const configure = () => ({
    db_url: options.db_url,
    dir,
    journal_id,
    root_keys: options.root_keys.ring,
    operator_tenant_id: options.operator_tenant_id ?? 'operator',
    projection_modules: options.projection_modules ?? [],
    oldest_segment,
    signals: signals.buffer,
    segments: new Map(journal?.descriptors),
  })
  const link = new WriterLink(configure, options.startWriter)
  try {
    const committed = await link.opened()
    const older = ownSegments(dir, journal_id)
    const unused = older.size === 0 && committed.offset === 0
    journal = new Journal({
      dir,
      id: journal_id,
      older,
      first_segment: unused ? committed.segment : Math.max(committed.segment, ...older.keys()) + 1,
      segment_bytes: options.segment_bytes ?? segment_bytes_default,
      files: options.files,
      onSegment: (segment, fd) => link.send({ kind: 'segment', segment, fd }),
    })
    options.root_keys.onLearned((root_keys) => link.send({ kind: 'root-keys', root_keys }))
    return new AuditLog(options, { journal, journal_id, link, signals, committed, unlock })
  } catch (error) {
    await link.stop()
    unlock()
    throw new Error(`The audit log cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}
