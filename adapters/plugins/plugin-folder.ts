// A plugin's folder, read once into memory: the verified bytes are the loaded ones, whatever happens to the folder
// meanwhile.
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import {
  manifest_file,
  operations_file,
  type PluginFiles,
  pluginDigest,
} from '@svc/contract/foreign/plugin-signature'
import { parse } from 'smol-toml'
import { Compile } from 'typebox/compile'
import { operationsFault, PluginOperations } from './plugin-operations.ts'

export interface PluginPackage {
  readonly manifest: PluginManifest
  /** Every file but the manifest. */
  readonly files: PluginFiles
  readonly component: Uint8Array
  /** The content of operations.json; empty if there is none. */
  readonly operations: PluginOperations
  /** Any other byte gives another digest. */
  readonly digest: string
}

/** Why a folder holds no acceptable plugin: `reason` is a short stable phrase, the message a sentence. */
export class Rejected extends Error {
  readonly reason: string
  /** If that much could be read. */
  manifest?: PluginManifest
  constructor(reason: string, sentence: string) {
    super(sentence)
    this.reason = reason
  }
}

export const plugin_bytes_max = 64 * 1024 * 1024
const manifest_bytes_max = 64 * 1024
const operations_bytes_max = 1024 * 1024
const files_max = 64
/** Including folders, which may be empty. */
const entries_max = 256
const depth_max = 4

/** Created for the first folder: most engines have none. */
let made: ReturnType<typeof compileChecks> | undefined
const compileChecks = () => ({ manifest: Compile(PluginManifest), operations: Compile(PluginOperations) })
function checks() {
  made ??= compileChecks()
  return made
}

export async function readPluginFolder(folder: string): Promise<PluginPackage> {
  const paths = await listFiles(folder)
  if (!paths.includes(manifest_file)) throw new Rejected('no manifest', `There is no ${manifest_file} in it.`)
  const manifest = readManifest(await readFile(folder, manifest_file, manifest_bytes_max))
  try {
    return await readFiles(folder, paths, manifest)
  } catch (error) {
    if (error instanceof Rejected) error.manifest = manifest
    throw error
  }
}

async function readFiles(
  folder: string,
  paths: readonly string[],
  manifest: PluginManifest,
): Promise<PluginPackage> {
  const files = new Map<string, Uint8Array>()
  let left = plugin_bytes_max
  for (const path of paths.filter((each) => each !== manifest_file)) {
    const bytes = await readFile(folder, path, left)
    left -= bytes.length
    files.set(path, bytes)
  }
  const component = files.get(manifest.plugin.binary.path)
  if (!component)
    throw new Rejected(
      'no component',
      `The manifest names ${manifest.plugin.binary.path}, which is not there.`,
    )
  const operations = readOperations(files.get(operations_file), manifest)
  return { manifest, files, component, operations, digest: pluginDigest(manifest, files) }
}

/** Changes whenever a file does, so that unchanged folders need not be read again. */
export async function fingerprintOf(folder: string): Promise<string> {
  const facts = async (path: string) => {
    const { size, mtimeNs, ctimeNs, ino } = await lstat(join(folder, path), { bigint: true })
    return `${JSON.stringify(path)} ${size} ${mtimeNs} ${ctimeNs} ${ino}`
  }
  return (await Promise.all((await listFiles(folder)).map(facts))).join('\n')
}

export function readManifest(bytes: Uint8Array): PluginManifest {
  let value: unknown
  try {
    value = withPlainDates(parse(Buffer.from(bytes).toString('utf8')))
  } catch (error) {
    throw new Rejected(
      'bad manifest',
      `${manifest_file} is no TOML: ${(error as Error).message.split('\n')[0]}`,
    )
  }
  const check = checks().manifest
  if (check.Check(value)) return value
  throw new Rejected('bad manifest', `${manifest_file} does not fit: ${firstFault(check, value)}.`)
}

/** TOML has its own dates; ours are text. */
function withPlainDates(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(withPlainDates)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withPlainDates(each)]))
}

function readOperations(bytes: Uint8Array | undefined, { plugin }: PluginManifest): PluginOperations {
  if (!bytes) return {}
  const bad = (what: string) => new Rejected('bad operations', `${operations_file} ${what}.`)
  if (bytes.length > operations_bytes_max) throw bad(`is larger than ${operations_bytes_max} bytes`)
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw bad('is no JSON')
  }
  const check = checks().operations
  if (!check.Check(value)) throw bad(`does not fit: ${firstFault(check, value)}`)
  const fault = operationsFault(value, plugin.operations.operations)
  if (fault) throw bad(`cannot be used: ${fault}`)
  return value
}

function firstFault(check: { Errors(value: unknown): readonly object[] }, value: unknown): string {
  const { instancePath = '', message = 'is wrong' } = (check.Errors(value)[0] ?? {}) as Record<string, string>
  return `${instancePath || '/'} ${message}`.slice(0, 300)
}

/** Relative, with `/`, sorted. Only files and folders are accepted: a link leads elsewhere. */
async function listFiles(folder: string): Promise<string[]> {
  if (!(await lstat(folder)).isDirectory())
    throw new Rejected('not a plain file', 'It is no folder; links are not followed.')
  const paths: string[] = []
  let entries_left = entries_max
  const list = async (below: string, depth: number): Promise<void> => {
    if (depth > depth_max) throw new Rejected('too deep', `Its folders go deeper than ${depth_max}.`)
    for await (const entry of await opendir(join(folder, below))) {
      const path = below ? `${below}/${entry.name}` : entry.name
      if (--entries_left < 0 || paths.length > files_max)
        throw new Rejected('too many files', `It holds more than ${files_max} files.`)
      if (entry.isDirectory()) await list(path, depth + 1)
      else if (entry.isFile()) paths.push(path)
      else
        throw new Rejected(
          'not a plain file',
          `${path} is neither a file nor a folder; links are not followed.`,
        )
    }
  }
  await list('', 0)
  if (paths.length > files_max) throw new Rejected('too many files', `It holds more than ${files_max} files.`)
  return paths.sort()
}

async function readFile(folder: string, path: string, bytes_max: number): Promise<Uint8Array> {
  let file: FileHandle
  try {
    file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throw new Rejected('unreadable', `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Rejected('not a plain file', `${path} is no plain file.`)
    if (stats.size > bytes_max) throw new Rejected('too large', `${path} is larger than a plugin may be.`)
    // One byte more than expected, to notice growth.
    const bytes = Buffer.alloc(stats.size + 1)
    let length = 0
    for (let more = 1; more > 0 && length < bytes.length; length += more)
      more = (await file.read(bytes, length, bytes.length - length, length)).bytesRead
    if (length !== stats.size) throw new Rejected('unreadable', `${path} changed while it was read.`)
    return bytes.subarray(0, length)
  } finally {
    await file.close()
  }
}
