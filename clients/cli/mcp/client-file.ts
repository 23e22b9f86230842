// The settings file of another program: what is in it stays, what was in it is kept beside it, and what cannot be read is not touched.
import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from '../exit.ts'

const file_bytes_max = 4 * 1024 * 1024
const new_file_mode = 0o600

export interface ClientFile {
  /** Empty where there is none yet. */
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
  /** Of the file that is there. */
  readonly mode?: number
}

/** `snippet` is what a person may add by hand where this program must not. */
export async function readClientFile(path: string, snippet: string): Promise<ClientFile> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new UsageError(`${path} cannot be read (${error.code}); see who owns it and its folder.`)
  })
  if (!stats) return { text: '', value: {} }
  if (!stats.isFile() || stats.size > file_bytes_max)
    throw new UsageError(
      `${path} is no settings file as ${path.split(/[\\/]/).at(-1)} should be; look at it first.`,
    )
  const text = await readFile(path, 'utf8')
  const mode = stats.mode & 0o777
  if (text.trim() === '') return { text, value: {}, mode }
  return { text, value: parsed(text, path, snippet), mode }
}

function parsed(text: string, path: string, snippet: string): Readonly<Record<string, unknown>> {
  const by_hand = `Add this by hand, or mend the file and try again:\n${snippet}`
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch {
    throw new UsageError(
      `${path} is no plain JSON (comments count as such), so it was left as it is.\n${by_hand}`,
    )
  }
  if (isObject(value)) return value
  throw new UsageError(`${path} holds no JSON object, so it was left as it is.\n${by_hand}`)
}

export interface Merged {
  readonly text: string
  /** There was a server of that name that looked otherwise. */
  readonly replaced: boolean
}

/** How a program is reached; whatever else somebody wrote beside it, such as `env`, stays. */
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
    throw new UsageError(`${key} in ${path} is no object, so the file was left as it is; mend it first.`)
  const old = Object.hasOwn(servers, name) ? servers[name] : undefined
  const other_fields = isObject(old)
    ? Object.entries(old).filter(([field]) => !reached_by.includes(field))
    : []
  const merged = { ...entry, ...Object.fromEntries(other_fields) }
  if (JSON.stringify(old) === JSON.stringify(merged)) return { text, replaced: false }
  const written = { ...value, [key]: { ...servers, [name]: merged } }
  return { text: `${JSON.stringify(written, null, indentOf(text))}\n`, replaced: old !== undefined }
}

/** As the file was indented, or by two. */
function indentOf(text: string): string {
  return /^\s*\{\s*\n([ \t]+)"/.exec(text)?.[1] ?? '  '
}

/** Answers where the file as it was has been kept. A reader sees the old file or the new one, never half of either. */
export async function writeClientFile(
  path: string,
  text: string,
  before: ClientFile,
): Promise<string | undefined> {
  const is_new = before.mode === undefined
  // A link stays one: what it leads to is written.
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
      `${path} cannot be written (${code}); see who owns it, its folder, and the room on the disk.`,
    )
  }
  return backup
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
