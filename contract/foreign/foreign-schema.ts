// Untrusted schemas: of plugins, tools and manifests. They generate no code, their patterns run in linear time, and long checks run in a
// thread that is ended at its deadline.
import { Check, Errors } from 'typebox/schema'
import { type Compute, computation } from '../needs/computation.ts'
import { describeFaults, type SchemaFault, withKinds } from '../schema-faults.ts'
import { LinearPattern } from './linear-pattern.ts'
import { follow, isEndless } from './schema-reference.ts'

/** `unusable`: why this schema cannot be applied at all. */
export interface SchemaJudgement {
  readonly faults: readonly SchemaFault[]
  readonly unusable?: string
}

/** Both as JSON text, which is fast to copy between threads. */
export interface SchemaQuestion {
  readonly schema: string
  readonly value: string
}

/** Longer than any legitimate check: a thread started on a busy machine must load its modules first. */
const check_ms_max = 5_000
/** Schema weight times characters of the value: about 10 ms at worst, not worth a thread. */
const inline_work_max = 200_000
const faults_max = 20
const message_chars_max = 300
/** A name in a value may be as long as the value. */
const pointer_chars_max = 300
/** Limits of schemas, and of the characters and pattern steps in all of them: about 20 MB per thread. */
const remembered_max = { schemas: 64, size: 200_000 }
/** A longer schema takes long to prepare, whatever the value. */
const inline_chars_max = 20_000
/** Of all patterns of a schema together. */
const pattern_steps_max = 20_000

export const schema_job = computation<SchemaQuestion, SchemaJudgement>(
  new URL('./foreign-schema-job.ts', import.meta.url),
)

/** In this thread where the work is certainly small, otherwise in another; refused with `timeout` where it takes too long. */
export async function judgeForeign(question: SchemaQuestion, compute: Compute): Promise<SchemaJudgement> {
  return isLittleWork(question) ? judgeNow(question) : compute(schema_job, question, check_ms_max)
}

function isLittleWork({ schema, value }: SchemaQuestion): boolean {
  const most = inline_work_max / value.length
  return schema.length <= Math.min(most, inline_chars_max) && remember(schema).weight <= most
}

/** In this thread, however long it takes. */
export function judgeNow({ schema, value }: SchemaQuestion): SchemaJudgement {
  const remembered_schema = remember(schema)
  if (remembered_schema.unusable !== undefined) return { faults: [], unusable: remembered_schema.unusable }
  const read: unknown = JSON.parse(value)
  const prepared = remembered_schema.takes_names
    ? prepare(schema, remembered_schema.patterns, namesIn(read)).schema
    : remembered_schema.schema
  if (Check(prepared as object, read)) return { faults: [] }
  const [, errors] = Errors(prepared as object, read)
  const faults = withKinds(describeFaults(errors).slice(0, faults_max), read)
  return {
    faults: faults.map(({ pointer, message }) => ({
      pointer: pointer.slice(0, pointer_chars_max),
      message: message.slice(0, message_chars_max),
    })),
  }
}

/** Why a schema's patterns or references cannot be used; undefined where they can. */
export function foreignFault(schema: unknown): string | undefined {
  return remember(JSON.stringify(schema)).unusable
}

interface Prepared {
  /** With each pattern replaced by one that runs in linear time. */
  readonly schema: unknown
  readonly patterns: Map<string, LinearPattern>
  /** Of all its patterns. */
  readonly steps: number
  /** Maximum steps per character of a value; infinite where that grows with the value. */
  readonly weight: number
  /** Whether it must be prepared for the property names in each value. */
  readonly takes_names: boolean
  readonly unusable?: string
}

const remembered = new Map<string, Prepared>()
let remembered_size = 0

function remember(text: string): Prepared {
  const prepared = forget(text) ?? prepareSafely(text)
  remembered.set(text, prepared)
  remembered_size += sizeOf(text, prepared)
  // Evicts the least recently used.
  while (remembered.size > remembered_max.schemas || remembered_size > remembered_max.size)
    forget(remembered.keys().next().value!)
  return prepared
}

function forget(text: string): Prepared | undefined {
  const prepared = remembered.get(text)
  if (!prepared) return undefined
  remembered.delete(text)
  remembered_size -= sizeOf(text, prepared)
  return prepared
}

function sizeOf(text: string, { steps }: Prepared): number {
  return text.length + steps
}

function prepareSafely(text: string): Prepared {
  try {
    return prepare(text, new Map(), [])
  } catch (error) {
    const unusable = (error as Error).message.slice(0, message_chars_max)
    return { schema: false, patterns: new Map(), steps: 0, weight: 0, takes_names: false, unusable }
  }
}

/** These hold values, not schemas, so no patterns. */
const values = ['const', 'enum', 'default', 'examples', 'example']
/** Keywords whose members are names chosen by the author, each with a schema. */
const maps = ['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
/** A schema with only these keywords takes steps in proportion to the value and to itself. */
const light = [
  ...['$schema', '$comment', 'title', 'description', 'default', 'examples', 'example', 'deprecated'],
  ...['type', 'const', 'enum', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'properties', 'required', 'additionalProperties'],
  ...['minProperties', 'maxProperties', 'items', 'minItems', 'maxItems'],
]

type Node = Readonly<Record<string, unknown>>

interface Walk {
  readonly patterns: Map<string, LinearPattern>
  readonly names: readonly string[]
  /** Of all patterns so far. */
  steps: number
  readonly keywords: Set<string>
  readonly references: Set<unknown>
  /** Every prepared schema: a reference to anything else could bring in an unchecked pattern. */
  readonly schemas: Set<unknown>
}

function prepare(text: string, patterns: Map<string, LinearPattern>, names: readonly string[]): Prepared {
  const root: unknown = JSON.parse(text)
  const walk: Walk = {
    patterns,
    names,
    steps: 0,
    keywords: new Set(),
    references: new Set(),
    schemas: new Set(),
  }
  const schema = linear(root, walk)
  for (const reference of walk.references)
    if (!walk.schemas.has(follow(reference, root)) || /patternProperties/.test(String(reference)))
      throw new SyntaxError(`the reference ${String(reference).slice(0, 100)} leads to no schema inside it`)
  if (walk.references.size > 0 && isEndless(root, walk.schemas))
    throw new SyntaxError('one of its references leads back to itself without going deeper into the value')
  const takes_names = walk.keywords.has('patternProperties')
  const is_light = walk.keywords.values().every((keyword) => light.includes(keyword))
  const { steps } = walk
  const weight = is_light ? text.length + steps : Number.POSITIVE_INFINITY
  return { schema, patterns, steps, weight, takes_names }
}

function linear(node: unknown, walk: Walk): unknown {
  walk.schemas.add(node)
  if (Array.isArray(node)) return node.map((one) => linear(one, walk))
  if (typeof node !== 'object' || node === null) return node
  const made: Record<string, unknown> = Object.create(null)
  for (const [keyword, value] of Object.entries(node)) {
    walk.keywords.add(keyword)
    if (keyword === '$ref' && typeof value !== 'string')
      throw new SyntaxError('one of its references is no text')
    if (keyword === '$ref') walk.references.add(value)
    if (keyword === '$dynamicRef' || keyword === '$recursiveRef')
      throw new SyntaxError(`it uses ${keyword}; refer to $defs with $ref instead`)
    if (keyword === 'pattern' && typeof value === 'string') made.pattern = patternOf(value, walk)
    else if (values.includes(keyword)) made[keyword] = value
    else if (maps.includes(keyword)) made[keyword] = eachOf(value, walk)
    else if (keyword !== 'patternProperties') made[keyword] = linear(value, walk)
  }
  return 'patternProperties' in node ? { ...made, ...named(node as Node, made, walk) } : made
}

function eachOf(map: unknown, walk: Walk): unknown {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return linear(map, walk)
  return Object.fromEntries(Object.entries(map).map(([name, inner]) => [name, linear(inner, walk)]))
}

/** For a value with known names, a pattern of names becomes ordinary properties for the names that match it. */
function named({ patternProperties }: Node, made: Node, walk: Walk): Node {
  const properties: Record<string, unknown> = { ...(made.properties as object | undefined) }
  const { allOf: all_of = [] } = made
  if (!Array.isArray(all_of)) throw new SyntaxError('its allOf beside patternProperties is no list')
  const also = Object.entries((patternProperties ?? {}) as Node).map(([source, inner]) => {
    const [pattern, schema] = [patternOf(source, walk), linear(inner, walk)]
    const names = walk.names.filter((name) => pattern.test(name))
    for (const name of names) if (!Object.hasOwn(properties, name)) properties[name] = true
    return { properties: Object.fromEntries(names.map((name) => [name, schema])) }
  })
  return { properties, allOf: [...all_of, ...also] }
}

function patternOf(source: string, walk: Walk): LinearPattern {
  const pattern = walk.patterns.get(source)
  if (pattern) return pattern
  try {
    const made = new LinearPattern(source)
    walk.patterns.set(source, made)
    walk.steps += made.weight
    if (walk.steps <= pattern_steps_max) return made
    throw new RangeError(`all patterns together take more than ${pattern_steps_max} steps`)
  } catch (error) {
    throw new SyntaxError(`the pattern ${source.slice(0, 100)} cannot be used: ${(error as Error).message}`)
  }
}

/** Every name in a value, once. */
function namesIn(value: unknown): string[] {
  const [names, open] = [new Set<string>(), [value]]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue
    if (!Array.isArray(one)) for (const name of Object.keys(one)) names.add(name)
    for (const inner of Object.values(one)) open.push(inner)
  }
  return [...names]
}
