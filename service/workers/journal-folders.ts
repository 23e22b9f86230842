// Folders of the audit journals: a single engine uses the buffer folder itself, each worker a folder inside it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { holdsJournal } from '@svc/audit/journal/journal-directory'

const worker_folder = /^worker-\d+$/

export function workerFolder(audit_dir: string, slot: number): string {
  return join(audit_dir, `worker-${slot}`)
}

/** Orphaned journals: of removed or crashed workers, or of an engine that ran without workers. */
export function findOrphaned(audit_dir: string, in_use: ReadonlySet<string>): string[] {
  const workers = namesIn(audit_dir).filter((name) => worker_folder.test(name))
  const folders = [audit_dir, ...workers.map((name) => join(audit_dir, name))]
  return folders.filter((folder) => !in_use.has(folder) && holdsJournal(folder))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Missing or unreadable; the writer will report it.
    return []
  }
}
