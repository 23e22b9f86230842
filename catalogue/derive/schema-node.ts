// A TypeBox schema is JSON Schema already; this is the part of it our catalogue uses, so that derivations can read it.
import type { OperationFacts } from '@svc/contract/operation-facts'

export interface SchemaNode {
  readonly $schema?: string
  readonly $id?: string
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, SchemaNode>>
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: boolean | SchemaNode
  readonly minProperties?: number
  readonly items?: SchemaNode | readonly SchemaNode[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
  readonly allOf?: readonly SchemaNode[]
}

/** The schema as plain JSON, without TypeBox's own properties. */
export function asSchemaNode(schema: OperationFacts['input']): SchemaNode {
  return JSON.parse(JSON.stringify(schema)) as SchemaNode
}

/** Values, not schemas: left unchanged. */
const literal_keywords: ReadonlySet<string> = new Set(['examples', 'default', 'const', 'enum'])
/** Their members are names chosen by the author, each with a schema. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])

/** One document: a recursive part is defined once, under `$defs` at its root, and referenced from everywhere. */
export function asDocument(schema: OperationFacts['input']): SchemaNode {
  const parts: Record<string, SchemaNode> = {}
  const node = gatherParts(asSchemaNode(schema), '#/$defs/', parts)
  return Object.keys(parts).length === 0 ? node : { ...node, $defs: { ...node.$defs, ...parts } }
}

/**
 * The schema without its recursive parts: those are added to `parts`, and referenced at `place`. Only parts with an `$id` are ours; those
 * of untrusted schemas stay, with pointers relative to `root`, where the schema will be.
 */
export function gatherParts(
  node: SchemaNode,
  place: string,
  parts: Record<string, SchemaNode>,
  root = '#',
): SchemaNode {
  const gather = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(gather)
    if (typeof inner !== 'object' || inner === null) return inner
    const entries = Object.entries(inner).flatMap(([key, value]): [string, unknown][] => {
      if (literal_keywords.has(key)) return [[key, value]]
      if (key === '$ref' && typeof value === 'string')
        return [[key, value.startsWith('#') ? root + value.slice(1) : place + value]]
      if (!maps.has(key) || !isObject(value)) return [[key, gather(value)]]
      const remaining = Object.entries(value).filter(([name, part]) => key !== '$defs' || !move(name, part))
      const is_emptied = remaining.length === 0 && Object.keys(value).length > 0
      return is_emptied
        ? []
        : [[key, Object.fromEntries(remaining.map(([name, part]) => [name, gather(part)]))]]
    })
    return Object.fromEntries(entries)
  }
  const move = (name: string, part: unknown): boolean => {
    if (!isObject(part) || typeof part.$id !== 'string') return false
    if (Object.hasOwn(parts, name)) return true
    const { $id: _, ...rest } = part
    parts[name] = {}
    parts[name] = gather(rest) as SchemaNode
    return true
  }
  return gather(node) as SchemaNode
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The values of an `OneOf`, or undefined where the schema is something else. */
export function wordsOf(node: SchemaNode): readonly unknown[] | undefined {
  if (node.const !== undefined) return [node.const]
  if (node.enum) return node.enum
  const choices = variantsOf(node)
  if (choices.length === 0 || !choices.every((choice) => choice.const !== undefined)) return undefined
  return choices.map((choice) => choice.const)
}

export function variantsOf(node: SchemaNode): readonly SchemaNode[] {
  return node.anyOf ?? node.oneOf ?? []
}

/** Every schema within a schema, with a JSON Pointer to it, itself first. */
export function* everyNode(node: SchemaNode, pointer = ''): Generator<readonly [string, SchemaNode]> {
  yield [pointer, node]
  for (const key of ['properties', 'patternProperties', '$defs'] as const) {
    for (const [name, child] of Object.entries(node[key] ?? {}))
      yield* everyNode(child, `${pointer}/${key}/${name}`)
  }
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    for (const [i, child] of (node[key] ?? []).entries()) yield* everyNode(child, `${pointer}/${key}/${i}`)
  }
  if (typeof node.additionalProperties === 'object') {
    yield* everyNode(node.additionalProperties, `${pointer}/additionalProperties`)
  }
  const items = node.items === undefined ? [] : [node.items].flat()
  for (const child of items as SchemaNode[]) yield* everyNode(child, `${pointer}/items`)
}
