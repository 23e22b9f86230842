// The writing side of the journal: frames go to the current segment before the answers of their turn may be sent.
import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Position } from '../writer/signals.ts'
import {
  dropReserve,
  holdsId,
  makeReserve,
  openDirectory,
  segmentPath,
  writeWhole,
} from './journal-directory.ts'
import { readAt } from './journal-reader.ts'

/** System calls that may fail, separate so that a test can make them fail. */
export interface JournalFiles {
  open(path: string): number
  write(fd: number, bytes: Uint8Array, offset: number): number
  truncate(fd: number, length: number): void
  sync(fd: number): Promise<void>
}

export interface JournalOptions {
  readonly dir: string
  readonly id: string
  /** Segments of earlier runs, with their sizes: read by the writer thread, never written again. */
  readonly older: ReadonlyMap<number, number>
  readonly first_segment: number
  readonly segment_bytes: number
  readonly files?: Partial<JournalFiles>
  /** The writer thread reads through the same descriptor, so a deleted folder loses nothing. */
  onSegment(segment: number, fd: number): void
}

const system_files: JournalFiles = {
  open: (path) => openSync(path, 'wx+', 0o600),
  write: (fd, bytes, offset) => writeSync(fd, bytes, 0, bytes.length, offset),
  truncate: ftruncateSync,
  sync: promisify(fdatasync),
}

/** Past this a segment that could not be rotated takes no more. */
const segment_overrun_max = 4

export class Journal {
  readonly #options: JournalOptions
  readonly #files: JournalFiles
  readonly #sizes: Map<number, number>
  readonly #descriptors = new Map<number, number>()
  readonly #unsynced = new Set<number>()
  readonly #syncing = new Set<number>()
  #segment: number
  #fd: number | undefined
  #offset = 0
  #committed: Position = { segment: 0, offset: 0 }
  #fault: string | undefined
  #reserve_spent = false
  #entries_unsynced = false

  constructor(options: JournalOptions) {
    this.#options = options
    this.#files = { ...system_files, ...options.files }
    this.#sizes = new Map(options.older)
    this.#segment = options.first_segment - 1
    this.#openSegment()
    if (this.#fd === undefined)
      throw new Error(`no audit journal can be opened in ${options.dir}: ${this.#fault}`)
    this.tend()
  }

  /** Everything before it is written. */
  get position(): Position {
    return { segment: this.#segment, offset: this.#offset }
  }

  get descriptors(): ReadonlyMap<number, number> {
    return this.#descriptors
  }

  /** Why the journal is degraded: the last write failed, or it uses its reserve. */
  get fault(): string | undefined {
    return this.#fault ?? (this.#reserve_spent ? 'the disk of the audit buffer is full' : undefined)
  }

  /** Writes one complete frame, or throws and leaves nothing of it. */
  append(frame: Uint8Array): void {
    if (this.#offset > 0 && this.#offset + frame.length > this.#options.segment_bytes) this.#openSegment()
    if (this.#fd !== undefined && this.#tryWrite(this.#fd, frame)) return
    this.#spendReserve()
    // An empty segment is reused, so a full disk does not fill up with empty files.
    if (this.#fd === undefined || this.#offset > 0) this.#openSegment()
    if (this.#fd !== undefined && this.#tryWrite(this.#fd, frame)) return
    throw new Error(`the audit journal in ${this.#options.dir} cannot be written: ${this.#fault}`)
  }

  /** Syncs everything written so far. A segment that fails is not trusted again. One call at a time. */
  async sync(): Promise<void> {
    const waiting = [...this.#unsynced]
    for (const fd of waiting) this.#syncing.add(fd)
    this.#unsynced.clear()
    const outcomes = await Promise.allSettled([
      ...waiting.map((fd) => this.#files.sync(fd)),
      ...(this.#entries_unsynced ? [this.#syncDirectory()] : []),
    ])
    this.#syncing.clear()
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (!failed) return
    this.#fault = `sync failed: ${messageOf(failed.reason)}`
    this.#fd = undefined
    this.#openSegment()
    throw new Error(`the audit journal in ${this.#options.dir} could not be synced: ${this.#fault}`)
  }

  get needs_sync(): boolean {
    return this.#unsynced.size > 0
  }

  /** Twice a second: notices a deleted folder, retries failed opens, and restores the reserve. */
  tend(): void {
    try {
      if (this.#fd === undefined || isDeleted(this.#fd)) this.#openSegment()
      makeReserve(this.#options.dir)
      this.#reserve_spent = false
      if (this.#fd !== undefined) this.#fault = undefined
    } catch (error) {
      this.#reserve_spent = true
      this.#fault ??= messageOf(error)
    }
  }

  /** Bytes written and not yet committed, where `committed` is the writer's position. */
  pendingBytes(committed: Position): number {
    let bytes = 0
    for (const [segment, size] of this.#sizes) {
      if (segment > committed.segment) bytes += size
      else if (segment === committed.segment) bytes += Math.max(0, size - committed.offset)
    }
    return bytes
  }

  /**
   * Deletes the segments completely before the committed position; without one, those that could not be deleted before. The position is
   * the database's: the next start reads from there, so its segment stays even when all of it was read.
   */
  release(committed = this.#committed): void {
    this.#committed = committed
    for (const segment of this.#sizes.keys()) {
      if (segment >= committed.segment || segment === this.#segment) continue
      if (this.#syncing.has(this.#descriptors.get(segment) ?? -1)) continue
      this.#closeSegment(segment)
      if (this.#is_ours) rmSync(segmentPath(this.#options.dir, segment), { force: true })
      this.#sizes.delete(segment)
    }
  }

  close(): void {
    for (const segment of [...this.#descriptors.keys()]) this.#closeSegment(segment)
    this.#fd = undefined
  }

  #tryWrite(fd: number, frame: Uint8Array): boolean {
    const { segment_bytes } = this.#options
    try {
      if (this.#offset > segment_bytes * segment_overrun_max) throw new Error('no new segment can be opened')
      const written = this.#files.write(fd, frame, this.#offset)
      if (written !== frame.length) throw new Error(`${written} of ${frame.length} bytes were written`)
    } catch (error) {
      this.#fault = messageOf(error)
      this.#cutBack(fd)
      return false
    }
    this.#offset += frame.length
    this.#sizes.set(this.#segment, this.#offset)
    this.#unsynced.add(fd)
    this.#fault = undefined
    return true
  }

  // What cannot be truncated may be read again after a crash, so the frame must not be written a second time.
  #cutBack(fd: number): void {
    try {
      this.#files.truncate(fd, this.#offset)
    } catch (error) {
      this.#fd = undefined
      throw new Error(
        `the audit journal in ${this.#options.dir} cannot be written (${this.#fault}) nor cut back: ${messageOf(error)}`,
      )
    }
  }

  /** Where no new segment can be opened, the old one continues. */
  #openSegment(): void {
    const segment = this.#segment + 1
    try {
      this.#openFolder()
      const fd = this.#files.open(segmentPath(this.#options.dir, segment))
      this.#segment = segment
      this.#fd = fd
      this.#offset = 0
      this.#sizes.set(segment, 0)
      this.#descriptors.set(segment, fd)
      this.#entries_unsynced = true
      this.#options.onSegment(segment, fd)
    } catch (error) {
      this.#fault = messageOf(error)
    }
  }

  /** A deleted folder is made again, with the segments from the database's position on: the next start reads from there. */
  #openFolder(): void {
    const { dir, id } = this.#options
    const id_there = openDirectory(dir, id)
    if (this.#fd !== undefined && isDeleted(this.#fd)) this.#fd = undefined
    if (id_there !== id) throw new Error('its folder was deleted, and holds another journal now')
    for (const [segment, fd] of this.#descriptors)
      if (segment >= this.#committed.segment && isDeleted(fd))
        writeWhole(segmentPath(dir, segment), readAt(fd, 0, this.#sizes.get(segment)!))
  }

  get #is_ours(): boolean {
    return holdsId(this.#options.dir, this.#options.id)
  }

  #closeSegment(segment: number): void {
    const fd = this.#descriptors.get(segment)
    this.#descriptors.delete(segment)
    if (fd === undefined) return
    this.#unsynced.delete(fd)
    closeSync(fd)
  }

  #spendReserve(): void {
    this.#reserve_spent = true
    if (this.#is_ours) dropReserve(this.#options.dir)
  }

  // A new file survives a power cut only once its directory entry does.
  async #syncDirectory(): Promise<void> {
    this.#entries_unsynced = false
    const folder = await open(this.#options.dir, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}

function isDeleted(fd: number): boolean {
  return fstatSync(fd).nlink === 0
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
