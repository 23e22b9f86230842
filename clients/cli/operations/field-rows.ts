// The fields of an input or answer for people: name, form, and meaning with its default.
import { choicesOf, fieldsOf, partOf, type SchemaNode, wordsOf } from './schema-node.ts'

export interface FieldRow {
  /** `period.from`, `steps[].name`. */
  readonly path: string
  readonly form: string
  readonly required: boolean
  readonly meaning: string
}

const depth_max = 4
const rows_max = 300

interface Rows {
  readonly rows: FieldRow[]
  readonly parts: Readonly<Record<string, SchemaNode>>
  /** A part that may hold itself is shown once, at its first place; elsewhere it is named. */
  readonly shown: Set<string>
}

/** Nested fields follow their parent; bounded, because a plugin's schema may be any. */
export function fieldRows(schema: SchemaNode): FieldRow[] {
  const rows: FieldRow[] = []
  addRows(schema, '', 0, { rows, parts: schema.$defs ?? {}, shown: new Set() })
  return rows
}

function addRows(schema: SchemaNode, prefix: string, depth: number, all: Rows): void {
  if (depth >= depth_max) return
  const part = partOf(schema)
  if (part !== undefined) {
    if (all.shown.has(part) || !Object.hasOwn(all.parts, part)) return
    all.shown.add(part)
    addRows(all.parts[part]!, prefix, depth + 1, all)
    return
  }
  for (const { name, node, required } of fieldsOf(schema)) {
    if (all.rows.length >= rows_max) return
    const path = `${prefix}${name}`
    all.rows.push({ path, form: formOf(node), required, meaning: meaningOf(node) })
    addRows(node, `${path}.`, depth + 1, all)
    if (node.items) addRows(node.items, `${path}[].`, depth + 1, all)
  }
}

const words_max = 20

export function formOf(node: SchemaNode): string {
  const part = partOf(node)
  if (part !== undefined) return part
  const words = wordsOf(node)
  if (words) {
    const listed = words.slice(0, words_max).map((word) => (typeof word === 'string' ? word : String(word)))
    return `${listed.join(', ')}${words.length > words_max ? ', …' : ''}`
  }
  const choices = choicesOf(node)
  if (choices.length > 0) return [...new Set(choices.map(formOf))].join(' or ')
  const types = node.type === undefined ? ['any JSON value'] : [node.type].flat()
  return types.map((type) => typeForm(type, node)).join(' or ')
}

function typeForm(type: string, node: SchemaNode): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = node as Record<string, number>
  switch (type) {
    case 'array':
      return `list of ${formOf(node.items ?? {})}${between(minItems, maxItems, ' items')}`
    case 'string':
      return `string${between(minLength, maxLength, ' characters')}`
    case 'integer':
    case 'number':
      return `${type}${between(minimum, maximum, '')}`
    default:
      return type
  }
}

function between(min: number | undefined, max: number | undefined, unit: string): string {
  if (max === undefined) return min === undefined || min === 0 ? '' : `, at least ${min}${unit}`
  if (min === max) return `, ${max}${unit}`
  return min === undefined || min === 0 ? `, up to ${max}${unit}` : `, ${min} to ${max}${unit}`
}

export function meaningOf({ description, default: fallback }: SchemaNode): string {
  const sentence = description === undefined ? '' : `${description.replace(/\.$/, '')}.`
  const otherwise = fallback === undefined ? '' : `Default ${JSON.stringify(fallback)}.`
  return [sentence, otherwise].filter(Boolean).join(' ')
}
