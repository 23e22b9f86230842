// Shapes as Rust source in rustfmt's layout, so that generating needs no Rust.
import { rustName } from './sdk-rust-names.ts'
import type { RustField, RustShape } from './sdk-rust-shapes.ts'

/** As in rustfmt.toml. */
export const line_chars_max = 110
/** Clippy's limit. */
const arguments_max = 7

export function shapeText(shape: RustShape): string {
  switch (shape.kind) {
    case 'struct':
      return structText(shape)
    case 'words':
      return wordsText(shape)
    case 'union':
      return unionText(shape)
  }
}

type Kind<K extends RustShape['kind']> = Extract<RustShape, { kind: K }>

function structText(shape: Kind<'struct'>): string {
  const { name, fields, secret } = shape
  const is_empty = fields.every(({ required }) => !required)
  const derived = [
    'Clone',
    secret ? '' : 'Debug',
    is_empty ? 'Default' : '',
    'Deserialize',
    'PartialEq',
    'Serialize',
  ]
  const head = `${docText(shape.doc, '')}#[derive(${derived.filter(Boolean).join(', ')})]\n#[non_exhaustive]\n`
  const body = fields.length === 0 ? '{}' : `{\n${fields.map(fieldText).join('')}}`
  const parts = [`${head}pub struct ${name} ${body}\n`]
  if (secret) parts.push(silentDebug(name))
  if (shape.asked && fields.length > 0) parts.push(`impl ${name} {\n${buildText(fields)}}\n`)
  return parts.join('\n')
}

function fieldText(field: RustField): string {
  const { name, type, required, doc } = field
  const rules = [
    rustName(name).replace('r#', '') === name ? '' : `rename = ${JSON.stringify(name)}`,
    required ? '' : 'skip_serializing_if = "Option::is_none"',
  ].filter(Boolean)
  const rule = rules.length === 0 ? '' : `    #[serde(${rules.join(', ')})]\n`
  return `${docText(doc, '    ')}${rule}    pub ${rustName(name)}: ${required ? type : `Option<${type}>`},\n`
}

/** A secret answer is not written to logs. */
function silentDebug(name: string): string {
  const inner = `f.write_str("${name} { .. }")`
  const signature = `    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {`
  return `impl std::fmt::Debug for ${name} {\n${signature}\n        ${inner}\n    }\n}\n`
}

function buildText(fields: readonly RustField[]): string {
  const needed = fields.filter(({ required }) => required)
  const methods = fields.filter(({ required }) => !required).map(setterText)
  return [...(needed.length === 0 ? [] : [newText(fields, needed)]), ...methods].join('\n')
}

function newText(fields: readonly RustField[], needed: readonly RustField[]): string {
  const values = fields.map(({ name, type, required }) => {
    const own = rustName(name)
    if (!required) return `${own}: None`
    return type === 'String' ? `${own}: ${own}.into()` : own
  })
  const line = `Self { ${values.join(', ')} }`
  const fits = line.length + 8 <= line_chars_max
  const literal = fits
    ? line
    : `Self {\n${values.map((value) => `            ${value},\n`).join('')}        }`
  const many = needed.length > arguments_max ? '    #[allow(clippy::too_many_arguments)]\n' : ''
  const rest = needed.length < fields.length ? '; the rest is set by name' : ''
  const signature = signatureText('pub fn new', needed.map(argumentText), '-> Self')
  return `    /// With all it needs${rest}.\n${many}${signature} {\n        ${literal}\n    }\n`
}

function setterText(field: RustField): string {
  const name = rustName(field.name)
  const value = field.type === 'String' ? `${name}.into()` : name
  const signature = signatureText(`pub fn ${name}`, ['mut self', argumentText(field)], '-> Self')
  const doc = `    /// Sets \`${field.name}\`.\n    #[must_use]\n`
  return `${doc}${signature} {\n        self.${name} = Some(${value});\n        self\n    }\n`
}

function argumentText({ name, type }: RustField): string {
  return `${rustName(name)}: ${type === 'String' ? 'impl Into<String>' : type}`
}

/** Of a method, up to its brace. */
export function signatureText(start: string, args: readonly string[], end: string): string {
  const line = `    ${start}(${args.join(', ')}) ${end}`
  if (`${line} {`.length <= line_chars_max) return line
  return `    ${start}(\n${args.map((each) => `        ${each},\n`).join('')}    ) ${end}`
}

const comparable = 'Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize'
const not_listed = '    /// What this version of the client does not know.\n'

function wordsText({ name, doc, variants, answered }: Kind<'words'>): string {
  const lines = variants.map(({ name: own, wire }) => {
    const rename = own === wire ? '' : `    #[serde(rename = ${JSON.stringify(wire)})]\n`
    return `    /// \`${wire}\`\n${rename}    ${own},\n`
  })
  const rest = answered ? `${not_listed}    #[serde(untagged)]\n    Unlisted(String),\n` : ''
  const head = `${docText(doc, '')}#[derive(${comparable})]\n#[non_exhaustive]\n`
  return `${head}pub enum ${name} {\n${lines.join('')}${rest}}\n`
}

function unionText({ name, doc, variants, answered, tag }: Kind<'union'>): string {
  const lines = variants.map(({ name: own, wire, type }) => {
    const rename =
      wire === undefined || own === wire ? '' : `    #[serde(rename = ${JSON.stringify(wire)})]\n`
    const wire_doc = wire === undefined ? '' : `    /// \`${wire}\`\n`
    return `${wire_doc}${rename}    ${own}(${type}),\n`
  })
  const alone = tag ? '    #[serde(untagged)]\n' : ''
  const rest = answered ? `${not_listed}${alone}    Unlisted(Value),\n` : ''
  const rule = tag ? `tag = ${JSON.stringify(tag)}` : 'untagged'
  const derived = '#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]\n'
  const head = `${docText(doc, '')}${derived}#[serde(${rule})]\n#[non_exhaustive]\n`
  return `${head}pub enum ${name} {\n${lines.join('')}${rest}}\n`
}

/** As one line of rustdoc, nothing where there is nothing to say. */
export function docText(text: string, indent: string): string {
  return text === '' ? '' : `${indent}/// ${plain(text)}\n`
}

/** What rustdoc would take for markup is written out, except between backticks. */
export function plain(text: string): string {
  const parts = text.replace(/\s+/g, ' ').trim().split('`')
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replace(/[\\<>[\]*]/g, '\\$&'))).join('`')
}
