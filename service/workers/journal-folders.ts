// Where the audit journals of one machine lie: an engine that runs alone has the buffer folder itself, each worker one inside it.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { holdsJournal } from '@svc/audit/journal/journal-directory'

const worker_folder = /^worker-\d+$/

export function workerFolder(audit_dir: string, slot: number): string {
  return join(audit_dir, `worker-${slot}`)
}

/** Journals that no process writes any more: of workers there are fewer of now, of one that crashed, of an engine that ran alone before. */
export function findLeftBehind(audit_dir: string, in_use: ReadonlySet<string>): string[] {
  const workers = namesIn(audit_dir).filter((name) => worker_folder.test(name))
  const folders = [audit_dir, ...workers.map((name) => join(audit_dir, name))]
  return folders.filter((folder) => !in_use.has(folder) && holdsJournal(folder))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Not there yet, or not readable, which whoever wants to write there will say.
    return []
  }
}
