// A schema as rows for people: every field with its path, form and meaning.
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

export function fieldsOf(node: SchemaNode, prefix = '', depth = 0): Field[] {
  if (depth > depth_max) return []
  const own = Object.entries(node.properties ?? {}).flatMap(([name, field]): Field[] => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const required = node.required?.includes(name) ? 'yes' : 'no'
    return [{ path, form: formOf(field), required, note: noteOf(field) }, ...fieldsOf(field, path, depth + 1)]
  })
  const keyed = Object.values(node.patternProperties ?? {}).flatMap((value) =>
    fieldsOf(value, `${prefix}.<key>`, depth + 1),
  )
  const items =
    node.items && !Array.isArray(node.items)
      ? fieldsOf(node.items as SchemaNode, `${prefix}[]`, depth + 1)
      : []
  const chosen = wordsOf(node) ? [] : choiceFields(variantsOf(node), prefix, depth + 1)
  return [...own, ...keyed, ...items, ...chosen]
}

// Two shapes of a choice may share a field; it is one row, required where every shape requires it.
function choiceFields(variants: readonly SchemaNode[], prefix: string, depth: number): Field[] {
  const shapes = variants.map((each) => fieldsOf(each, prefix, depth)).filter((fields) => fields.length > 0)
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

function formOf(node: SchemaNode): string {
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
      return `string${bounds(node.minLength, node.maxLength, ' characters')}`
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
