// A simulated disk: written bytes are apart from synced ones until a sync. A killed process loses nothing of it, a power loss all that
// was not synced, down to a torn byte.
import type { Stats } from 'node:fs'
import { posix } from 'node:path'
import {
  applyChange,
  commonLength,
  failure,
  type Inode,
  type NameChange,
  newInode,
  spliced,
} from './disk-inode.ts'
import type { Random } from './random.ts'
import { currentProcess, type World } from './world.ts'

const root = '/simulated-disk'
const first_descriptor = 1_000_000
const ample_bytes = 64 * 1024 * 1024

interface OpenFile {
  readonly path: string
  readonly inode: Inode
  /** Of the process that opened it. */
  readonly pid: number | undefined
}

export type DiskFault =
  /** The next write stores a part of its bytes, and the process is killed in it. */
  | 'tear write'
  /** The next write stores a part and says so; the disk is full from then on. */
  | 'fill up'
  /** From the next write on nothing can be stored, whatever is deleted. */
  | 'stay full'
  /** The next write, or sync, fails with EIO. */
  | 'fail write'
  | 'fail sync'

export class Disk {
  readonly root: string
  fault: DiskFault | undefined
  /** Syncs succeed and store nothing. */
  lies_about_sync = false
  has_lied = false
  capacity_bytes = ample_bytes
  has_lost_power = false
  /** A sync of a folder stores its own names only, which is all that POSIX promises. */
  syncs_folders_alone = false
  readonly #world: World
  #names = new Map<string, Inode>()
  #synced_names = new Map<string, Inode>()
  #changes: NameChange[] = []
  readonly #open = new Map<number, OpenFile>()
  static #descriptors = first_descriptor

  constructor(world: World, name: string) {
    this.#world = world
    world.disks.push(this)
    this.root = posix.join(root, name)
    this.#names.set(this.root, newInode('folder', this.#world.now_ms))
    this.#synced_names.set(this.root, this.#names.get(this.root)!)
    world.on_exit.push((process) => {
      // Threads share the descriptors of their process.
      if (process.parent) return
      for (const [fd, file] of this.#open) if (file.pid === process.pid) this.#open.delete(fd)
    })
  }

  owns(target: unknown): boolean {
    if (typeof target === 'number') return this.#open.has(target)
    return typeof target === 'string' && (target === this.root || target.startsWith(`${this.root}/`))
  }

  /** Processes that use the disk must be dead. What was not synced is kept up to some byte, or gone. */
  losePower(random: Random): void {
    this.has_lost_power = true
    const kept_changes = random.below(this.#changes.length + 1)
    for (const change of this.#changes.slice(0, kept_changes)) applyChange(this.#synced_names, change)
    this.#changes = []
    this.#names = new Map(this.#synced_names)
    for (const inode of new Set(this.#names.values())) {
      inode.links = [...this.#names.values()].filter((one) => one === inode).length
      if (inode.kind !== 'file' || inode.bytes.equals(inode.synced)) continue
      const same = commonLength(inode.bytes, inode.synced)
      inode.bytes = random.chance(0.5)
        ? Buffer.from(inode.synced)
        : Buffer.from(
            inode.bytes.subarray(0, random.between(Math.min(same, inode.bytes.length), inode.bytes.length)),
          )
      inode.synced = Buffer.from(inode.bytes)
    }
  }

  get used_bytes(): number {
    return [...new Set(this.#names.values())].reduce((sum, inode) => sum + inode.bytes.length, 0)
  }

  /** Paths and contents, for what an operator would do to files. */
  read(path: string): Buffer | undefined {
    return this.#names.get(path)?.bytes
  }

  /** What a power loss leaves for certain. */
  durable(path: string): Buffer | undefined {
    for (let at = path; at !== this.root; at = posix.dirname(at))
      if (!this.#synced_names.has(at)) return undefined
    return this.#synced_names.get(path)!.synced
  }

  /** As an operator would write it: synced. */
  put(path: string, bytes: Buffer): void {
    const inode = newInode('file', this.#world.now_ms, bytes)
    inode.synced = Buffer.from(bytes)
    this.#change(path, inode)
    this.#syncNames(posix.dirname(path))
  }

  openFile(path: string, flags: string): number {
    if (flags.includes('x') && this.#names.has(path)) throw failure('EEXIST', path)
    let inode = this.#names.get(path)
    if (!inode) {
      if (flags.startsWith('r')) throw failure('ENOENT', path)
      inode = this.#create(path, newInode('file', this.#world.now_ms))
    }
    Disk.#descriptors++
    this.#open.set(Disk.#descriptors, { path, inode, pid: currentProcess()?.pid })
    return Disk.#descriptors
  }

  closeFile(fd: number): void {
    this.#open.delete(fd)
  }

  write(fd: number, bytes: Uint8Array, offset: number): number {
    const inode = this.#inodeOf(fd)
    const { random } = this.#world
    const fault = this.fault === 'fail sync' ? undefined : this.fault
    if (fault) this.fault = undefined
    if (fault === 'fail write') throw failure('EIO', 'write')
    if (fault === 'tear write') {
      inode.bytes = spliced(inode.bytes, bytes.subarray(0, random.below(bytes.length + 1)), offset)
      const process = currentProcess()
      ;(process?.parent ?? process)?.kill()
      throw failure('EIO', 'write')
    }
    if (fault === 'stay full') this.capacity_bytes = 0
    if (fault === 'fill up') this.capacity_bytes = this.used_bytes + random.below(bytes.length)
    const growth = Math.max(0, offset + bytes.length - inode.bytes.length)
    const room = Math.max(0, this.capacity_bytes - this.used_bytes)
    const written = growth > room ? bytes.length - growth + room : bytes.length
    if (written <= 0 && bytes.length > 0) throw failure('ENOSPC', 'write')
    inode.bytes = spliced(inode.bytes, bytes.subarray(0, written), offset)
    inode.changed_ms = this.#world.now_ms
    return written
  }

  read_at(fd: number, into: Uint8Array, at: number, length: number, offset: number): number {
    const bytes = this.#inodeOf(fd).bytes.subarray(offset, offset + length)
    into.set(bytes, at)
    return bytes.length
  }

  truncate(fd: number, length: number): void {
    const inode = this.#inodeOf(fd)
    inode.bytes = Buffer.from(inode.bytes.subarray(0, length))
  }

  /** What was written before the call is synced when the promise resolves. */
  sync(fd: number): Promise<void> {
    const file = this.#open.get(fd)
    const process = currentProcess()
    if (!file || !process) return Promise.reject(failure('EBADF', 'sync'))
    const bytes = Buffer.from(file.inode.bytes)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const run = () => {
      try {
        this.#store(file, bytes)
        resolve()
      } catch (error) {
        reject(error as Error)
      }
    }
    this.#world.add({ name: `sync ${posix.basename(file.path)}`, process, due_ms: 0, run })
    return promise
  }

  syncNow(fd: number): void {
    const inode = this.#inodeOf(fd)
    this.#store(this.#open.get(fd)!, Buffer.from(inode.bytes))
  }

  #store({ path, inode }: OpenFile, bytes: Buffer): void {
    if (this.fault === 'fail sync') {
      this.fault = undefined
      throw failure('EIO', 'fsync')
    }
    this.has_lied ||= this.lies_about_sync
    if (this.lies_about_sync) return
    inode.synced = bytes
    if (inode.kind === 'folder') this.#syncNames(path)
  }

  stat(target: string | number): Stats | undefined {
    const inode = typeof target === 'number' ? this.#open.get(target)?.inode : this.#names.get(target)
    if (!inode) return undefined
    const { kind, bytes, links, changed_ms } = inode
    const is = { isFile: () => kind === 'file', isDirectory: () => kind === 'folder' }
    return { size: bytes.length, nlink: links, mtimeMs: changed_ms, ...is } as Stats
  }

  list(folder: string): string[] {
    if (!this.#names.has(folder)) throw failure('ENOENT', folder)
    return [...this.#names.keys()]
      .filter((path) => posix.dirname(path) === folder && path !== folder)
      .map((path) => posix.basename(path))
      .sort()
  }

  /** The first folder that was missing, if any. */
  makeFolder(path: string): string | undefined {
    if (this.#names.has(path)) return undefined
    const first_made = this.makeFolder(posix.dirname(path)) ?? path
    this.#create(path, newInode('folder', this.#world.now_ms))
    return first_made
  }

  makeSymlink(target: string, path: string): void {
    if (this.#names.has(path)) throw failure('EEXIST', path)
    this.#create(path, newInode('link', this.#world.now_ms, Buffer.from(target)))
  }

  link(from: string, to: string): void {
    const inode = this.#existing(from)
    if (this.#names.has(to)) throw failure('EEXIST', to)
    this.#create(to, inode)
  }

  rename(from: string, to: string): void {
    this.#change(to, this.#existing(from), from)
  }

  remove(path: string, is_forced: boolean): void {
    if (!this.#names.has(path) && is_forced) return
    this.#existing(path)
    if (this.list_if_folder(path).length > 0) throw failure('ENOTEMPTY', path)
    this.#change(path, undefined)
  }

  list_if_folder(path: string): string[] {
    return this.#names.get(path)?.kind === 'folder' ? this.list(path) : []
  }

  contentOf(path: string): Buffer {
    return this.#existing(path).bytes
  }

  #existing(path: string): Inode {
    const inode = this.#names.get(path)
    if (!inode) throw failure('ENOENT', path)
    return inode
  }

  #create(path: string, inode: Inode): Inode {
    if (!this.#names.has(posix.dirname(path))) throw failure('ENOENT', path)
    this.#change(path, inode)
    return inode
  }

  #change(path: string, inode: Inode | undefined, old_path?: string): void {
    const process = currentProcess()
    if (process && !process.is_alive) throw failure('EIO', path)
    const change = { folder: posix.dirname(path), path, inode, ...(old_path && { old_path }) }
    const before = this.#names.get(path)
    if (before) before.links--
    if (inode && !old_path) inode.links++
    applyChange(this.#names, change)
    this.#changes.push(change)
  }

  /** A journalling file system stores all earlier changes of names with those of the folder. */
  #syncNames(folder: string): void {
    const last = this.#changes.findLastIndex((change) => change.folder === folder)
    const isStored = ({ folder: of_change }: NameChange, at: number) =>
      this.syncs_folders_alone ? of_change === folder : at <= last
    for (const change of this.#changes.filter(isStored)) applyChange(this.#synced_names, change)
    this.#changes = this.#changes.filter((change, at) => !isStored(change, at))
  }

  #inodeOf(fd: number): Inode {
    const file = this.#open.get(fd)
    const process = currentProcess()
    if (!file || (process && !process.is_alive)) throw failure('EBADF', 'file')
    return file.inode
  }
}
