// An orphaned journal: what is left in it goes into the chain, and then it is removed.
import { openAuditLog } from '../audit-log.ts'
import type { AuditLogOptions } from '../audit-log-options.ts'
import { dropDirectory, listSegments, lockDirectory } from './journal-directory.ts'

export async function adoptJournal(options: AuditLogOptions): Promise<void> {
  const { dir } = options
  const committed = await commitAll(options)
  const unlock = await lockDirectory(dir)
  // Anything new was written by a process that had the folder meanwhile: then the journal is its own.
  const is_same = [...listSegments(dir)].every(([segment, bytes]) => committed.get(segment) === bytes)
  if (is_same) return dropDirectory(dir, unlock)
  unlock()
  throw new Error(`The audit journal in ${dir} has more in it than before; it is looked at again.`)
}

/** The segments and their sizes when nothing in them was left to commit. */
async function commitAll(options: AuditLogOptions): Promise<ReadonlyMap<number, number>> {
  const audit_log = await openAuditLog(options)
  try {
    await audit_log.flush()
    return listSegments(options.dir)
  } finally {
    await audit_log.close()
  }
}
