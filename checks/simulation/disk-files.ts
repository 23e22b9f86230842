// Serves files under the root of a simulated disk in place of `node:fs`; all other paths stay real. The product needs no change for it,
// and the journal's hot path no indirection.
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { Disk } from './disk.ts'
import { failure } from './disk-inode.ts'
import { currentProcess } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: functions of node:fs of any type
type Any = any

/** Serves these disks in place of `node:fs` until the returned function is called. */
export function serveDisks(disks: readonly Disk[]): () => void {
  const restorers: (() => void)[] = []
  const diskOf = (target: unknown) => disks.find((disk) => disk.owns(target))
  const replace = (owner: Any, name: string, serve: (disk: Disk, ...args: Any[]) => Any) => {
    const real = owner[name]
    owner[name] = (...args: Any[]) => {
      const disk = diskOf(args[name === 'symlinkSync' ? 1 : 0])
      return disk ? serve(disk, ...args) : real(...args)
    }
    restorers.push(() => {
      owner[name] = real
    })
  }
  serveFiles(replace)
  servePromises(replace)
  syncBuiltinESMExports()
  return () => {
    for (const restore of restorers) restore()
    syncBuiltinESMExports()
  }
}

type Replace = (owner: Any, name: string, serve: (disk: Disk, ...args: Any[]) => Any) => void

function serveFiles(replace: Replace): void {
  replace(fs, 'openSync', (disk, path, flags = 'r') => disk.openFile(path, flags))
  replace(fs, 'closeSync', (disk, fd) => disk.closeFile(fd))
  replace(fs, 'writeSync', (disk, fd, bytes, at, length, offset) =>
    disk.write(fd, bytes.subarray(at, at + length), offset),
  )
  replace(fs, 'readSync', (disk, fd, into, at, length, offset) => disk.read_at(fd, into, at, length, offset))
  replace(fs, 'fstatSync', (disk, fd) => disk.stat(fd))
  replace(fs, 'ftruncateSync', (disk, fd, length) => disk.truncate(fd, length))
  replace(fs, 'existsSync', (disk, path) => disk.stat(path) !== undefined)
  replace(fs, 'statSync', (disk, path, options) => {
    const stats = disk.stat(path)
    if (!stats && options?.throwIfNoEntry !== false) throw failure('ENOENT', path)
    return stats
  })
  replace(fs, 'readdirSync', (disk, path) => disk.list(path))
  replace(fs, 'mkdirSync', (disk, path) => disk.makeFolder(path))
  replace(fs, 'symlinkSync', (disk, target, path) => disk.makeSymlink(target, path))
  replace(fs, 'readlinkSync', (disk, path) => disk.contentOf(path).toString())
  replace(fs, 'linkSync', (disk, from, to) => disk.link(from, to))
  replace(fs, 'renameSync', (disk, from, to) => disk.rename(from, to))
  replace(fs, 'unlinkSync', (disk, path) => disk.remove(path, false))
  replace(fs, 'rmSync', (disk, path, options) => disk.remove(path, options?.force ?? false))
  replace(fs, 'rmdirSync', (disk, path) => disk.remove(path, false))
  replace(fs, 'readFileSync', (disk, path, encoding) => {
    const bytes = disk.contentOf(path)
    return encoding ? bytes.toString(encoding) : Buffer.from(bytes)
  })
  replace(fs, 'writeFileSync', (disk, path, content) => {
    const fd = disk.openFile(path, 'w')
    const bytes = Buffer.from(content)
    disk.truncate(fd, 0)
    const written = disk.write(fd, bytes, 0)
    disk.closeFile(fd)
    if (written < bytes.length) throw failure('ENOSPC', path)
  })
  replace(fs, 'fsyncSync', (disk, fd) => disk.syncNow(fd))
  for (const name of ['fsync', 'fdatasync']) {
    replace(fs, name, (disk, fd, done) => disk.sync(fd).then(() => done(null), done))
  }
}

function servePromises(replace: Replace): void {
  replace(promises, 'open', async (disk, path, flags = 'r') => {
    const fd = disk.openFile(path, flags)
    return {
      fd,
      writeFile: (bytes: Uint8Array) => later('write', () => writeWhole(disk, fd, bytes)),
      sync: () => disk.sync(fd),
      datasync: () => disk.sync(fd),
      close: async () => disk.closeFile(fd),
    }
  })
  replace(promises, 'mkdir', (disk, path) => later('mkdir', () => disk.makeFolder(path)))
  replace(promises, 'readdir', (disk, path) => later('readdir', () => disk.list(path)))
  replace(promises, 'rename', (disk, from, to) => later('rename', () => disk.rename(from, to)))
  replace(promises, 'readFile', (disk, path) => later('read', () => Buffer.from(disk.contentOf(path))))
  replace(promises, 'rm', (disk, path, options) =>
    later('remove', () => disk.remove(path, options?.force ?? false)),
  )
  replace(promises, 'stat', (disk, path) =>
    later('stat', () => {
      const stats = disk.stat(path)
      if (!stats) throw failure('ENOENT', path)
      return stats
    }),
  )
}

/** Other processes may come first. */
function later<Value>(name: string, work: () => Value): Promise<Value> {
  const process = currentProcess()
  if (!process) return Promise.reject(failure('EBADF', name))
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const run = () => {
    try {
      resolve(process.run(work))
    } catch (error) {
      if (process.is_alive) reject(error as Error)
    }
  }
  process.world.add({ name, process, due_ms: 0, run })
  return promise
}

/** As Node does: until all is written, or nothing can be. */
function writeWhole(disk: Disk, fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += disk.write(fd, bytes.subarray(at), at)
}

/** The functions that the journal has bound when it was loaded. */
export function journalFilesOf(disk: Disk) {
  return {
    truncate: (fd: number, length: number) => disk.truncate(fd, length),
    sync: (fd: number) => disk.sync(fd),
  }
}
