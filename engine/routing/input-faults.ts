// Where a value does not fit its schema, told of the shape that was meant. Parts that fit are passed over by a compiled check: listing
// the faults of a whole value takes the validator seconds where a list is long.
import { describeFaults, escapePointer, type SchemaFault, unknown_field } from '@svc/contract/schema-faults'
import type { TProperties, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Errors } from 'typebox/value'

interface Node {
  readonly $ref?: string
  readonly $defs?: Parts
  readonly anyOf?: readonly Node[]
  readonly type?: string
  readonly properties?: Parts
  readonly patternProperties?: Parts
  readonly items?: Node
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly const?: unknown
}

type Parts = Readonly<Record<string, Node>>
type Fields = Readonly<Record<string, unknown>>

const faults_max = 20
const depth_max = 64

/** Empty where the value fits. */
export function inputFaults(schema: TSchema, value: unknown): readonly SchemaFault[] {
  const faults: SchemaFault[] = []
  visit(schema as Node, value, { pointer: '', parts: {}, depth: 0, faults })
  return faults.slice(0, faults_max)
}

interface Place {
  readonly pointer: string
  /** What a reference may name here. */
  readonly parts: Parts
  readonly depth: number
  readonly faults: SchemaFault[]
}

function visit(node: Node, value: unknown, outer: Place): void {
  const { pointer, faults } = outer
  if (faults.length >= faults_max || outer.depth > depth_max) return
  const place = node.$defs ? { ...outer, parts: { ...outer.parts, ...node.$defs } } : outer
  const meant = node.$ref === undefined ? node : place.parts[node.$ref.replace(/^#\/\$defs\//, '')]
  if (!meant || fits(meant, place.parts, value)) return
  const count = faults.length
  if (meant !== node) visit(meant, value, { ...place, depth: place.depth + 1 })
  else if (node.anyOf) visitChoice(node.anyOf, value, place)
  else visitParts(node, value, place)
  if (faults.length > count) return
  for (const fault of describeFaults(Errors(place.parts as TProperties, node as TSchema, value)))
    faults.push({ ...fault, pointer: `${pointer}${fault.pointer}` })
}

const checks = new WeakMap<Node, ReturnType<typeof Compile>>()

/** Compiled once for each part of a schema in which something was wrong. */
function fits(node: Node, parts: Parts, value: unknown): boolean {
  const check = checks.get(node) ?? Compile(parts as TProperties, node as TSchema)
  checks.set(node, check)
  return check.Check(value)
}

/** The faults of the value itself, then those of what is in it. */
function visitParts(node: Node, value: unknown, place: Place): void {
  const { pointer, faults } = place
  const { properties = {}, patternProperties = {}, items, additionalProperties, ...own } = node
  for (const fault of describeOwn(own, value))
    faults.push({ ...fault, pointer: `${pointer}${fault.pointer}` })
  if (typeof value !== 'object' || value === null) return
  const into = (next: Node | undefined, part: unknown, name: string | number) => {
    const at = `${pointer}/${escapePointer(String(name))}`
    if (next) visit(next, part, { ...place, pointer: at, depth: place.depth + 1 })
    else if (additionalProperties === false && faults.length < faults_max)
      faults.push({ pointer: at, message: unknown_field })
  }
  if (Array.isArray(value)) {
    if (items) for (const [at, item] of value.entries()) into(items, item, at)
    return
  }
  const more = typeof additionalProperties === 'object' ? (additionalProperties as Node) : undefined
  const patterns = Object.entries(patternProperties)
  for (const [name, part] of Object.entries(value)) {
    const next = Object.hasOwn(properties, name)
      ? properties[name]
      : patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1]
    into(next ?? more, part, name)
  }
}

function describeOwn(own: Node, value: unknown): readonly SchemaFault[] {
  const errors = Errors(own as TSchema, value)
  return errors.length > 0 ? describeFaults(errors) : []
}

/** Into the shape that the word means which tells the shapes apart, such as the kind of a step, or that the fields come nearest to. */
function visitChoice(choice: readonly Node[], value: unknown, place: Place): void {
  const { pointer, faults } = place
  if (choice.every((shape) => shape.const !== undefined)) {
    const words = choice.map((shape) => String(shape.const))
    return void faults.push({ pointer, message: `must be one of ${words.join(', ')}` })
  }
  const shapes = choice.filter(({ type }) => type === kindOf(value))
  if (shapes.length === 0 || (shapes.length > 1 && kindOf(value) !== 'object')) return
  const fields = value as Fields
  const word = wordOf(shapes)
  const own = word !== undefined && Object.hasOwn(fields, word) ? fields[word] : undefined
  const shape =
    word === undefined
      ? shapes.reduce((a, b) => (missesOf(b, fields) < missesOf(a, fields) ? b : a))
      : shapes.find(({ properties }) => properties![word]!.const === own)
  if (shape) return void visit(shape, value, { ...place, depth: place.depth + 1 })
  const words = shapes.map(({ properties }) => String(properties![word!]!.const))
  const was = typeof own === 'string' ? `, not ${own.slice(0, 64)}` : ''
  faults.push({ pointer: `${pointer}/${escapePointer(word!)}`, message: `must be ${words.join(', ')}${was}` })
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

/** The field that is a constant in every shape, if there is one. */
function wordOf([first, ...others]: readonly Node[]): string | undefined {
  if (others.length === 0) return undefined
  return Object.keys(first!.properties ?? {}).find((name) =>
    [first!, ...others].every(({ properties, required }) => {
      return typeof properties?.[name]?.const === 'string' && required?.includes(name)
    }),
  )
}

/** How many fields are missing or unknown, seen from one shape. */
function missesOf({ properties = {}, required = [] }: Node, fields: Fields): number {
  const missing = required.filter((name) => !Object.hasOwn(fields, name)).length
  return missing + Object.keys(fields).filter((name) => !Object.hasOwn(properties, name)).length
}
