// The program that turns a component into what Node can run, in a process of its own: the translator is large, and the component a stranger's.
// In: the component on stdin. Out: glue and modules into the file it was given, and on stdout one line that says where in it they lie.
import { writeSync } from 'node:fs'
import { $init, type GenerateOptions, generate } from '@bytecodealliance/jco-transpile/component'
import { wasi_names } from '../sandbox/wasi.ts'
import type { Extent } from '../sandbox/words.ts'
import { readCoreModule } from './core-module.ts'

/** What the translator says on stdout. */
export type Translated = { readonly fault: string } | { readonly files: Readonly<Record<string, Extent>> }

const files_fd = 3
const page_bytes = 65_536
const own_names: ReadonlySet<string> = new Set(['svc:plugin/host', 'svc:plugin/refusals'])
const modules_max = 64

const options: GenerateOptions = {
  name: 'plugin',
  noTypescript: true,
  instantiation: { tag: 'sync' },
  noNodejsCompat: true,
  base64Cutoff: 0,
  validLiftingOptimization: false,
  multiMemory: false,
}

type Files = readonly (readonly [path: string, bytes: Uint8Array])[]

/** Undefined where nothing of it asks for what a plugin cannot have. */
function faultOf(imports: readonly string[], modules: Files, memory_bytes_max: number): string | undefined {
  const foreign = imports.map(withoutVersion).find((name) => !wasi_names.has(name) && !own_names.has(name))
  if (foreign !== undefined) return `it imports ${foreign}, which no plugin is given`
  if (modules.length > modules_max) return `it holds more than ${modules_max} modules`
  let pages = 0
  for (const [, bytes] of modules) {
    const module = readCoreModule(bytes)
    if (!module) return 'one of its modules cannot be read'
    const { memories, tables } = module
    if (memories.length > 1) return 'one of its modules has several memories'
    if ([...memories, ...tables].some(({ is_64 }) => is_64)) return 'it needs memory64'
    if ([...memories, ...tables].some(({ is_shared }) => is_shared))
      return 'it needs shared memory or threads'
    pages += memories.reduce((sum, { min }) => sum + min, 0)
  }
  if (pages * page_bytes <= memory_bytes_max) return undefined
  return `it begins with ${pages * page_bytes} bytes of memory, and a plugin has at most ${memory_bytes_max}`
}

function withoutVersion(name: string): string {
  return name.split('@')[0]!
}

function translate(component: Uint8Array, memory_bytes_max: number): { fault: string } | { files: Files } {
  let translated: ReturnType<typeof generate>
  try {
    translated = generate(component, options)
  } catch (error) {
    const why = (error as { payload?: unknown }).payload ?? (error as Error).message
    return { fault: `it is no component that can be run: ${String(why).split('\n')[0]!.slice(0, 500)}` }
  }
  const glue = translated.files.find(([path]) => path === 'plugin.js')
  const modules = translated.files.filter(([path]) => path.endsWith('.wasm'))
  const exported = translated.exports.map(([name]) => name)
  if (!glue || !exported.includes('operations') || !exported.includes('invoke'))
    return { fault: 'it does not export operations and invoke of the world svc:plugin' }
  const fault = faultOf(translated.imports, modules, memory_bytes_max)
  return fault === undefined ? { files: [glue, ...modules] } : { fault }
}

function writeFiles(files: Files): Translated {
  const extents: Record<string, Extent> = {}
  let offset = 0
  for (const [path, bytes] of files) {
    for (let sent = 0; sent < bytes.length; ) sent += writeSync(files_fd, bytes, sent)
    extents[path] = { offset, length: bytes.length }
    offset += bytes.length
  }
  return { files: extents }
}

await $init
const component = Buffer.concat(await Array.fromAsync(process.stdin))
const translated = translate(component, Number(process.argv[2]))
process.stdout.write(JSON.stringify('files' in translated ? writeFiles(translated.files) : translated))
