// What a validator found wrong with a value, as sentences at places: what is expected there, and which kind of value there is.

/** Where a value does not match, as a JSON Pointer. */
export interface SchemaFault {
  readonly pointer: string
  readonly message: string
}

export const unknown_field = 'is not a known field'
/** More would hide the rest of the sentence; the schema that it names has them all. */
const choices_shown_max = 24

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: object
}

/** One for each place: the first thing that is wrong there. */
export function describeFaults(errors: readonly SchemaError[]): readonly SchemaFault[] {
  const faults = new Map<string, SchemaFault>()
  for (const { keyword, instancePath, message, params } of errors) {
    const [keys, text] = describeKeys(keyword, params) ?? [[], message]
    const pointers = keys.length ? keys.map((key) => `${instancePath}/${escapePointer(key)}`) : [instancePath]
    for (const pointer of pointers) if (!faults.has(pointer)) faults.set(pointer, { pointer, message: text })
  }
  return faults.size ? [...faults.values()] : [{ pointer: '', message: 'does not fit the schema' }]
}

/** The keys a fault is about, if any, and what is wrong with them. */
function describeKeys(
  keyword: string,
  params: object,
): readonly [keys: readonly string[], message: string] | undefined {
  if (keyword === 'required') {
    return [(params as { requiredProperties: string[] }).requiredProperties, 'is required']
  }
  if (keyword === 'additionalProperties') {
    return [(params as { additionalProperties: string[] }).additionalProperties, unknown_field]
  }
  if (keyword === 'enum') {
    const { allowedValues: choices } = params as { allowedValues: readonly unknown[] }
    const more = choices.length > choices_shown_max ? ', …' : ''
    return [[], `must be one of ${choices.slice(0, choices_shown_max).map(String).join(', ')}${more}`]
  }
  if (keyword === 'const')
    return [[], `must be ${JSON.stringify((params as { allowedValue: unknown }).allowedValue)}`]
  // A closed object first reports each unknown key as "schema is false"; past the validator's limit that is all it reports.
  return keyword === 'boolean' ? [[], unknown_field] : undefined
}

export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The same, with the kind of what is there; never the value itself. */
export function withKinds(faults: readonly SchemaFault[], value: unknown): readonly SchemaFault[] {
  return faults.map(({ pointer, message }) => {
    const place = valueAt(value, pointer)
    return place === undefined
      ? { pointer, message }
      : { pointer, message: `${message}, and is ${kindOf(place.value)}` }
  })
}

/** Undefined where nothing is there. */
function valueAt(root: unknown, pointer: string): { readonly value: unknown } | undefined {
  let value = root
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return { value }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return `a string of ${value.length}`
  return Number.isInteger(value) ? 'an integer' : `a ${typeof value}`
}
