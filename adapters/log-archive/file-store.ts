// An archive in a folder, which may be a mounted network disk.
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ObjectStore } from '@svc/audit/archive/page-store'
import type { Clock } from '@svc/engine/ports'

/** Written here first: a name of the archive never shows part of an object. */
const unfinished = 'unfinished'
/** What a killed process left is removed when it is this much older than a new file. */
const left_ms_max = 3_600_000

export function fileStore(folder: string, clock: Pick<Clock, 'uuid'>): ObjectStore {
  return {
    place: `file:${folder}`,
    async put(name, bytes) {
      const temporary = join(folder, unfinished, clock.uuid())
      const path = join(folder, name)
      await mkdir(dirname(temporary), { recursive: true })
      await mkdir(dirname(path), { recursive: true })
      try {
        await writeSafely(temporary, bytes)
        await removeLeft(dirname(temporary), temporary)
        await rename(temporary, path)
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        throw error
      }
      await syncNames(path, folder)
    },
    async get(name, bytes_max) {
      try {
        const path = join(folder, name)
        return (await stat(path)).size > bytes_max ? undefined : await readFile(path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
  }
}

async function writeSafely(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A name is only safe once its folder is, and that folder's own name: another process may have made it just now. */
async function syncNames(path: string, root: string): Promise<void> {
  const top = resolve(root)
  for (let at = dirname(resolve(path)); at.length >= top.length; at = dirname(at)) await syncFolder(at)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function removeLeft(folder: string, newest: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length === 1) return
  const { mtimeMs: now_ms } = await stat(newest)
  for (const name of names) {
    const path = join(folder, name)
    const left = await stat(path).catch(() => undefined)
    if (left && now_ms - left.mtimeMs > left_ms_max) await rm(path, { force: true })
  }
}
