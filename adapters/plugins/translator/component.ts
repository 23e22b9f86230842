// Turns a component into glue and modules, or into the reason why not.
import { $init, type GenerateOptions, generate } from '@bytecodealliance/jco-transpile/component'
import { wasi_names } from '../sandbox/wasi.ts'
import { readCoreModule } from './core-module.ts'

const page_bytes = 65_536
const own_names: ReadonlySet<string> = new Set(['svc:plugin/host', 'svc:plugin/refusals'])
const modules_max = 64
// The translator writes these names verbatim into quoted JavaScript: a name with a quote would be code.
const plain_name = /^[\w .:;,/@#$%&|=+<>()[\]!?~^-]{0,1024}$/

const options: GenerateOptions = {
  name: 'plugin',
  noTypescript: true,
  instantiation: { tag: 'sync' },
  noNodejsCompat: true,
  base64Cutoff: 0,
  validLiftingOptimization: false,
  multiMemory: false,
}

/** `plugin.js`, and the modules it loads by name. */
export type Files = readonly (readonly [path: string, bytes: Uint8Array])[]

/** Undefined if it needs nothing that a plugin cannot have. */
function faultOf(imports: readonly string[], modules: Files, memory_bytes_max: number): string | undefined {
  const foreign = imports.map(withoutVersion).find((name) => !wasi_names.has(name) && !own_names.has(name))
  if (foreign !== undefined) return `it imports ${foreign}, which no plugin is given`
  if (modules.length > modules_max) return `it holds more than ${modules_max} modules`
  let pages = 0
  for (const [, bytes] of modules) {
    const module = readCoreModule(bytes)
    if (!module) return 'one of its modules cannot be read'
    const { memories, tables, names } = module
    const strange = names.find((name) => !plain_name.test(name) || name === '__proto__')
    if (strange !== undefined)
      return `one of its modules uses the name ${quoted(strange)}, which no compiler writes`
    if (memories.length > 1) return 'one of its modules has several memories'
    if ([...memories, ...tables].some(({ is_64 }) => is_64)) return 'it needs memory64'
    if ([...memories, ...tables].some(({ is_shared }) => is_shared))
      return 'it needs shared memory or threads'
    pages += memories.reduce((sum, { min }) => sum + min, 0)
  }
  if (pages * page_bytes <= memory_bytes_max) return undefined
  return `it begins with ${pages * page_bytes} bytes of memory, and a plugin has at most ${memory_bytes_max}`
}

/** In plain ASCII, for terminals. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 60)).replaceAll(/[^ -~]/g, '?')
}

function withoutVersion(name: string): string {
  return name.split('@')[0]!
}

/** May take unbounded memory and time: the caller is a process that can be killed. */
export async function translateComponent(
  component: Uint8Array,
  memory_bytes_max: number,
): Promise<{ fault: string } | { files: Files }> {
  await $init
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
