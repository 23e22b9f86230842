// The Rust client's part of the catalogue: a module per typed protocol, and one table of all operations.

import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { refusals } from '@svc/contract/refusal'
import { compareText, sortedOperations, sortedProtocols, typeName } from './names.ts'
import { exampleText } from './sdk-rust-example.ts'
import { rustName } from './sdk-rust-names.ts'
import { type RustShape, RustShapes } from './sdk-rust-shapes.ts'
import { docText, line_chars_max, plain, shapeText, signatureText } from './sdk-rust-text.ts'

export const rust_head =
  '// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.\n'

/** Every protocol can be called; these have types. */
export const typed_protocols: ReadonlySet<string> = new Set(['MACS', 'MARC', 'MATA'])

/** File name -> text. */
export function deriveSdkRust(protocols: readonly Declaration[]): [string, string][] {
  const typed = sortedProtocols(protocols).filter(({ id }) => typed_protocols.has(id.toUpperCase()))
  const modules = typed.map(({ id }) => id.toLowerCase())
  return [
    ['mod.rs', `${rust_head}${['catalogue', ...modules].map(moduleLine).join('')}`],
    ['catalogue.rs', deriveRows(protocols)],
    ...typed.map((protocol): [string, string] => [`${protocol.id.toLowerCase()}.rs`, deriveModule(protocol)]),
  ]
}

function moduleLine(name: string): string {
  return `pub${name === 'catalogue' ? '(crate)' : ''} mod ${name};\n`
}

/** All types of the protocol, as its module and its examples name them. */
export function shapesOf(protocol: Declaration): RustShapes {
  const shapes = new RustShapes()
  for (const [name, facts] of sortedOperations(protocol)) {
    shapes.addOperation(name, facts, `Answer of ${protocol.id} ${name}.`)
  }
  return shapes
}

export function deriveModule(protocol: Declaration): string {
  const shapes = shapesOf(protocol)
  const own = shapes.all().filter(({ home }) => !home)
  const named = namesIn(own)
  const by_hand = shapes.all().filter(({ name, home }) => home && named.has(name))
  const values = ['Map', 'Value'].filter((name) => named.has(name))
  const imports = [
    ...by_hand.map(({ name, home }) => `use crate::${home}::${name};`).sort(compareText),
    'use crate::{CallOptions, Client, Error};',
    'use serde::de::DeserializeOwned;',
    'use serde::{Deserialize, Serialize};',
    values.length === 2
      ? 'use serde_json::{Map, Value};'
      : values.length === 1
        ? 'use serde_json::Value;'
        : '',
    named.has('BTreeMap') ? 'use std::collections::BTreeMap;' : '',
  ]
  const blocks = [clientText(protocol), methodsText(protocol, shapes), ...own.map(shapeText)]
  const summary = `//! ${protocol.id} ${protocol.version}. ${plain(protocol.summary)}\n`
  return `${rust_head}${summary}\n${imports.filter(Boolean).join('\n')}\n\n${blocks.join('\n')}`
}

/** Every type that fields and variants of these shapes refer to. */
function namesIn(shapes: readonly RustShape[]): ReadonlySet<string> {
  const types = shapes.flatMap((shape): string[] => {
    if (shape.kind === 'struct') return shape.fields.map(({ type }) => type)
    const rest = shape.kind === 'union' && shape.answered ? ['Value'] : []
    return [...shape.variants.map(({ type = '' }) => type), ...rest]
  })
  return new Set(types.flatMap((type) => type.match(/\w+/g) ?? []))
}

function clientText({ id, summary }: Declaration): string {
  const name = typeName(id)
  return `${docText(summary, '')}///
/// A method is called like its operation and answers its output alone; \`Client::dispatch\` answers it with what
/// the service says about the call.
#[derive(Clone, Debug)]
pub struct ${name}<'a> {
    pub(crate) client: &'a Client,
    pub(crate) options: CallOptions,
}

impl Client {
    /// The operations of ${id}.
    pub fn ${rustName(id)}(&self) -> ${name}<'_> {
        ${name} { client: self, options: CallOptions::default() }
    }
}
`
}

function methodsText(protocol: Declaration, shapes: RustShapes): string {
  const methods = sortedOperations(protocol).map(([name, facts]) => methodText(protocol, name, facts, shapes))
  return `impl ${typeName(protocol.id)}<'_> {
    /// How the calls that follow are made.
    #[must_use]
    pub fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

${methods.join('\n')}
    async fn call<I, O>(&self, operation: &str, input: &I) -> Result<O, Error>
    where
        I: Serialize,
        O: DeserializeOwned,
    {
        let client = self.client;
        let asking = client.dispatch("${protocol.id}", operation, input, &self.options);
        Ok(asking.await?.output)
    }
}
`
}

function methodText(
  protocol: Declaration,
  operation: string,
  facts: OperationFacts,
  shapes: RustShapes,
): string {
  const type = typeName('', operation)
  const method = rustName(operation)
  const repeated =
    facts.effect === 'read' ? 'A read: repeated by the rules of retries.' : 'A write: never repeated.'
  const example = exampleText(protocol, operation, facts, shapes).map((line) => `    /// ${line}`.trimEnd())
  const doc = `${docText(facts.summary, '    ')}    ///\n    /// ${repeated}\n    ///\n${example.join('\n')}\n`
  const args = ['&self', `input: &${type}Input`]
  const signature = signatureText(`pub async fn ${method}`, args, `-> Result<${type}Output, Error>`)
  return `${doc}${signature} {\n        self.call(${JSON.stringify(operation)}, input).await\n    }\n`
}

function deriveRows(protocols: readonly Declaration[]): string {
  const rows = sortedProtocols(protocols).map((protocol) => {
    const operations = sortedOperations(protocol).map(
      ([name, { effect }]) => `(${JSON.stringify(name)}, ${effect === 'read'})`,
    )
    const facts = [`id: "${protocol.id}"`, `version: "${protocol.version}"`]
    const line = `operations: &[${operations.join(', ')}]`
    const row = `    Row { ${[...facts, line].join(', ')} },\n`
    if (row.length <= line_chars_max) return row
    const list = `operations: &[\n${operations.map((each) => `            ${each},\n`).join('')}        ]`
    const fields = [...facts, line.length + 9 <= line_chars_max ? line : list]
    return `    Row {\n${fields.map((each) => `        ${each},\n`).join('')}    },\n`
  })
  return `${rust_head}
/// What a client must know of a protocol while it runs.
pub(crate) struct Row {
    pub id: &'static str,
    pub version: &'static str,
    /// Each with whether it only reads.
    pub operations: &'static [(&'static str, bool)],
}

pub(crate) static ROWS: &[Row] = &[
${rows.join('')}];

/// Every way the service says no.
#[cfg(test)]
pub(crate) static REFUSALS: &[&str] = &[
${Object.keys(refusals)
  .map((code) => `    "${code}",\n`)
  .join('')}];
`
}
