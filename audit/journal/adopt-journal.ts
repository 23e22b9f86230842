// An orphaned journal: what is left in it goes into the chain, and then it is removed.

import type { AuditLogOptions } from '../audit-log-options.ts'
import { openAuditLog } from '../open-audit-log.ts'
import { connectAsEngine } from '../writer/connection.ts'
import { dropDirectory, holdsId, listSegments, lockDirectory, openDirectory } from './journal-directory.ts'
import { lockPosition } from './journal-position.ts'

export async function adoptJournal(options: AuditLogOptions): Promise<void> {
  const { db_url, dir } = options
  const journal_id = openDirectory(dir)
  const committed = await commitAll(options)
  const client = await connectAsEngine(db_url, 'svc audit adoption')
  try {
    // Both locks: a process of another host that shares the disk is only seen in the database.
    await lockPosition(client, journal_id, dir)
    const unlock = await lockDirectory(dir)
    // Anything new was written by a process that had the folder meanwhile: then the journal is its own.
    const is_same = [...listSegments(dir)].every(([segment, bytes]) => committed.get(segment) === bytes)
    if (is_same && holdsId(dir, journal_id)) return dropDirectory(dir, unlock)
    unlock()
    throw new Error(`The audit journal in ${dir} has more in it than before; it is looked at again.`)
  } finally {
    await client.end().catch(() => {})
  }
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
