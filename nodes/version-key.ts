// A semantic version as a text whose byte order is the versions' precedence, so that the database can sort and page
// by it.

const number_digits = 6
/** Above every first character of an identifier: a release comes after its pre-releases. */
const release = '~'

export function versionKey(version: string): string {
  const parts = /^v(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-(.+))?$/.exec(version)
  if (!parts) throw new TypeError(`${version} is not a semantic version`)
  const numbers = parts.slice(1, 4).map((digits) => digits!.padStart(number_digits, '0'))
  const pre = parts[4]
  return numbers.join('.') + (pre === undefined ? release : ` ${pre.split('.').map(identifierKey).join(' ')}`)
}

/** Numbers before words, and by size: the length comes first, since identifiers have up to 32 digits. */
function identifierKey(identifier: string): string {
  if (!/^\d+$/.test(identifier)) return `b${identifier}`
  const digits = identifier.replace(/^0+(?=\d)/, '')
  return `a${String(digits.length).padStart(2, '0')}${digits}`
}
