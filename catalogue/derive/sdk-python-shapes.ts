// The Python types of an operation's two schemas: which are models, and their names.
import { fieldsOf } from './fields.ts'
import { typeName } from './names.ts'
import { asSchemaNode, type SchemaNode, variantsOf, wordsOf } from './schema-node.ts'
import { pythonName } from './sdk-python-names.ts'
import { choiceName, distinctNames, singular, tagOf, variantName } from './sdk-rust-names.ts'

export interface PythonField {
  readonly name: string
  /** As on the wire. */
  readonly wire: string
  readonly type: string
  readonly required: boolean
  readonly nullable: boolean
  readonly doc: string
}

export type Side = 'Input' | 'Output'

export interface PythonModel {
  readonly name: string
  readonly side: Side
  readonly doc: string
  /** Only its caller may know it, so it is not printed. */
  readonly secret: boolean
  readonly fields: PythonField[]
}

interface Place {
  readonly side: Side
  /** The name of a model at this place: the operation, and the fields down to here. */
  readonly name: string
  readonly operation: string
}

/** Collects the models of one module, each once. */
export class PythonShapes {
  readonly #by_name = new Map<string, PythonModel>()
  readonly #names = new Map<string, string>()
  readonly #parts = new Map<string, SchemaNode>()

  /** In the order of discovery. */
  all(): readonly PythonModel[] {
    return [...this.#by_name.values()]
  }

  /** Adds the whole of a schema under this name. */
  add(
    name: string,
    side: Side,
    schema: Parameters<typeof asSchemaNode>[0],
    doc: string,
    secret = false,
  ): PythonModel {
    const node = asSchemaNode(schema)
    if (node.type !== 'object' || !node.properties) throw noForm(name, node)
    this.#gatherParts(node)
    const base = side === 'Input' ? name.replace(/Input$/, '') : name
    return this.#addModel(name, node, { side, name: base, operation: name }, doc, secret)
  }

  #gatherParts(node: SchemaNode): void {
    for (const [name, part] of Object.entries(node.$defs ?? {})) this.#parts.set(name, part)
  }

  #addModel(
    name: string,
    node: SchemaNode,
    place: Place,
    doc: string,
    secret = false,
    tag?: string,
  ): PythonModel {
    if (this.#by_name.has(name)) throw new Error(`Two Python models would be called ${name}.`)
    const model: PythonModel = { name, side: place.side, doc, secret, fields: [] }
    this.#by_name.set(name, model)
    const notes = new Map(fieldsOf(node).map(({ path, note }) => [path, note]))
    for (const [wire, schema] of Object.entries(node.properties ?? {})) {
      const at = { ...place, name: place.name + variantName(wire) }
      const type = wire === tag ? literal(wordsOf(schema)!) : this.#typeOf(schema, at)
      model.fields.push({
        name: pythonName(wire),
        wire,
        type,
        required: node.required?.includes(wire) === true,
        nullable: type.endsWith(' | None'),
        doc: notes.get(wire) ?? '',
      })
    }
    return model
  }

  #typeOf(node: SchemaNode, place: Place): string {
    this.#gatherParts(node)
    if (node.$ref) return this.#partOf(node, place)
    const words = wordsOf(node)
    if (words) return wordsType(words, place.side)
    const variants = variantsOf(node)
    if (variants.length > 0) return this.#choiceType(variants, place)
    switch (node.type) {
      case 'string':
        return 'str'
      case 'boolean':
        return 'bool'
      case 'number':
        return 'float'
      case 'integer':
        return 'int'
      case 'array':
        return `List[${this.#itemType(node, place)}]`
      case 'object':
        return this.#objectType(node, place)
      case undefined:
        return 'Any'
      default:
        throw noForm(place.name, node)
    }
  }

  #itemType(node: SchemaNode, place: Place): string {
    if (node.items === undefined || Array.isArray(node.items)) return 'Any'
    return this.#typeOf(node.items as SchemaNode, { ...place, name: singular(place.name) })
  }

  #objectType(node: SchemaNode, place: Place): string {
    if (node.properties) return this.#modelType(node, place)
    const values = Object.values(node.patternProperties ?? {}).map((value) =>
      this.#typeOf(value, { ...place, name: singular(place.name) }),
    )
    return `Dict[str, ${new Set(values).size === 1 ? values[0]! : 'Any'}]`
  }

  #choiceType(choices: readonly SchemaNode[], place: Place): string {
    const others = choices.filter(({ type }) => type !== 'null')
    if (others.length < choices.length) return `${this.#choiceType(others, place)} | None`
    if (others.length === 1) return this.#typeOf(others[0]!, place)
    const tag = tagOf(others)
    // The first match is taken: variants with more required fields come first.
    const needs = (choice: SchemaNode) => choice.required?.length ?? 0
    const sorted = [...others].sort((a, b) => needs(b) - needs(a))
    const names = distinctNames(sorted.map((choice) => tagName(choice, tag) ?? choiceName(choice, others)))
    const types = sorted.map((choice, i) => {
      const at = { ...place, name: place.name + names[i]! }
      return choice.type === 'object' && choice.properties
        ? this.#modelType(choice, at, tag)
        : this.#typeOf(choice, at)
    })
    const distinct = [...new Set(types)]
    const models = distinct.filter((type) => this.#by_name.has(type)).length
    if (place.side === 'Input' || models < 2) return distinct.join(' | ')
    // A newer engine may know more variants.
    return `Annotated[${[...distinct, 'Dict[str, Any]'].join(' | ')}, Field(union_mode="left_to_right")]`
  }

  /** A recursive part is met again inside itself: it gets its name before its fields. */
  #partOf(node: SchemaNode, place: Place): string {
    const part = this.#parts.get(node.$ref!)
    if (!part) throw noForm(place.name, node)
    return this.#typeOf(part, { ...place, name: `${place.operation}${node.$ref!}` })
  }

  /** Within an operation and side equal shapes are one model. */
  #modelType(node: SchemaNode, place: Place, tag?: string): string {
    const { description, default: _, $id: __, ...shape } = node
    const key = `${place.operation} ${tag ?? ''} ${JSON.stringify(shape)}`
    const before = this.#names.get(key)
    if (before !== undefined) return before
    const name = this.#freeName(place.name)
    this.#names.set(key, name)
    this.#addModel(name, node, { ...place, name }, description ?? '', false, tag)
    return name
  }

  #freeName(name: string): string {
    let free = name
    for (let nth = 2; this.#by_name.has(free); nth++) free = `${name}${nth}`
    return free
  }
}

function tagName(choice: SchemaNode, tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : variantName(String(wordsOf(choice.properties![tag]!)![0]))
}

/** A newer engine may answer words that are not known here. */
function wordsType(words: readonly unknown[], side: Side): string {
  if (words.every((word) => typeof word === 'number')) {
    if (!words.every(Number.isInteger)) return 'float'
    return side === 'Input' ? literal(words) : 'int'
  }
  if (side === 'Input') return literal(words)
  if (words.every((word) => typeof word === 'boolean')) return 'bool'
  return words.every((word) => typeof word === 'string') ? `${literal(words)} | str` : 'Any'
}

function literal(words: readonly unknown[]): string {
  const texts = words.map((word) =>
    typeof word === 'boolean' ? (word ? 'True' : 'False') : word === null ? 'None' : JSON.stringify(word),
  )
  return `Literal[${texts.join(', ')}]`
}

export function modelNames(operation: string): { readonly input: string; readonly output: string } {
  const name = typeName('', operation)
  return { input: `${name}Input`, output: `${name}Output` }
}

function noForm(name: string, node: SchemaNode): Error {
  return new Error(`${name} has no Python form yet: ${JSON.stringify(node).slice(0, 200)}`)
}
