// Files of the audit commands: read line by line, written atomically, with owner-only permissions.
import { createReadStream } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openProgress } from '../calls/progress.ts'
import type { Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { writeWhole } from '../private-file.ts'

const owner_only_folder = 0o700
const note_bytes_max = 64 * 1024
const line_chars_max = 4 * 1024 * 1024

/** Describes a file error for people; returns any other error unchanged. */
function fileFault(error: unknown, path: string, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string' || error instanceof UsageError) return error
  if (code === 'ENOENT')
    return new UsageError(`There is no ${what === 'read' ? 'file' : 'folder for'} ${path}.`)
  return new UsageError(`${path} cannot be ${what} (${code}); check its type and permissions.`)
}

/** The lines of a file of any size; the last line needs no line break. */
async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    // A folder or a missing file is reported before the first line, not as an unreadable line.
    if ((await stat(path)).isDirectory())
      throw new UsageError(`${path} is a folder; name the export file in it.`)
    yield* splitLines(createReadStream(path, 'utf8'))
  } catch (error) {
    throw fileFault(error, path, 'read')
  }
}

const progress_lines = 1_000

/** The same, with progress on a terminal. */
export async function* watchedFile(path: string, terminal: Terminal): AsyncGenerator<string> {
  const live = terminal.stderr_is_tty ? openProgress(terminal) : undefined
  const bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  let [lines, chars] = [0, 0]
  try {
    for await (const line of linesOf(path)) {
      chars += line.length + 1
      if (++lines % progress_lines === 0) live?.show({ fraction: chars / bytes, message: `line ${lines}` })
      yield line
    }
  } finally {
    live?.clear()
  }
}

/** Only a line feed ends a line: readline also splits at separators that JSON allows inside strings. */
export async function* splitLines(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield withoutReturn(line)
    // Too long for a line of an export: it is passed on, and the verifier reports it.
    if (rest.length > line_chars_max) break
  }
  if (rest !== '') yield withoutReturn(rest)
}

/** Line endings converted on the way do not change the audit log. */
function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Undefined if it is larger. */
export async function readSmallFile(path: string, bytes_max: number): Promise<string | undefined> {
  try {
    const stats = await stat(path)
    return stats.isFile() && stats.size <= bytes_max ? await readFile(path, 'utf8') : undefined
  } catch (error) {
    throw fileFault(error, path, 'read')
  }
}

/** Undefined if there is none. */
export async function readNoteFile(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    if (size > note_bytes_max) throw new UsageError(`${path} is not a checkpoint: it has ${size} bytes.`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileFault(error, path, 'read')
  }
}

/** Written atomically, readable by the owner only. */
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
