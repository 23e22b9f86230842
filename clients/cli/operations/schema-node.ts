// A JSON Schema, as far as svc reads it.

export interface SchemaNode {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
  /** A part of the whole schema, such as `#/$defs/RecipeStep`. */
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, SchemaNode>>
  readonly [keyword: string]: unknown
}

export function choicesOf(node: SchemaNode): readonly SchemaNode[] {
  return node.anyOf ?? node.oneOf ?? []
}

/** The name of the part that it refers to. */
export function partOf({ $ref }: SchemaNode): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1)
}

/** The values of a closed list; undefined for any other schema. */
export function wordsOf(node: SchemaNode): readonly unknown[] | undefined {
  if (node.const !== undefined) return [node.const]
  if (node.enum) return node.enum
  const words = choicesOf(node).map(wordsOf)
  return words.length > 0 && words.every((each) => each !== undefined) ? words.flat() : undefined
}

/** The JSON types it allows; empty if any. */
export function typesOf(node: SchemaNode): readonly string[] {
  const words = wordsOf(node)
  if (words) return [...new Set(words.map(jsonType))]
  const choices = choicesOf(node)
  if (choices.length > 0) {
    const types = choices.map(typesOf)
    return types.some((each) => each.length === 0) ? [] : [...new Set(types.flat())]
  }
  return node.type === undefined ? [] : [node.type].flat()
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export interface Field {
  readonly name: string
  readonly node: SchemaNode
  readonly required: boolean
}

/** The fields of an object; for a choice of objects those of each, required only if required in all. */
export function fieldsOf(node: SchemaNode): Field[] {
  const shapes = node.properties ? [node] : choicesOf(node).filter(({ properties }) => properties)
  const names = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  return names.map((name) => {
    const nodes = shapes.flatMap(({ properties }) =>
      Object.hasOwn(properties ?? {}, name) ? [properties![name]!] : [],
    )
    return {
      name,
      node: nodes.length === 1 || isSame(nodes) ? nodes[0]! : { anyOf: nodes },
      required: shapes.every(({ required }) => required?.includes(name)),
    }
  })
}

function isSame(nodes: readonly SchemaNode[]): boolean {
  return new Set(nodes.map((node) => JSON.stringify(node))).size === 1
}
