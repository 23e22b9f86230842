// The Rust types of an operation's two schemas: which are structs, which are enums, and their names.
import { KeyEvent } from '@svc/contract/identity/key-events'
import { LineageStatement } from '@svc/contract/identity/lineage'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { resources } from '../resources.ts'
import { fieldsOf } from './fields.ts'
import { typeName } from './names.ts'
import { asSchemaNode, type SchemaNode, variantsOf, wordsOf } from './schema-node.ts'
import { choiceName, distinctNames, singular, tagOf, variantName } from './sdk-rust-names.ts'

export interface RustField {
  /** As on the wire. */
  readonly name: string
  /** Without the `Option` of an optional field. */
  readonly type: string
  readonly required: boolean
  readonly doc: string
}

interface Named {
  readonly name: string
  /** The module that has it already, written by hand with more than fields. */
  readonly home?: string
  readonly doc: string
  /** Callers write it, so it can be built. */
  asked: boolean
  /** The engine writes it, so it accepts values and variants that are not known here. */
  answered: boolean
}

/** Unknown values are kept in a last variant: as text among words, as JSON otherwise. */
export interface RustVariant {
  readonly name: string
  /** Its word, or the value of its tag. */
  readonly wire?: string
  readonly type?: string
}

export type RustShape = Named &
  (
    | { readonly kind: 'struct'; readonly fields: readonly RustField[]; readonly secret: boolean }
    | { readonly kind: 'words'; readonly variants: readonly RustVariant[] }
    | { readonly kind: 'union'; readonly tag?: string; readonly variants: readonly RustVariant[] }
  )

/** Shapes with their own name in the contract keep it everywhere. */
const known_names: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...resources, KeyEvent, LineageStatement }).map(([name, schema]) => [
    keyOf(asSchemaNode(schema)),
    name,
  ]),
)

const all_known_names: ReadonlySet<string> = new Set(known_names.values())

/** A signed value is taken as a whole or not at all, so these accept no unknown fields; other answers do. */
const homes: Readonly<Record<string, string>> = {
  AgentCapability: 'attenuation',
  DelegationToken: 'delegation',
  KeyEvent: 'key_events',
  LineageStatement: 'lineage',
}

function homeOf(name: string, { home }: Place): string | undefined {
  return homes[name] ?? (all_known_names.has(name) ? undefined : home)
}

/** A description at one place is not part of the shape. */
function keyOf({ description: _, default: __, $id: ___, ...node }: SchemaNode): string {
  return JSON.stringify(node)
}

type Side = 'asked' | 'answered'

interface Place {
  readonly side: Side
  /** The name of a shape at this place: the operation, and the fields down to here. */
  readonly name: string
  readonly operation: string
  /** Inside a shape of that module, which then has the parts that nothing else names. */
  readonly home?: string | undefined
}

/** Collects the shapes of one protocol, each once. */
export class RustShapes {
  readonly #by_name = new Map<string, RustShape>()
  readonly #names = new Map<string, string>()
  readonly #parts = new Map<string, SchemaNode>()

  /** In the order of discovery: an operation's input, its parts, its output. */
  all(): readonly RustShape[] {
    return [...this.#by_name.values()]
  }

  find(name: string): RustShape | undefined {
    return this.#by_name.get(name)
  }

  /** Adds an operation's input and output, as `<Operation>Input` and `<Operation>Output`. */
  addOperation(operation: string, facts: OperationFacts, answer_doc: string): void {
    const name = typeName('', operation)
    const sides = [
      ['asked', 'Input', facts.input, facts.summary, false],
      ['answered', 'Output', facts.output, answer_doc, facts.secret_output === true],
    ] as const
    for (const [side, suffix, schema, doc, secret] of sides) {
      const node = asSchemaNode(schema)
      if (node.type !== 'object' || !node.properties) throw noForm(name + suffix, node)
      this.#addStruct(name + suffix, node, { side, name, operation: name }, { doc, secret })
    }
  }

  #addStruct(
    name: string,
    node: SchemaNode,
    place: Place,
    { doc = '', secret = false, without = '' }: { doc?: string; secret?: boolean; without?: string } = {},
  ): void {
    const fields: RustField[] = []
    const shape = { kind: 'struct', name, doc, fields, secret, asked: false, answered: false } as const
    const home = homeOf(name, place)
    this.#by_name.set(name, { ...shape, ...(home && { home }), [place.side]: true })
    const notes = new Map(fieldsOf(node).map(({ path, note }) => [path, note]))
    for (const [field, schema] of Object.entries(node.properties ?? {})) {
      if (field === without) continue
      const type = this.#typeOf(schema, { ...place, home, name: place.name + variantName(field) })
      const required = node.required?.includes(field) === true
      fields.push({
        name: field,
        // Null and absent mean the same in an answer.
        type: required ? type : type.replace(/^Option<(.*)>$/, '$1'),
        required,
        doc: notes.get(field) ?? '',
      })
    }
  }

  #typeOf(node: SchemaNode, place: Place): string {
    for (const [name, part] of Object.entries(node.$defs ?? {})) this.#parts.set(name, part)
    if (node.$ref) return this.#partOf(node, place)
    const words = wordsOf(node)
    if (words) return this.#wordsType(node, words, place)
    const variants = variantsOf(node)
    if (variants.length > 0) return this.#choiceType(node, variants, place)
    switch (node.type) {
      case 'string':
        return 'String'
      case 'boolean':
        return 'bool'
      case 'number':
        return 'f64'
      case 'integer':
        return (node.minimum ?? -1) >= 0 ? 'u64' : 'i64'
      case 'array':
        return this.#listType(node, place)
      case 'object':
        return this.#objectType(node, place)
      case undefined:
        return 'Value'
      default:
        throw noForm(place.name, node)
    }
  }

  #listType(node: SchemaNode, place: Place): string {
    if (node.items === undefined || Array.isArray(node.items)) return 'Vec<Value>'
    const item = this.#typeOf(node.items as SchemaNode, { ...place, name: singular(place.name) })
    const is_fixed = node.minItems !== undefined && node.minItems === node.maxItems
    return is_fixed && node.minItems > 1 ? `[${item}; ${node.minItems}]` : `Vec<${item}>`
  }

  #objectType(node: SchemaNode, place: Place): string {
    if (node.properties && node.additionalProperties === false) {
      const doc = node.description ?? ''
      return this.#name(node, place, (name) => this.#addStruct(name, node, { ...place, name }, { doc }))
    }
    if (node.properties) throw noForm(place.name, node)
    const values = Object.values(node.patternProperties ?? {}).map((value) =>
      this.#typeOf(value, { ...place, name: singular(place.name) }),
    )
    const value = new Set(values).size === 1 ? values[0]! : 'Value'
    return value === 'Value' ? 'Map<String, Value>' : `BTreeMap<String, ${value}>`
  }

  #wordsType(node: SchemaNode, words: readonly unknown[], place: Place): string {
    if (words.every((word) => typeof word === 'boolean')) return 'bool'
    if (words.every((word) => typeof word === 'number')) return words.every(Number.isInteger) ? 'i64' : 'f64'
    if (!words.every((word) => typeof word === 'string')) return 'Value'
    return this.#name(node, place, (name) => {
      const names = distinctNames(words.map(variantName))
      const variants = words.map((wire, i) => ({ name: names[i]!, wire }))
      const home = homeOf(name, place)
      const shape = { kind: 'words', name, doc: node.description ?? '', variants } as const
      this.#by_name.set(name, { ...shape, ...(home && { home }), asked: false, answered: false })
    })
  }

  #choiceType(node: SchemaNode, choices: readonly SchemaNode[], place: Place): string {
    const others = choices.filter(({ type }) => type !== 'null')
    if (others.length < choices.length) return `Option<${this.#typeOf(oneOf(node, others), place)}>`
    if (others.length === 1) return this.#typeOf(others[0]!, place)
    const is_text = (choice: SchemaNode) =>
      choice.type === 'string' || wordsOf(choice)?.every((word) => typeof word === 'string')
    if (others.every(is_text)) return 'String'
    if (others.every(({ type }) => type === 'number' || type === 'integer')) return 'f64'
    return this.#name(node, place, (name) => this.#addUnion(name, node, others, place))
  }

  #addUnion(name: string, node: SchemaNode, choices: readonly SchemaNode[], place: Place): void {
    const variants: RustVariant[] = []
    const tag = tagOf(choices)
    const shape = { kind: 'union', name, doc: node.description ?? '', variants, ...(tag && { tag }) } as const
    this.#by_name.set(name, { ...shape, asked: false, answered: false })
    // Untagged, the first match is taken: variants with more required fields come first.
    const needs = (choice: SchemaNode) => choice.required?.length ?? 0
    const sorted = tag ? choices : [...choices].sort((a, b) => needs(b) - needs(a))
    const names = distinctNames(sorted.map((choice) => choiceName(choice, choices)))
    for (const [i, choice] of sorted.entries()) {
      const wire = tag ? String(wordsOf(choice.properties![tag]!)![0]) : undefined
      if (wire !== undefined) {
        const type = name + variantName(wire)
        this.#addStruct(type, choice, { ...place, name: type }, { without: tag! })
        variants.push({ name: variantName(wire), wire, type })
        continue
      }
      const own = names[i]!
      variants.push({ name: own, type: this.#typeOf(choice, { ...place, name: name + own }) })
    }
  }

  /** A recursive part is met again inside itself: it gets its name before its fields. */
  #partOf(node: SchemaNode, place: Place): string {
    const part = this.#parts.get(node.$ref!)
    if (!part) throw noForm(place.name, node)
    return this.#typeOf(part, { ...place, name: node.$ref! })
  }

  /** Within an operation equal shapes are one type; across operations only those the contract has named. */
  #name(node: SchemaNode, place: Place, add: (name: string) => void): string {
    const key = keyOf(node)
    const known_name = known_names.get(key)
    const within = known_name === undefined ? `${place.operation} ${key}` : key
    const name = this.#names.get(within) ?? known_name ?? this.#freeName(place)
    if (!this.#names.has(within)) {
      this.#names.set(within, name)
      add(name)
    }
    this.#mark(name, place.side)
    return name
  }

  #freeName({ name, operation, side }: Place): string {
    if (!this.#by_name.has(name)) return name
    const suffix = side === 'asked' ? 'Input' : 'Output'
    const longer = name.startsWith(operation)
      ? operation + suffix + name.slice(operation.length)
      : name + suffix
    if (this.#by_name.has(longer)) throw new Error(`Two Rust types would be called ${longer}.`)
    return longer
  }

  /** A shape used on both sides is both, and so are its parts. */
  #mark(name: string, side: Side): void {
    const shape = this.#by_name.get(name)
    if (!shape || shape[side]) return
    shape[side] = true
    const inner = shape.kind === 'struct' ? shape.fields : shape.variants
    for (const { type = '' } of inner) {
      for (const [word] of type.matchAll(/\w+/g)) this.#mark(word, side)
    }
  }
}

function oneOf(node: SchemaNode, choices: readonly SchemaNode[]): SchemaNode {
  const { anyOf: _, oneOf: __, ...rest } = node
  return choices.length === 1 ? { ...choices[0], ...rest } : { ...rest, anyOf: choices }
}

function noForm(name: string, node: SchemaNode): Error {
  return new Error(`${name} has no Rust form yet: ${JSON.stringify(node).slice(0, 200)}`)
}
