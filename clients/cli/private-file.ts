// Files readable by their owner only, written atomically.
import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

const owner_only = 0o600
const written_chars = 1024 * 1024

/** Readers see the old or the complete new file; an interrupted write leaves no temporary file. */
export async function writeWhole(
  path: string,
  pieces: AsyncIterable<string> | Iterable<string> | Uint8Array,
): Promise<void> {
  const draft = `${path}.${randomUUID()}`
  try {
    const file = await open(draft, 'wx', owner_only)
    try {
      let waiting = ''
      if (pieces instanceof Uint8Array) await file.writeFile(pieces)
      else
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
