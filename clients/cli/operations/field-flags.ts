// The fields of an operation's input as flags: --limit 5, --event-type a --event-type b, --period.from 2026-01-01T00:00:00Z.
import type { ParseArgsOptionsConfig } from 'node:util'
import { expected } from '../calls/input-check.ts'
import type { Flags } from '../command.ts'
import { UsageError } from '../exit.ts'
import { fieldsOf, jsonType, type SchemaNode, typesOf } from './schema-node.ts'

export interface FieldFlag {
  /** Without dashes. */
  readonly flag: string
  /** The flag that says false, of a yes-or-no field. */
  readonly negative?: string
  readonly path: readonly string[]
  readonly node: SchemaNode
  readonly required: boolean
}

const depth_max = 4
const flags_max = 500
/** Names that need no quoting in a shell. */
const name_form = /^[A-Za-z0-9][A-Za-z0-9_-]*$/

/** `taken` are flags of svc itself: a field of that name is `--input.<field>`. */
export function fieldFlags(schema: SchemaNode, taken: ReadonlySet<string>): FieldFlag[] {
  const flags: FieldFlag[] = []
  const add = (node: SchemaNode, path: readonly string[], required: boolean) => {
    if (flags.length >= flags_max || path.length > depth_max || !name_form.test(path.at(-1)!)) return
    const name = path.join('.').replaceAll('_', '-')
    const flag = taken.has(name) ? `input.${name}` : name
    const negative = typesOf(node).join() === 'boolean' ? `no-${flag}` : undefined
    const can_deny = negative !== undefined && !taken.has(negative)
    if (flags.every((each) => each.flag !== flag))
      flags.push({ flag, ...(can_deny && { negative }), path, node, required })
    for (const field of fieldsOf(node)) add(field.node, [...path, field.name], required && field.required)
  }
  for (const { name, node, required } of fieldsOf(schema)) add(node, [name], required)
  return flags
}

export function optionsOf(fields: readonly FieldFlag[]): ParseArgsOptionsConfig {
  const options: ParseArgsOptionsConfig = {}
  for (const { flag, negative, node } of fields) {
    options[flag] = { type: isYesNo(node) ? 'boolean' : 'string', multiple: isList(node) }
    if (negative !== undefined) options[negative] = { type: 'boolean' }
  }
  return options
}

function isYesNo(node: SchemaNode): boolean {
  return typesOf(node).join() === 'boolean'
}

function isList(node: SchemaNode): boolean {
  return typesOf(node).join() === 'array'
}

/** `base` is what --input says; a flag wins over it. */
export function withFieldFlags(base: unknown, fields: readonly FieldFlag[], flags: Flags): unknown {
  if (jsonType(base) !== 'object')
    throw new UsageError('The input is not an object, so no field can be added to it by a flag.')
  let input = base as Fields
  for (const { flag, negative, path, node } of fields) {
    const value = flags[flag]
    const is_denied = negative !== undefined && flags[negative] === true
    if (is_denied && value !== undefined)
      throw new UsageError(`--${flag} and --${negative} exclude each other; give one of them.`)
    if (is_denied) input = setAt(input, path, false)
    else if (Array.isArray(value))
      input = setAt(
        input,
        path,
        value.map((item) => readText(String(item), node.items ?? {}, flag)),
      )
    else if (value !== undefined)
      input = setAt(input, path, value === true ? true : readText(String(value), node, flag))
  }
  return input
}

type Fields = Readonly<Record<string, unknown>>

/** A copy; a computed name never sets a prototype. */
function setAt(object: Fields, [name, ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length === 0) return { ...object, [name!]: value }
  const inner = Object.hasOwn(object, name!) ? object[name!] : undefined
  return { ...object, [name!]: setAt(jsonType(inner) === 'object' ? (inner as Fields) : {}, rest, value) }
}

/** As text if the schema allows only that; else as JSON of an allowed type, if it is that. */
function readText(text: string, node: SchemaNode, flag: string): unknown {
  const types = typesOf(node)
  if (types.join() === 'string') return text
  const value = parsed(text)
  if (value !== undefined && isAllowed(value, types)) return value
  if (types.length === 0 || types.includes('string')) return text
  throw new UsageError(`--${flag} is ${JSON.stringify(text)}; expected ${expected(node)}.`)
}

function isAllowed(value: unknown, types: readonly string[]): boolean {
  // A number that JavaScript would round is refused rather than changed.
  if (
    typeof value === 'number' &&
    !(Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value))
  )
    return false
  if (types.length === 0 || types.includes(jsonType(value))) return true
  return typeof value === 'number' && types.includes('integer') && Number.isInteger(value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The flag that a JSON Pointer into the input is set by, for messages. */
export function flagAt(pointer: string, fields: readonly FieldFlag[]): string | undefined {
  const parts = pointer.split('/').slice(1)
  for (let length = parts.length; length > 0; length--) {
    const path = parts.slice(0, length).join('/')
    const field = fields.find((each) => each.path.join('/') === path)
    if (field) return `--${field.flag}`
  }
  return undefined
}
