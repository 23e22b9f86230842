// Where an operation's input takes an id, found from its schema so that new operations are covered
// automatically.

import { asSchemaNode, type SchemaNode, variantsOf, wordsOf } from '@svc/catalogue/derive/schema-node'
import type { Operation } from '@svc/contract/protocol'

export interface IdField {
  /** From the input to the field; `[]` is an element of a list. */
  readonly path: readonly string[]
  /** Whether the field's schema accepts this text. */
  takes(text: string): boolean
}

/** Every place that takes text: a field of the input at any depth, or a list of such. */
export function idFields(schema: Operation['input']): IdField[] {
  return fieldsOf(asSchemaNode(schema), [])
}

function fieldsOf(node: SchemaNode, path: readonly string[]): IdField[] {
  if (node.type === 'string') {
    const form = node.pattern === undefined ? /^/ : new RegExp(node.pattern)
    const length_max = node.maxLength ?? Number.POSITIVE_INFINITY
    return [{ path, takes: (text) => !wordsOf(node) && form.test(text) && text.length <= length_max }]
  }
  if (node.type === 'array' && node.items && !Array.isArray(node.items)) {
    return fieldsOf(node.items as SchemaNode, [...path, '[]'])
  }
  const variants = variantsOf(node).flatMap((variant) => fieldsOf(variant, path))
  const own = Object.entries(node.properties ?? {}).flatMap(([name, inner]) =>
    fieldsOf(inner, [...path, name]),
  )
  return [...variants, ...own]
}

/** A copy of the example with this text in that field. */
export function withId(example: unknown, { path }: IdField, text: string): unknown {
  return put(example, path, text)
}

function put(value: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text
  if (name === '[]') return [put(Array.isArray(value) ? value[0] : undefined, rest, text)]
  const object = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  return { ...object, [name]: put(object[name], rest, text) }
}
