// Files that are their owner's alone: written whole or not at all.
import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

const owner_only = 0o600
const written_chars = 1024 * 1024

/** A reader sees the old file or the whole new one; what breaks off in the middle leaves nothing behind. */
export async function writeWhole(
  path: string,
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  try {
    const file = await open(draft, 'wx', owner_only)
    try {
      let waiting = ''
      for await (const piece of pieces) {
        waiting += piece
        if (waiting.length < written_chars) continue
        await file.write(waiting)
        waiting = ''
      }
      await file.write(waiting)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}
