// The folder of one journal: its id, lock, reserve, and numbered segments.
import { randomBytes, randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isUuid } from '../chain/entry.ts'

const segment_form = /^(\d{10})\.journal$/
const lock_wait_ms_max = 3_000
const lock_retry_ms = 100
const reserve_bytes = 1024 * 1024
/** Of frames and segments. Another layout is another number, and a reader for it. */
const journal_format = 1
/** The name of a journal's id while it is being removed. */
const removal = 'removing'

export function segmentPath(dir: string, segment: number): string {
  return join(dir, `${String(segment).padStart(10, '0')}.journal`)
}

/** Numbers and sizes of the segments there, in order. */
export function listSegments(dir: string): Map<number, number> {
  const numbers = readdirSync(dir).flatMap((name) => segment_form.exec(name)?.[1] ?? [])
  return new Map(
    numbers
      .map(Number)
      .sort((a, b) => a - b)
      .map((segment) => [segment, statSync(segmentPath(dir, segment)).size]),
  )
}

/** Those of this journal; until its lock was taken, a process of another host could remove it. */
export function ownSegments(dir: string, journal_id: string): Map<number, number> {
  if (holdsId(dir, journal_id)) return listSegments(dir)
  throw new Error(`the journal in ${dir} was committed and removed by another engine meanwhile; start again.`)
}

/** The id under which the database knows this journal: made once, stored with it. */
export function openDirectory(dir: string, known_id?: string): string {
  const first_made = mkdirSync(dir, { recursive: true, mode: 0o700 })
  // A power cut must leave the folder as well as what is synced in it.
  for (let made = dir; first_made !== undefined && made.length >= first_made.length; made = dirname(made))
    syncPath(dirname(made))
  finishRemoval(dir)
  const path = join(dir, 'id')
  if (!existsSync(path)) writeWhole(path, `${known_id ?? randomUUID()}\nformat ${journal_format}\n`)
  const [id = '', format] = readId(path)
  if (!isUuid(id)) {
    throw new Error(`${path} does not hold a journal id; restore it, or move the whole folder away.`)
  }
  if (format !== `format ${journal_format}`)
    throw new Error(
      `The journal in ${dir} was written by ${format ? 'a newer version' : 'version 0.10 or older'} in another format: ` +
        'start that version to commit it, or give this one another folder. Nothing was changed.',
    )
  return id
}

/** The id alone, for whoever only looks at a journal. */
export function idIn(dir: string): string {
  return readId(join(dir, 'id'))[0]!
}

function readId(path: string): string[] {
  return readFileSync(path, 'utf8').trim().split('\n')
}

/** False where the folder was deleted, also where another journal was begun there since. */
export function holdsId(dir: string, id: string): boolean {
  const path = join(dir, 'id')
  return existsSync(path) && readId(path)[0] === id
}

/** Whether this folder may hold records that the chain does not have yet. */
export function holdsJournal(dir: string): boolean {
  return existsSync(join(dir, 'id')) || existsSync(join(dir, removal))
}

/** Removes a journal whose every record is committed; the caller holds its lock. An empty folder is removed too. */
export function dropDirectory(dir: string, unlock: () => void): void {
  // One atomic step: segments without their id would be read from the start, and be in the chain twice.
  renameSync(join(dir, 'id'), join(dir, removal))
  finishRemoval(dir)
  dropReserve(dir)
  unlock()
  try {
    rmdirSync(dir)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

function finishRemoval(dir: string): void {
  const path = join(dir, removal)
  if (!existsSync(path)) return
  for (const segment of listSegments(dir).keys()) rmSync(segmentPath(dir, segment), { force: true })
  rmSync(path, { force: true })
}

/** The file exists with its text or not at all, even after a kill or a power cut; the first writer wins. */
export function writeWhole(path: string, content: string | Uint8Array): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content, { mode: 0o600 })
  try {
    syncPath(draft)
    linkSync(draft, path)
    syncPath(dirname(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function syncPath(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Space that can be freed when the disk is full, so that refusals can still be recorded. */
export function makeReserve(dir: string): void {
  const path = join(dir, 'reserve')
  if (statSync(path, { throwIfNoEntry: false })?.size === reserve_bytes) return
  try {
    // Random bytes, because a file system may store zeros without using space.
    writeFileSync(path, randomBytes(reserve_bytes), { mode: 0o600 })
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

export function dropReserve(dir: string): void {
  rmSync(join(dir, 'reserve'), { force: true })
}

/** Locks the folder for this process. The lock of a dead process is taken over. */
export async function lockDirectory(dir: string, wait_ms_max = lock_wait_ms_max): Promise<() => void> {
  const path = join(dir, 'lock')
  const mine = describe(process.pid) ?? String(process.pid)
  for (let waited_ms = 0; ; waited_ms += lock_retry_ms) {
    if (tryLock(path, mine)) return () => unlock(path, mine)
    const holder = readLock(path)
    const pid = Number.parseInt(holder ?? '', 10)
    if (holder !== undefined && describe(pid) !== holder) unlock(path, holder)
    else if (waited_ms < wait_ms_max) await pause(lock_retry_ms)
    else {
      throw new Error(
        `The audit buffer folder ${dir} is in use by process ${pid}; stop it or set SVC_AUDIT_BUFFER_DIR to another folder.`,
      )
    }
  }
}

// A dangling symlink: created and filled in one step, and needs no space on a full disk.
function tryLock(path: string, text: string): boolean {
  try {
    symlinkSync(text, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readLock(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function unlock(path: string, expected: string): void {
  if (readLock(path) !== expected) return
  try {
    // Not `rmSync`: that of Node 24 does not remove a dangling symlink.
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The pid with its start time where available, so that a reused pid is not taken for the holder. */
function describe(pid: number): string | undefined {
  if (!(pid > 0)) return undefined
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return state === 'Z' ? undefined : `${pid} ${fields[18]}`
  } catch {
    return `${pid}`
  }
}
