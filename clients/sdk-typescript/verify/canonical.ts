// RFC 8785: the canonical text of a JSON value, which is hashed.

const depth_max = 128

/** Throws a TypeError for values that are not JSON. */
export function canonicalText(value: unknown, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
      // ECMAScript formats numbers as the RFC requires, including minus zero.
      return String(value)
    case 'boolean':
      return String(value)
    case 'object':
      if (value === null) return 'null'
      if (depth >= depth_max) throw new TypeError(`nested deeper than ${depth_max} levels`)
      return Array.isArray(value) ? listText(value, depth + 1) : objectText(value, depth + 1)
    default:
      throw new TypeError(`${typeof value} is not a JSON value`)
  }
}

function listText(values: readonly unknown[], depth: number): string {
  // Not map(), which skips holes.
  return `[${Array.from(values, (value) => canonicalText(value, depth)).join(',')}]`
}

function objectText(object: object, depth: number): string {
  if (typeof (object as { toJSON?: unknown }).toJSON === 'function') {
    throw new TypeError('an object with toJSON is not a JSON value')
  }
  let members = ''
  // Sorted by UTF-16 code units, as the RFC requires.
  for (const key of Object.keys(object).sort()) {
    const value = (object as Record<string, unknown>)[key]
    if (value === undefined) continue
    members += `${members === '' ? '' : ','}${quote(key)}:${canonicalText(value, depth)}`
  }
  return `{${members}}`
}

/** The hashed text of an exported record, or undefined if its line is not canonical. */
export function canonicalBody(
  line: string,
  record: Record<string, unknown>,
  record_hash: string,
): string | undefined {
  // In most cases this is the text already, and the runtime writes it faster. A surrogate that stands alone is found below.
  if (isCanonicalOrder(record) && !line.includes('\\ud')) {
    const body = JSON.stringify(record)
    if (line === `{"record":${body},"record_hash":"${record_hash}"}`) return body
  }
  try {
    const body = canonicalText(record)
    return line === `{"record":${body},"record_hash":${canonicalText(record_hash)}}` ? body : undefined
  } catch {
    return undefined
  }
}

/** Whether JSON.stringify writes a parsed JSON value as `canonicalText` does, apart from surrogates that stand alone. */
export function isCanonicalOrder(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'number' || Number.isFinite(value)
  if (depth >= depth_max) return false
  if (Array.isArray(value)) return value.every((one) => isCanonicalOrder(one, depth + 1))
  let before: string | undefined
  for (const key of Object.keys(value)) {
    if (before !== undefined && before > key) return false
    before = key
    if (!isCanonicalOrder((value as Record<string, unknown>)[key], depth + 1)) return false
  }
  return true
}

/** Strings without escapes, the common case, are faster to test than to escape. */
const plain = /^[ !#-[\]-~]*$/

/** JSON.stringify escapes as the RFC requires, except that it accepts lone surrogates, which have no UTF-8 form. */
function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`
  if (!text.isWellFormed()) throw new TypeError('a string holds a lone surrogate')
  return JSON.stringify(text)
}
