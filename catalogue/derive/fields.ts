// A schema as rows for people: every field with its path, form and meaning.
import { did_pattern } from '@svc/contract/identity/did'
import { timestamp_pattern, uuid_pattern } from '@svc/contract/text-form'
import { type SchemaNode, variantsOf, wordsOf } from './schema-node.ts'

export interface Field {
  /** `period.from`, `steps[].name`, `labels.<key>`. */
  readonly path: string
  readonly form: string
  /** `depends` where only some shapes of a choice require it. */
  readonly required: 'yes' | 'no' | 'depends'
  readonly note: string
}

const depth_max = 8
/** Named in the form, because a field of such a schema describes its own meaning. */
const text_forms: ReadonlyMap<string | undefined, string> = new Map([
  [did_pattern, 'DID'],
  [timestamp_pattern, 'RFC 3339 time in UTC'],
  [uuid_pattern, 'UUID'],
])

type Parts = Readonly<Record<string, SchemaNode>>

/** A recursive part is shown once, at its first place; elsewhere it is named. */
export function fieldsOf(
  node: SchemaNode,
  prefix = '',
  depth = 0,
  outer: Parts = {},
  shown = new Set<string>(),
): Field[] {
  if (depth > depth_max) return []
  const parts = { ...outer, ...node.$defs }
  const part = node.$ref === undefined ? undefined : partName(node.$ref)
  if (part !== undefined) {
    if (shown.has(part) || !Object.hasOwn(parts, part)) return []
    shown.add(part)
    return fieldsOf(parts[part]!, prefix, depth, parts, shown)
  }
  const own = Object.entries(node.properties ?? {}).flatMap(([name, field]): Field[] => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const required = node.required?.includes(name) ? 'yes' : 'no'
    return [
      { path, form: formOf(field), required, note: noteOf(field) },
      ...fieldsOf(field, path, depth + 1, parts, shown),
    ]
  })
  const keyed = Object.values(node.patternProperties ?? {}).flatMap((value) =>
    fieldsOf(value, `${prefix}.<key>`, depth + 1, parts, shown),
  )
  const items =
    node.items && !Array.isArray(node.items)
      ? fieldsOf(node.items as SchemaNode, `${prefix}[]`, depth + 1, parts, shown)
      : []
  const chosen = wordsOf(node)
    ? []
    : choiceFields(variantsOf(node).map((each) => fieldsOf(each, prefix, depth + 1, parts, shown)))
  return [...own, ...keyed, ...items, ...chosen]
}

// Two shapes of a choice may share a field; it is one row, required where every shape requires it.
function choiceFields(variants: readonly Field[][]): Field[] {
  const shapes = variants.filter((fields) => fields.length > 0)
  const rows = new Map<string, Field[]>()
  for (const field of shapes.flat()) rows.set(field.path, [...(rows.get(field.path) ?? []), field])
  return [...rows.entries()].map(([path, same]) => ({
    path,
    form: [...new Set(same.map(({ form }) => form))].join(' or '),
    required: neededIn(same, shapes.length),
    note: same.find(({ note }) => note !== '')?.note ?? '',
  }))
}

function neededIn(same: readonly Field[], shapes: number): Field['required'] {
  if (same.every(({ required }) => required === 'no')) return 'no'
  return same.length === shapes && same.every(({ required }) => required === 'yes') ? 'yes' : 'depends'
}

function partName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

function formOf(node: SchemaNode): string {
  if (node.$ref !== undefined) return partName(node.$ref)
  const words = wordsOf(node)
  if (words) return words.map((word) => `\`${JSON.stringify(word)}\``).join(' or ')
  const variants = variantsOf(node)
  if (variants.length > 0) return [...new Set(variants.map(formOf))].join(' or ')
  switch (node.type) {
    case 'array': {
      const item = node.items && !Array.isArray(node.items) ? formOf(node.items as SchemaNode) : 'anything'
      return `list of ${item}${bounds(node.minItems, node.maxItems, ' items')}`
    }
    case 'string':
      return text_forms.get(node.pattern) ?? `string${bounds(node.minLength, node.maxLength, ' characters')}`
    case 'integer':
    case 'number':
      return `${node.type}${bounds(node.minimum, node.maximum, '')}`
    case 'object': {
      const values = Object.values(node.patternProperties ?? {})
      return values.length === 0 ? 'object' : `map to ${values.map(formOf).join(' or ')}`
    }
    default:
      return node.type ?? 'any JSON value'
  }
}

function bounds(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return ''
  if (max === undefined) return min === 0 ? '' : `, at least ${min}${unit}`
  if (min === undefined || min === 0) return `, up to ${max}${unit}`
  return min === max ? `, ${min}${unit}` : `, ${min} to ${max}${unit}`
}

function noteOf(node: SchemaNode): string {
  const form = node.pattern && !node.description ? `Matches \`${node.pattern}\`.` : ''
  const fallback = node.default === undefined ? '' : `Default \`${JSON.stringify(node.default)}\`.`
  const description =
    node.description === undefined || /[.!?]$/.test(node.description)
      ? node.description
      : `${node.description}.`
  return [description, form, fallback].filter(Boolean).join(' ')
}
