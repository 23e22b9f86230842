// Plugins of a few lines: the text of a core module, wrapped into a component of the world svc:plugin.
// Without a compiler one takes milliseconds, and can do what no compiler would write.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { componentEmbed, componentNew, parse, print } from '@bytecodealliance/jco-transpile/wasm-tools'

const world = readFileSync(join(import.meta.dirname, '../../contract/wit/svc-plugin.wit'), 'utf8')

/** The memory layout of a plugin made here; from `free` on it is its own. */
const places = { answer: 64, refusal: 128, name: 192, text: 256, operations: 3_584, free: 4_096 }

export interface WatPlugin {
  /** Its operation names, if it has no instructions for them; a few short ones. */
  readonly names?: readonly string[]
  /** Instructions of `invoke`, which leaves the address of a result; locals $a to $f are its six arguments. */
  readonly invoke?: string
  /** The answer of `invoke` without instructions. */
  readonly answer?: string
  /** Instructions of `operations`, which leaves the address of a list. */
  readonly operations?: string
  /** Instructions of `cabi_realloc` ($old, $old_size, $align, $size), which leaves an address. */
  readonly realloc?: string
  /** Further fields of the module: functions, globals, a start. */
  readonly fields?: string
  /** Imports of the module, before anything else. */
  readonly imports?: string
  readonly memory?: string
  /** Additional lines of the world, and the packages they name. */
  readonly world?: string
  readonly packages?: string
}

export async function watPlugin(plugin: WatPlugin = {}): Promise<Uint8Array> {
  return wrap(await parse(moduleText(plugin)), plugin)
}

/** Any core module with the exports of the world. */
async function wrap(
  module: Uint8Array,
  { world: lines = '', packages = '' }: Pick<WatPlugin, 'world' | 'packages'> = {},
): Promise<Uint8Array> {
  const source = `${world.replace('import host;', `import host;\n${lines}`)}\n${packages}`
  return componentNew(await componentEmbed({ binary: module, witSource: source, world: 'plugin' }), [])
}

export function moduleText({
  names = ['run'],
  answer = '{"ok":true}',
  invoke = `i32.const ${places.answer}`,
  operations = `i32.const ${places.operations}`,
  realloc = bump,
  memory = '(memory (export "memory") 2)',
  ...plugin
}: WatPlugin): string {
  return `(module ${plugin.imports ?? ''} ${memory}
    (global $free (mut i32) (i32.const ${places.free}))
    ${listed(names)} ${said(answer)} ${plugin.fields ?? ''}
    (func (export "cabi_realloc") (param $old i32) (param $old_size i32) (param $align i32) (param $size i32)
      (result i32) ${realloc})
    (func (export "operations") (result i32) ${operations})
    (func (export "invoke") (param $a i32) (param $b i32) (param $c i32) (param $d i32) (param $e i32) (param $f i32)
      (result i32) ${invoke}))`
}

/** The list that `operations` points to, followed by its names; `run` is also separate, for the host. */
function listed(names: readonly string[]): string {
  const first = places.operations + 8
  const texts = first + names.length * 8
  const pairs = names.flatMap((name, i) => [texts + names.slice(0, i).join('').length, name.length])
  return `(data (i32.const ${places.operations}) "${words(first, names.length, ...pairs)}${escaped(names.join(''))}")
    (data (i32.const ${places.name}) "run")`
}

/** `ok(answer)`, where `invoke` points. */
function said(answer: string): string {
  return `(data (i32.const ${places.answer}) "${words(0, places.text, Buffer.byteLength(answer))}")
    (data (i32.const ${places.text}) "${escaped(answer)}")`
}

/** Aligned, and wraps around before the memory ends: nothing is kept between calls. */
const bump = `(local $at i32)
  (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
  (if (i32.gt_u (i32.add (local.get $at) (local.get $size)) (i32.const 131072))
    (then (local.set $at (i32.const ${places.free}))))
  (global.set $free (i32.add (local.get $at) (local.get $size)))
  (local.get $at)`

/** Data for `(data …)`: 32-bit words, little-endian. */
export function words(...numbers: number[]): string {
  return numbers.map((number) => escapedBytes(Buffer.from(Uint32Array.of(number).buffer))).join('')
}

export function escaped(text: string): string {
  return escapedBytes(Buffer.from(text))
}

function escapedBytes(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
}

/** `err(refusal)` with this number of its enum, as fields of the module; `invoke` then answers `refusal_at`. */
export const refusal_at = places.refusal
export function refusalFields(code: number, message: string): string {
  return `(data (i32.const ${places.refusal}) "${words(1, code, 3_072, Buffer.byteLength(message), 0, 0, 0, 0, 0, 0)}")
    (data (i32.const 3072) "${escaped(message)}")`
}

/** An import of the host, for `imports`. */
export const host_imports = {
  log: '(import "svc:plugin/host@1.0.0" "log" (func $log (param i32 i32 i32)))',
  config: '(import "svc:plugin/host@1.0.0" "config" (func $config (param i32)))',
  progress: '(import "svc:plugin/host@1.0.0" "progress" (func $progress (param i32 i32 i32 f64)))',
  audit: '(import "svc:plugin/host@1.0.0" "audit" (func $audit (param i32 i32 i32 i32 i32)))',
  call: '(import "svc:plugin/host@1.0.0" "call" (func $call (param i32 i32 i32 i32 i32 i32 i32)))',
}

/** The same component with additional modules, instances or types. */
export async function withMore(component: Uint8Array, text: string): Promise<Uint8Array> {
  const printed = (await print(component)).trimEnd()
  return parse(`${printed.slice(0, printed.lastIndexOf(')'))}${text})`)
}
