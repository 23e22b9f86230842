// The settings file of another program: other content stays, the old file is backed up, an unreadable file is not touched.
import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from '../exit.ts'

const file_bytes_max = 4 * 1024 * 1024
const new_file_mode = 0o600

export interface ClientFile {
  /** Empty if there is none yet. */
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
  /** Of the existing file. */
  readonly mode?: number
}

/** `snippet` is shown for manual editing if the file cannot be changed. */
export async function readClientFile(path: string, snippet: string): Promise<ClientFile> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new UsageError(`${path} cannot be read (${error.code}); check its permissions and its folder.`)
  })
  if (!stats) return { text: '', value: {} }
  if (!stats.isFile() || stats.size > file_bytes_max)
    throw new UsageError(`${path} is not a plain settings file of a reasonable size; check it first.`)
  const text = await readFile(path, 'utf8')
  const mode = stats.mode & 0o777
  if (text.trim() === '') return { text, value: {}, mode }
  return { text, value: parsed(text, path, snippet), mode }
}

function parsed(text: string, path: string, snippet: string): Readonly<Record<string, unknown>> {
  const by_hand = `Add this by hand, or fix the file and try again:\n${snippet}`
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch {
    throw new UsageError(
      `${path} is not plain JSON (comments are not supported), so it was not changed.\n${by_hand}`,
    )
  }
  if (isObject(value)) return value
  throw new UsageError(`${path} is not a JSON object, so it was not changed.\n${by_hand}`)
}

export interface Merged {
  readonly text: string
  /** An existing server entry of that name was different. */
  readonly replaced: boolean
}

/** The fields that svc owns; others, such as `env`, are preserved. */
const reached_by = ['type', 'command', 'args', 'url', 'serverUrl', 'headers']

export function mergeServer(
  { text, value }: ClientFile,
  key: string,
  name: string,
  entry: object,
  path: string,
): Merged {
  const servers = value[key] ?? {}
  if (!isObject(servers))
    throw new UsageError(`${key} in ${path} is not an object, so the file was not changed; fix it first.`)
  const old = Object.hasOwn(servers, name) ? servers[name] : undefined
  const other_fields = isObject(old)
    ? Object.entries(old).filter(([field]) => !reached_by.includes(field))
    : []
  const merged = { ...entry, ...Object.fromEntries(other_fields) }
  if (JSON.stringify(old) === JSON.stringify(merged)) return { text, replaced: false }
  const written = { ...value, [key]: { ...servers, [name]: merged } }
  return { text: `${JSON.stringify(written, null, indentOf(text))}\n`, replaced: old !== undefined }
}

/** The file's indentation, or two spaces. */
function indentOf(text: string): string {
  return /^\s*\{\s*\n([ \t]+)"/.exec(text)?.[1] ?? '  '
}

/** Returns the path of the backup. The file is replaced atomically. */
export async function writeClientFile(
  path: string,
  text: string,
  before: ClientFile,
): Promise<string | undefined> {
  const is_new = before.mode === undefined
  // A symlink is preserved: its target is written.
  const target = is_new ? path : await realpath(path)
  const draft = `${target}.${randomUUID()}`
  const backup = is_new ? undefined : `${path}.bak`
  try {
    await mkdir(dirname(target), { recursive: true })
    await writeFile(draft, text, { flag: 'wx', mode: before.mode ?? new_file_mode })
    if (backup !== undefined) await copyFile(target, backup)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(
      `${path} cannot be written (${code}); check its permissions, its folder and the free disk space.`,
    )
  }
  return backup
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
