// Walks a JSON Schema that may refer to itself. An extracted schema remembers where its references lead.

export type Schema = Readonly<Record<string, unknown>>

const references_max = 32
/** A union of itself is infinite, and two of them double at every step. */
const turns_max = 200

/** Where references are resolved: the document, and the definitions found on the way. */
interface Home {
  readonly root: Schema | boolean
  readonly defs: Schema
}
const home = Symbol('home')

export interface Place {
  readonly schema: Schema | boolean
  readonly home: Home
}

export function placeOf(schema: unknown): Place {
  return enter(schema, { root: schema as Schema, defs: {} })
}

/** A nested schema: its own `home` or `$defs` take precedence over the outer ones. */
export function enter(schema: unknown, around: Home): Place {
  if (typeof schema !== 'object' || schema === null) return { schema: schema !== false, home: around }
  const own = (schema as { [home]?: Home })[home] ?? around
  const { $defs, definitions } = schema as Schema
  if (!isRecord($defs) && !isRecord(definitions)) return { schema: schema as Schema, home: own }
  const defs = { ...own.defs, ...(definitions as Schema), ...($defs as Schema) }
  return { schema: schema as Schema, home: { root: own.root, defs } }
}

/** The schema with its home, for use inside another one. */
function carry({ schema, home: carried }: Place): Schema | boolean {
  return typeof schema === 'boolean' ? schema : ({ ...schema, [home]: carried } as Schema)
}

/** Follows references; undefined if one is missing or circular. */
export function settle(place: Place): Place | undefined {
  let at = place
  for (let hops = 0; hops < references_max; hops++) {
    if (typeof at.schema === 'boolean') return at
    const { $ref } = at.schema
    if (typeof $ref !== 'string') return at
    const target = $ref.startsWith('#') ? findInRoot(at.home.root, $ref) : ownMember(at.home.defs, $ref)
    if (target === undefined) return undefined
    at = enter(target, at.home)
  }
  return undefined
}

function findInRoot(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at = root
  for (const token of reference.slice(2).split('/')) {
    at = ownMember(at, token.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return at
}

/** The alternatives of a union, or the schema itself. */
export function alternativesOf(place: Place): Place[] {
  if (typeof place.schema === 'boolean') return [place]
  const { anyOf, oneOf, type } = place.schema
  const union = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined
  if (union) return union.map((alternative) => enter(alternative, place.home))
  if (!Array.isArray(type)) return [place]
  return type.map((one) => ({ ...place, schema: { ...(place.schema as Schema), type: one } }))
}

export interface Found {
  /** Can be nested in any other schema. */
  readonly schema: Schema | boolean
  readonly presence: 'always' | 'maybe'
}

/** The schema at a position of every value; undefined if no value has that position. */
export function schemaAt(schema: unknown, tokens: readonly string[]): Found | undefined {
  const walked = walk(placeOf(schema), tokens, { left: turns_max })
  return walked && { schema: carry(walked.place), presence: walked.presence }
}

interface Walked {
  readonly place: Place
  readonly presence: 'always' | 'maybe'
}

const anything: Place = { schema: true, home: { root: true, defs: {} } }

function walk(from: Place, tokens: readonly string[], turns: { left: number }): Walked | undefined {
  const [token, ...rest] = tokens
  if (token === undefined) return { place: from, presence: 'always' }
  const settled = turns.left-- > 0 ? settle(from) : undefined
  if (!settled) return { place: anything, presence: 'maybe' }
  const alternatives = alternativesOf(settled)
  if (alternatives.length === 1 && alternatives[0] === settled) {
    const next = step(settled, token)
    const walked = next && walk(next.place, rest, turns)
    return walked && { ...walked, presence: next.presence === 'always' ? walked.presence : 'maybe' }
  }
  const ways = alternatives.map((alternative) => walk(alternative, tokens, turns))
  const passable = ways.filter((way) => way !== undefined)
  if (passable.length === 0) return undefined
  const sure = passable.length === ways.length && passable.every(({ presence }) => presence === 'always')
  const union = { anyOf: passable.map(({ place }) => carry(place)) }
  return { place: placeOf(union), presence: sure ? 'always' : 'maybe' }
}

function step({ schema, home: around }: Place, token: string): Walked | undefined {
  if (schema === false) return undefined
  if (schema === true) return { place: anything, presence: 'maybe' }
  const { type } = schema
  if (type === 'array') return stepIntoList(schema, around, token)
  if (type !== undefined && type !== 'object') return undefined
  const property = ownMember(schema.properties, token)
  if (property !== undefined) {
    const required = Array.isArray(schema.required) && schema.required.includes(token)
    return { place: enter(property, around), presence: required ? 'always' : 'maybe' }
  }
  if (isRecord(schema.patternProperties)) {
    const values = valuesOfRecord(schema)
    return { place: values === undefined ? anything : enter(values, around), presence: 'maybe' }
  }
  if (schema.additionalProperties === false) return undefined
  return { place: enter(schema.additionalProperties, around), presence: 'maybe' }
}

function stepIntoList(schema: Schema, around: Home, token: string): Walked | undefined {
  if (!/^(?:0|[1-9]\d*)$/.test(token)) return undefined
  const index = Number(token)
  if (typeof schema.maxItems === 'number' && index >= schema.maxItems) return undefined
  const { fixed, rest } = itemsOf(schema)
  const item = fixed[index] ?? rest
  if (item === false) return undefined
  const sure = typeof schema.minItems === 'number' && index < schema.minItems
  return { place: enter(item, around), presence: sure ? 'always' : 'maybe' }
}

/** The fixed items of a tuple and the rest, in either of JSON Schema's two forms. */
export function itemsOf(schema: Schema): { fixed: readonly unknown[]; rest: unknown } {
  if (Array.isArray(schema.items)) return { fixed: schema.items, rest: schema.additionalItems }
  return { fixed: Array.isArray(schema.prefixItems) ? schema.prefixItems : [], rest: schema.items }
}

/** The common schema of all values of a record, whatever their keys. */
export function valuesOfRecord({ patternProperties }: Schema): unknown {
  if (!isRecord(patternProperties)) return undefined
  const entries = Object.entries(patternProperties)
  return entries.length === 1 && entries[0]![0] === '^.*$' ? entries[0]![1] : undefined
}

export function ownMember(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
    ? (holder as Record<string, unknown>)[key]
    : undefined
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
