// Names of schema parts in Rust: a word, an item, a variant.
import { type SchemaNode, wordsOf } from './schema-node.ts'

/** The field that every choice has, each with its own constant. */
export function tagOf(choices: readonly SchemaNode[]): string | undefined {
  const names = Object.keys(choices[0]?.properties ?? {})
  return names.find((name) => {
    const words = choices.map(({ properties, required }) => {
      const own = required?.includes(name) ? wordsOf(properties?.[name] ?? {}) : undefined
      return own?.length === 1 && typeof own[0] === 'string' ? own[0] : undefined
    })
    return !words.includes(undefined) && new Set(words).size === choices.length
  })
}

/** By the type of the schema, which is that of the value. */
export const plain_names: Readonly<Record<string, string>> = {
  string: 'Text',
  integer: 'Number',
  number: 'Number',
  boolean: 'Flag',
}

export function choiceName(choice: SchemaNode, choices: readonly SchemaNode[]): string {
  if (choice.type === 'array') {
    const item = choice.items as SchemaNode | undefined
    return item?.type === 'array' ? 'Rows' : 'List'
  }
  if (wordsOf(choice)) return 'Word'
  if (choice.type !== 'object') return plain_names[choice.type ?? ''] ?? 'Any'
  if (!choice.properties) return 'Map'
  // A field that only this choice requires describes it best.
  const others = choices.filter((other) => other !== choice && other.properties)
  const own = choice.required?.find(
    (name) => !others.some(({ properties }) => properties && name in properties),
  )
  return others.length === 0 ? 'Object' : `By${variantName(own ?? choice.required?.[0] ?? 'fields')}`
}

const signs: Readonly<Record<string, string>> = { '<': 'Less', '>': 'Greater', '=': 'Equal', '!': 'Not' }

/** A wire word or a field, as part of a type's name. */
export function variantName(word: string): string {
  const name = word
    .replace(/[<>=!]/g, (sign) => ` ${signs[sign]} `)
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('')
  return /^[A-Z]/.test(name) ? name : `V${name}`
}

/** Where two are equal, the later gets a number. */
export function distinctNames(names: readonly string[]): string[] {
  return names.map((name, i) => {
    const before = names.slice(0, i).filter((each) => each === name).length
    return before === 0 ? name : `${name}${before + 1}`
  })
}

/** The name of an item: `Alternatives` is a list of `Alternative`. */
export function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return /[^sui]s$/.test(name) ? name.slice(0, -1) : name
}

const keywords: ReadonlySet<string> = new Set(
  (
    'abstract as async await become box break const continue do dyn else enum extern false final fn for gen if ' +
    'impl in let loop macro match mod move mut override priv pub ref return static struct trait true try type ' +
    'typeof unsafe unsized use virtual where while yield'
  ).split(' '),
)

/** A field or a method: `charter.declare` is `charter_declare`, and `do` is `r#do`. */
export function rustName(wire: string): string {
  const name = wire
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_/, '')
    .toLowerCase()
  if (/^\d/.test(name)) return `_${name}`
  return keywords.has(name) ? `r#${name}` : name
}
