// Turns a component into what Node can run: once, in a process of its own, into an unnamed file, so that the verified
// bytes are the loaded ones.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '@svc/engine/ports'
import { watchedBy } from '../processes/dead-man.ts'
import type { Extent } from './sandbox/words.ts'
import type { Translated } from './translator/program.ts'

export interface PluginCode {
  /** Glue and modules, one after the other, in a file nobody else can open. */
  readonly file: FileHandle
  readonly glue: Extent
  readonly modules: Readonly<Record<string, Extent>>
  close(): Promise<void>
}

/** Why a component cannot run here; shown to the operator. */
export class Unloadable extends Error {}

/** For the shell that starts foreign work: the engine itself has priority. */
export const gently = 'renice -n 5 -p $$ >/dev/null 2>&1; '

/** Large, and installed only where plugins run. */
export const translator_package = '@bytecodealliance/jco-transpile@0.15.0'

const translate_ms_max = 60_000
const said_bytes_max = 64 * 1024
const program = fileURLToPath(new URL('./translator/program.ts', import.meta.url))
const heap_mb_max = 1_024
// The translator is WebAssembly itself, and works in its memory.
const pages_max = 16_384
const switch_fd = 4
// In the shell's blocks: half a GiB at most, many times what any plugin needs.
const small_files = 'ulimit -f 524288; '

export async function translate(
  component: Uint8Array,
  memory_bytes_max: number,
  clock: Pick<Clock, 'uuid'>,
): Promise<PluginCode> {
  const file = await openNameless(clock)
  try {
    const translated = await runTranslator(component, memory_bytes_max, file)
    if ('fault' in translated) throw new Unloadable(translated.fault)
    const { 'plugin.js': glue, ...modules } = translated.files
    return { file, glue: glue!, modules, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Without a name nobody can replace its bytes. */
async function openNameless(clock: Pick<Clock, 'uuid'>): Promise<FileHandle> {
  const path = join(tmpdir(), `svc-plugin-${clock.uuid()}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}

async function runTranslator(
  component: Uint8Array,
  memory_bytes_max: number,
  file: FileHandle,
): Promise<Translated> {
  const command = [process.execPath, ...flags(), program, String(memory_bytes_max)]
  const child = spawn(
    '/bin/sh',
    ['-c', gently + small_files + watchedBy(switch_fd), 'svc-translate', ...command],
    {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', file.fd, 'pipe'],
    },
  )
  // Its switch ends the whole group, and never another process that reused the pid.
  const end = () => child.stdio[switch_fd]!.destroy()
  const timer = setTimeout(end, translate_ms_max)
  child.once('exit', end)
  const [output, complained] = [collect(child.stdout!), collect(child.stderr!)]
  // It may stop reading; its exit reports that.
  child.stdin!.on('error', () => {}).end(component)
  const [code, signal] = await once(child, 'close')
  clearTimeout(timer)
  if (signal === 'SIGKILL') throw new Unloadable(`it took longer than ${translate_ms_max} ms to translate`)
  if (code !== 0) throw new Unloadable(`it cannot be translated: ${lastLine(complained())}`)
  return JSON.parse(output())
}

/** It can read only the translator's own code, and write only to the file it was given. */
function flags(): string[] {
  const own = join(import.meta.dirname, '..')
  const packages = fileURLToPath(translatorPath())
  const modules = packages.slice(0, packages.lastIndexOf('/node_modules/') + '/node_modules'.length)
  const readable = [own, modules.replace(/\/@bytecodealliance\/.*$/, '')]
  return [
    '--no-warnings',
    '--permission',
    '--allow-worker',
    `--max-old-space-size=${heap_mb_max}`,
    `--wasm-max-mem-pages=${pages_max}`,
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ]
}

function translatorPath(): string {
  try {
    return import.meta.resolve('@bytecodealliance/jco-transpile/component')
  } catch {
    throw new Unloadable(
      `what translates plugins is not installed here; npm install ${translator_package} beside svc-engine, or npm install in a checkout`,
    )
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    if (text.length < said_bytes_max) text += chunk
  })
  return () => text
}

function lastLine(text: string): string {
  return (
    text
      .trim()
      .split('\n')
      .findLast((line) => /error/i.test(line))
      ?.slice(0, 300) ?? 'it says nothing'
  )
}
