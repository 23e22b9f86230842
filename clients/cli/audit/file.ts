// Files of the audit commands: read line by line, written whole or not at all, and nobody's but their owner's.
import { createReadStream } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from '../exit.ts'
import { writeWhole } from '../private-file.ts'

const owner_only_folder = 0o700
const note_bytes_max = 64 * 1024
const line_chars_max = 4 * 1024 * 1024

/** What could not be read or written, and what to look at. Anything but a fault of the file is handed back. */
function fileFault(error: unknown, path: string, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string' || error instanceof UsageError) return error
  if (code === 'ENOENT')
    return new UsageError(`There is no ${what === 'read' ? 'file' : 'folder for'} ${path}.`)
  return new UsageError(`${path} cannot be ${what} (${code}); see what it is, and who owns it.`)
}

/** Lines of any file, however large; the last one needs no line break. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    // A folder or a missing file is told before the first line, and not as a line that cannot be read.
    if ((await stat(path)).isDirectory()) throw new UsageError(`${path} is a folder; name the export in it.`)
    yield* splitLines(createReadStream(path, 'utf8'))
  } catch (error) {
    throw fileFault(error, path, 'read')
  }
}

/** Only a line feed ends a line: readline would also break at separators that JSON leaves inside its strings. */
export async function* splitLines(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield withoutReturn(line)
    // No line of an export is that long: it is handed over as it is, and whoever verifies it says so.
    if (rest.length > line_chars_max) break
  }
  if (rest !== '') yield withoutReturn(rest)
}

/** Line endings converted on the way do not change the audit log. */
function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Undefined where it is larger than this. */
export async function readSmallFile(path: string, bytes_max: number): Promise<string | undefined> {
  try {
    const stats = await stat(path)
    return stats.isFile() && stats.size <= bytes_max ? await readFile(path, 'utf8') : undefined
  } catch (error) {
    throw fileFault(error, path, 'read')
  }
}

/** Undefined where there is none. */
export async function readNoteFile(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    if (size > note_bytes_max) throw new UsageError(`${path} is no checkpoint: it holds ${size} bytes.`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileFault(error, path, 'read')
  }
}

/** Whole or not at all, and for its owner alone. */
export async function writeOwnFile(
  path: string,
  lines: AsyncIterable<string> | Iterable<string>,
  makes_folder = false,
): Promise<void> {
  try {
    if (makes_folder) await mkdir(dirname(path), { recursive: true, mode: owner_only_folder })
    await writeWhole(path, lines)
  } catch (error) {
    throw fileFault(error, path, 'written')
  }
}
