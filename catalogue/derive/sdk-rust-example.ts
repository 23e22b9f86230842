// An operation's example as Rust: doc examples are compiled, so they stay correct.

import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { compareText, typeName } from './names.ts'
import { callerSentences, sceneSentences } from './scene-text.ts'
import { plain_names, rustName } from './sdk-rust-names.ts'
import type { RustField, RustShape, RustShapes, RustVariant } from './sdk-rust-shapes.ts'

type RustStruct = Extract<RustShape, { kind: 'struct' }>
type Fields = Readonly<Record<string, unknown>>

/** The lines of a doc example, its fences included. */
export function exampleText(
  protocol: Declaration,
  operation: string,
  facts: OperationFacts,
  shapes: RustShapes,
): string[] {
  const type = `${typeName('', operation)}Input`
  const module = protocol.id.toLowerCase()
  const value = rustValue(type, facts.example, shapes)
  const steps = sceneSentences(facts)
  const used = shapes.all().filter(({ name }) => new RegExp(`\\b${name}(::| \\{)`).test(value))
  const names = used.filter(({ home }) => !home).map(({ name }) => name)
  const by_hand = used.filter(({ home }) => home).map(({ name, home }) => `use svc_sdk::${home}::${name};`)
  const hidden = [
    value.includes('json!') ? 'use serde_json::json;' : '',
    value.includes('BTreeMap') ? 'use std::collections::BTreeMap;' : '',
    'use svc_sdk::{Client, Error};',
  ]
  return [
    ...callerSentences(facts).flatMap((sentence) => [sentence, '']),
    ...(steps.length > 0 ? ['After:', ...steps.map((sentence) => `- ${sentence}`), ''] : []),
    '```no_run',
    ...hidden.filter(Boolean).map((line) => `# ${line}`),
    ...by_hand,
    `use svc_sdk::protocols::${module}::${names.length === 1 ? names[0] : `{${names.sort(compareText).join(', ')}}`};`,
    '',
    '# async fn ask(client: Client) -> Result<(), Error> {',
    ...`let input = ${value};`.split('\n'),
    `let output = client.${rustName(protocol.id)}().${rustName(operation)}(&input).await?;`,
    '# Ok(())',
    '# }',
    '```',
  ]
}

/** A value as the expression that builds it. */
function rustValue(type: string, value: unknown, shapes: RustShapes): string {
  const shape = shapes.find(type)
  if (shape) return shapeValue(shape, value, shapes)
  const [, outer, inner = ''] = /^(Vec|Option|BTreeMap)<(.*)>$/.exec(type) ?? []
  const listed = (item: string) => (value as unknown[]).map((each) => rustValue(item, each, shapes))
  if (outer === 'Vec') return group('vec![', listed(inner), ']')
  if (outer === 'Option') return value === null ? 'None' : `Some(${rustValue(inner, value, shapes)})`
  if (outer === 'BTreeMap') {
    const item = inner.replace(/^String, /, '')
    const entries = Object.entries(value as Fields).map(
      ([key, each]) => `(${JSON.stringify(key)}.into(), ${rustValue(item, each, shapes)})`,
    )
    return group('BTreeMap::from([', entries, '])')
  }
  const fixed = /^\[(.*); \d+\]$/.exec(type)
  if (fixed) return group('[', listed(fixed[1]!), ']')
  switch (type) {
    case 'String':
      return `${JSON.stringify(value)}.into()`
    case 'f64':
      return Number.isInteger(value) ? `${value}.0` : String(value)
    case 'Value':
      return `json!(${JSON.stringify(value)})`
    case 'Map<String, Value>':
      return `json!(${JSON.stringify(value)}).as_object().cloned().unwrap_or_default()`
    default:
      return String(value)
  }
}

function shapeValue(shape: RustShape, value: unknown, shapes: RustShapes): string {
  if (shape.kind === 'words') {
    return `${shape.name}::${shape.variants.find(({ wire }) => wire === value)!.name}`
  }
  if (shape.kind === 'union') {
    const variant = shape.variants.find((each) => fits(each, value, shape.tag, shapes))!
    return `${shape.name}::${variant.name}(${rustValue(variant.type!, value, shapes)})`
  }
  const values = value as Fields
  // `impl Into<String>` takes the text directly.
  const argument = ({ name, type }: RustField) =>
    type === 'String' ? JSON.stringify(values[name]) : rustValue(type, values[name], shapes)
  if (shape.home) return literalValue(shape, values, shapes)
  const needed = shape.fields.filter(({ required }) => required)
  const start =
    needed.length === 0 ? `${shape.name}::default()` : group(`${shape.name}::new(`, needed.map(argument), ')')
  const rest = shape.fields
    .filter(({ name, required }) => !required && values[name] !== undefined)
    .map((field) => group(`.${rustName(field.name)}(`, [argument(field)], ')'))
  const line = [start, ...rest].join('')
  if (isShort(line)) return line
  return [start, ...(start.includes('\n') ? rest : rest.map(indented))].join('\n')
}

function literalValue({ name, fields }: RustStruct, field_values: Fields, shapes: RustShapes): string {
  const values = fields.map(({ name: field, type, required }) => {
    const value = field_values[field]
    if (required) return `${rustName(field)}: ${rustValue(type, value, shapes)}`
    return `${rustName(field)}: ${value === undefined ? 'None' : `Some(${rustValue(type, value, shapes)})`}`
  })
  const line = `${name} { ${values.join(', ')} }`
  return isShort(line) ? line : group(`${name} {`, values, '}')
}

const line_chars_max = 80

function isShort(text: string): boolean {
  return text.length <= line_chars_max && !text.includes('\n')
}

/** On one line, or one item per line. */
function group(open: string, items: readonly string[], close: string): string {
  const line = open + items.join(', ') + close
  // An expression that is broken already, such as a list, is not broken twice.
  if (isShort(line) || (items.length === 1 && /\n[\])]+$/.test(items[0]!))) return line
  return `${open}\n${items.map((item) => `${indented(item)},\n`).join('')}${close}`
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ')
}

/** Whether an example has this form of a choice. */
function fits(
  { name, wire, type = '' }: RustVariant,
  value: unknown,
  tag: string | undefined,
  shapes: RustShapes,
) {
  if (tag) return (value as Fields)[tag] === wire
  if (Array.isArray(value)) return name === (Array.isArray(value[0]) ? 'Rows' : 'List')
  if (typeof value !== 'object' || value === null) return name === plain_names[typeof value]
  const shape = shapes.find(type)
  if (shape?.kind !== 'struct') return name === 'Map'
  return shape.fields.every((field) => !field.required || field.name in value)
}
