// The part of the schema that describes the fields of the input which a text reads.
import { fieldName, type InputFact } from './input-facts.ts'

interface Field {
  /** Tested with `has`. */
  is_optional: boolean
  type: string | undefined
  readonly fields: Map<string, Field>
}

export function inputSchema(facts: Iterable<InputFact>): { text: string; faults: string[] } {
  const root = newField()
  const faults = new Set<string>()
  let is_read = false
  for (const { path, type } of facts) {
    is_read = true
    let field = root
    for (const name of path) {
      if (!field.fields.has(name)) field.fields.set(name, newField())
      field = field.fields.get(name)!
    }
    if (type === 'present') field.is_optional = true
    else if (field.type !== undefined && field.type !== type)
      faults.add(
        `${fieldName(path)} is used as ${field.type} and as ${type}; use one of them, or two policies`,
      )
    else field.type = type
  }
  const text = is_read ? `input${root.is_optional ? '?' : ''}: ${textOf(root)},` : ''
  return { text, faults: [...faults] }
}

function newField(): Field {
  return { is_optional: false, type: undefined, fields: new Map() }
}

function textOf({ type, fields }: Field): string {
  if (type !== undefined) return type.replace('decimal', '__cedar::decimal')
  const parts = [...fields].map(
    ([name, field]) =>
      `"${name}"${field.is_optional ? '?' : ''}: ${field.fields.size > 0 ? textOf(field) : textOf({ ...field, type: field.type ?? 'String' })}`,
  )
  return `{ ${parts.join(', ')} }`
}
