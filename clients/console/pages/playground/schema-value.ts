// A JSON Schema as a form needs it: the kind of each field and its initial value.

export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly (string | number)[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
}

/** What a form cannot show better is edited as JSON. */
export type FieldKind = 'object' | 'list' | 'choice' | 'text' | 'number' | 'yes_no' | 'fixed' | 'json'

export function kindOf(schema: Schema): FieldKind {
  if ('const' in schema) return 'fixed'
  if (schema.enum) return 'choice'
  if (schema.anyOf?.every((each) => 'const' in each)) return 'choice'
  if (schema.type === 'object' && schema.properties) return 'object'
  if (schema.type === 'array' && schema.items) return 'list'
  if (schema.type === 'string') return 'text'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  return schema.type === 'boolean' ? 'yes_no' : 'json'
}

export function choicesOf({ enum: listed, anyOf = [] }: Schema): readonly unknown[] {
  return listed ?? anyOf.map((each) => each.const)
}

/** The smallest value: required fields only, recursively. */
export function startOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default
  switch (kindOf(schema)) {
    case 'fixed':
      return schema.const
    case 'choice':
      return choicesOf(schema)[0]
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, startOf(schema.properties?.[name] ?? {})]),
      )
    case 'list':
      return Array.from({ length: schema.minItems ?? 0 }, () => startOf(schema.items ?? {}))
    case 'number':
      return schema.minimum ?? 0
    case 'yes_no':
      return false
    case 'text':
      return ''
    default:
      return {}
  }
}

/** The constraints of a value, as a hint. */
export function hintOf({ description, minimum, maximum, minLength, maxLength, pattern }: Schema): string {
  const range = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`
    if (high !== undefined) return `at most ${high}${unit}`
    return low === undefined ? '' : `at least ${low}${unit}`
  }
  const parts = [
    description ?? '',
    range(minimum, maximum, ''),
    range(minLength || undefined, maxLength, ' characters'),
    pattern && pattern.length <= 60 ? `form ${pattern}` : '',
  ]
  return parts.filter(Boolean).join(' · ')
}

/** Sets a field of an object, or removes it if the value is undefined. */
export function withField(value: unknown, name: string, field: unknown): Record<string, unknown> {
  const { [name]: _before, ...others } = (value ?? {}) as Record<string, unknown>
  const names = Object.keys((value ?? {}) as object)
  if (field === undefined) return others
  const order = names.includes(name) ? names : [...names, name]
  return Object.fromEntries(order.map((each) => [each, each === name ? field : others[each]]))
}

export function withItem(value: readonly unknown[], index: number, item: unknown): unknown[] {
  return value.map((each, at) => (at === index ? item : each))
}
