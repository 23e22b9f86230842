// Faults in a choice between shapes that one word tells apart, such as the kind of a step: told of the shape that was meant, not of all.
import type { TSchema } from 'typebox'

interface Fault {
  readonly pointer: string
  readonly message: string
}

interface Node {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Node>>
  readonly anyOf?: readonly Node[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly const?: unknown
}

type Fields = Readonly<Record<string, unknown>>

const faults_max = 20
const depth_max = 64

/** Unknown words, and missing and unknown fields of the shapes that were named; empty where the fault is another. */
export function choiceFaults(schema: TSchema, value: unknown): readonly Fault[] {
  const faults: Fault[] = []
  visit(schema as Node, value, '', {}, faults, 0)
  return faults.slice(0, faults_max)
}

function visit(
  node: Node,
  value: unknown,
  pointer: string,
  outer: Readonly<Record<string, Node>>,
  faults: Fault[],
  depth: number,
): void {
  if (faults.length >= faults_max || depth > depth_max) return
  if (typeof value !== 'object' || value === null) return
  const parts = node.$defs ? { ...outer, ...node.$defs } : outer
  const down = (next: Node, part: unknown, at: string) => visit(next, part, at, parts, faults, depth + 1)
  if (node.$ref !== undefined) {
    const named = parts[node.$ref.replace(/^#\/\$defs\//, '')]
    if (named) down(named, value, pointer)
    return
  }
  if (Array.isArray(value)) {
    if (node.items) for (const [at, item] of value.entries()) down(node.items, item, `${pointer}/${at}`)
    return
  }
  const fields = value as Fields
  const word = wordOf(node.anyOf)
  const shape = word === undefined ? node : chosen(node.anyOf!, word, fields, pointer, faults)
  if (!shape?.properties) return
  if (word !== undefined) judgeFields(shape, fields, pointer, faults)
  for (const [name, next] of Object.entries(shape.properties))
    if (Object.hasOwn(fields, name)) down(next, fields[name], `${pointer}/${escapePointer(name)}`)
}

/** The field that is a constant in every shape, if there is one. */
function wordOf(shapes: readonly Node[] | undefined): string | undefined {
  const [first, ...others] = shapes ?? []
  if (!first || others.length === 0) return undefined
  return Object.keys(first.properties ?? {}).find((name) =>
    shapes!.every(({ properties, required }) => {
      return typeof properties?.[name]?.const === 'string' && required?.includes(name)
    }),
  )
}

function chosen(shapes: readonly Node[], word: string, fields: Fields, pointer: string, faults: Fault[]) {
  const own = Object.hasOwn(fields, word) ? fields[word] : undefined
  const shape = shapes.find(({ properties }) => properties![word]!.const === own)
  if (!shape) {
    const words = shapes.map(({ properties }) => String(properties![word]!.const))
    const was = typeof own === 'string' ? `, not ${own.slice(0, 64)}` : ''
    faults.push({
      pointer: `${pointer}/${escapePointer(word)}`,
      message: `must be ${words.join(', ')}${was}`,
    })
  }
  return shape
}

function judgeFields(
  { properties, required, additionalProperties }: Node,
  fields: Fields,
  pointer: string,
  faults: Fault[],
) {
  for (const name of required ?? [])
    if (!Object.hasOwn(fields, name))
      faults.push({ pointer: `${pointer}/${escapePointer(name)}`, message: 'is required' })
  if (additionalProperties !== false) return
  for (const name of Object.keys(fields))
    if (!Object.hasOwn(properties!, name))
      faults.push({ pointer: `${pointer}/${escapePointer(name)}`, message: 'is not a known field' })
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
