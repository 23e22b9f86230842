// Whether the code's types match those of the database.
import ts from 'typescript-compiler-api'
import { type Column, type PgType, readAs } from './describe.ts'

/** The kinds of values a type allows: `string`, `Date`, `bytes`, `object`, `any`, `null`, `string[]`. */
function kindsOf(type: ts.Type, checker: ts.TypeChecker): ReadonlySet<string> {
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return new Set(['any'])
  if (type.isUnion()) return union(type.types.map((one) => kindsOf(one, checker)))
  const simple = simpleKind(type)
  if (simple) return new Set([simple])
  if (type.isIntersection()) {
    const kinds = union(type.types.map((one) => kindsOf(one, checker)))
    return kinds.size > 1 ? new Set([...kinds].filter((kind) => kind !== 'object')) : kinds
  }
  const constraint = type.isTypeParameter() ? checker.getBaseConstraintOfType(type) : undefined
  if (constraint) return kindsOf(constraint, checker)
  if (checker.isArrayLikeType(type)) {
    const elements = checker.getTypeArguments(type as ts.TypeReference)
    const kinds = union(elements.map((one) => kindsOf(one, checker)))
    const listed = [...kinds].filter((kind) => kind !== 'null').map((kind) => `${kind}[]`)
    return new Set(listed.length ? listed : ['any[]'])
  }
  const name = type.symbol?.name
  if (name === 'Date') return new Set(['Date'])
  if (name === 'Buffer' || name === 'Uint8Array') return new Set(['bytes'])
  return new Set(['object'])
}

const simple_kinds: readonly (readonly [ts.TypeFlags, string])[] = [
  [ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void, 'null'],
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
  [ts.TypeFlags.BigIntLike, 'bigint'],
  [ts.TypeFlags.Never, 'never'],
]

function simpleKind(type: ts.Type): string | undefined {
  return simple_kinds.find(([flags]) => type.flags & flags)?.[1]
}

function union(sets: readonly ReadonlySet<string>[]): Set<string> {
  return new Set(sets.flatMap((set) => [...set]))
}

/** Why this column cannot be read as that type; undefined if it can. */
export function columnFault(
  column: Column,
  member: ts.Symbol,
  type: ts.Type,
  checker: ts.TypeChecker,
): string | undefined {
  const kinds = kindsOf(type, checker)
  if (kinds.has('any')) return undefined
  const read = kindOfValue(readAs(column.type))
  const wrong = [...kinds].filter((kind) => kind !== 'null' && !isReadAs(kind, read))
  if (wrong.length)
    return `${column.name} is ${column.type.name}, read as ${read}, and declared ${wrong.join(' | ')}`
  if (column.nullable && !kinds.has('null') && !isMarked(member))
    return `${column.name} may be null, and is declared without`
  return undefined
}

/** `name: NotNull<string>` */
function isMarked(member: ts.Symbol): boolean {
  return (member.declarations ?? []).some(
    (declared) =>
      ts.isPropertySignature(declared) &&
      declared.type !== undefined &&
      ts.isTypeReferenceNode(declared.type) &&
      declared.type.typeName.getText() === 'NotNull',
  )
}

const never_in_json = new Set(['Date', 'bytes', 'bigint'])

function isReadAs(kind: string, read: string): boolean {
  if (read === 'object') return !never_in_json.has(kind)
  return (
    kind === read || (kind === 'any[]' && read.endsWith('[]')) || (read === 'object[]' && kind.endsWith('[]'))
  )
}

function kindOfValue(value: unknown): string {
  if (value instanceof Date) return 'Date'
  if (Buffer.isBuffer(value)) return 'bytes'
  if (Array.isArray(value)) return `${kindOfValue(value[0])}[]`
  return typeof value
}

const text = ['string']
const number = ['number', 'bigint']
const accepted: Readonly<Record<string, readonly string[]>> = {
  bool: ['boolean'],
  int2: number,
  int4: number,
  oid: number,
  float4: number,
  float8: number,
  // Larger integers are strings in the code.
  int8: [...number, 'string'],
  numeric: [...number, 'string'],
  timestamptz: ['Date', 'string'],
  timestamp: ['Date', 'string'],
  date: ['Date', 'string'],
  bytea: ['bytes'],
  // Not a list: the driver would send it as a PostgreSQL array.
  json: ['string', 'object'],
  jsonb: ['string', 'object'],
}

/** Why a value of this type cannot be passed; undefined if it can. */
export function parameterFault(pg: PgType, type: ts.Type, checker: ts.TypeChecker): string | undefined {
  const suffix = pg.element ? '[]' : ''
  const may = (accepted[(pg.element ?? pg).name] ?? text).map((kind) => kind + suffix)
  const isFine = (kind: string) => ['any', 'null', 'never', `any${suffix}`, ...may].includes(kind)
  const wrong = [...kindsOf(type, checker)].filter((kind) => !isFine(kind))
  return wrong.length ? `is ${pg.name} in the database and ${wrong.join(' | ')} in the code` : undefined
}
