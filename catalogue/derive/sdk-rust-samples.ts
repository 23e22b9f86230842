// Values for round trips through the Rust types: each must be unchanged.

import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { compareText, sortedOperations, sortedProtocols, typeName } from './names.ts'
import { asDocument, type SchemaNode, variantsOf, wordsOf } from './schema-node.ts'
import { rust_head, typed_protocols } from './sdk-rust.ts'

interface Sample {
  readonly protocol: string
  readonly operation: string
  readonly side: 'input' | 'output'
  readonly value: unknown
}

/** File name -> text: the values, and the type each of them is read as. */
export function deriveRustExamples(protocols: readonly Declaration[]): [string, string][] {
  const typed = sortedProtocols(protocols).filter(({ id }) => typed_protocols.has(id.toUpperCase()))
  return [
    ['examples.json', JSON.stringify(typed.flatMap(samplesOf), null, 2)],
    ['round_trip.rs', roundTripText(typed)],
  ]
}

/** The catalogue's example, then both sides generated from their schemas: with nothing optional, and every variant with everything. */
export function samplesOf(protocol: Declaration): Sample[] {
  return sortedOperations(protocol).flatMap(([operation, facts]) => {
    const of = (side: Sample['side'], value: unknown): Sample => ({
      protocol: protocol.id,
      operation,
      side,
      value,
    })
    return [
      of('input', facts.example),
      ...valuesOf(facts.input).map((value) => of('input', value)),
      ...valuesOf(facts.output).map((value) => of('output', value)),
    ]
  })
}

const rounds_max = 16

/** Round 0 omits optional fields; each later one has everything, and takes the next form of each choice. */
export function valuesOf(schema: OperationFacts['input']): unknown[] {
  const document = asDocument(schema)
  const samples = new Map<string, unknown>()
  for (let round = 0; round < rounds_max; round++) {
    const value = sampleOf(document, round, document.$defs ?? {}, 0)
    samples.set(JSON.stringify(value), value)
  }
  return [...samples.values()]
}

const depth_max = 8

function sampleOf(
  node: SchemaNode,
  round: number,
  parts: Readonly<Record<string, SchemaNode>>,
  depth: number,
): unknown {
  const inner = (child: SchemaNode) => sampleOf(child, round, parts, depth + 1)
  if (node.$ref) return inner(parts[node.$ref.replace('#/$defs/', '')] ?? {})
  const choices = wordsOf(node)
  if (choices) return choices[round % choices.length]
  const variants = variantsOf(node)
  if (variants.length > 0) return inner(variants[depth > depth_max ? 0 : round % variants.length]!)
  switch (node.type) {
    case 'string':
      return textsOf(node)[0]
    case 'boolean':
      return round % 2 === 1
    case 'integer':
      return node.minimum ?? -1
    case 'number':
      return node.minimum ?? 0.125
    case 'array': {
      const count = round === 0 || depth > depth_max ? 0 : 1
      const length = Math.max(node.minItems ?? 0, Math.min(count, node.maxItems ?? 1))
      return Array.from({ length }, () => inner((node.items ?? {}) as SchemaNode))
    }
    case 'object':
      return objectOf(node, round, inner)
    case 'null':
      return null
    default:
      return { any: [1, 'text', null] }
  }
}

function objectOf(node: SchemaNode, round: number, inner: (child: SchemaNode) => unknown): unknown {
  const own = Object.entries(node.properties ?? {})
    .filter(([name]) => round > 0 || node.required?.includes(name))
    .map(([name, child]) => [name, inner(child)])
  const keyed = Object.entries(node.patternProperties ?? {}).flatMap(([pattern, child]) =>
    textsOf({ pattern })
      .slice(0, Math.max(1, node.minProperties ?? 0))
      .map((key) => [key, inner(child)]),
  )
  return Object.fromEntries([...own, ...keyed].sort(([a], [b]) => compareText(String(a), String(b))))
}

const digits = '0123456789abcdef'.repeat(4)

/** One text per string form of the catalogue; a pattern takes the first that matches. */
const texts: readonly string[] = [
  'text',
  'a',
  '1',
  '1.0.0',
  '0.000000',
  'Agent',
  'MACS',
  'k4m7p2qx',
  '4b7d0c92ae',
  '2026-01-31T12:00:00Z',
  '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  digits,
  `sha256:${digits}`,
  `did:oas:acme:agent:${digits}`,
  'svc.macs.derive',
  'https://acme.example/agents',
  'max://acme/record/1',
  'mind://snapshot/1',
  `marc://model/${digits}`,
  'A'.repeat(43),
  'A'.repeat(86),
]

function textsOf({ pattern = '', minLength = 0 }: SchemaNode): string[] {
  const form = new RegExp(pattern, 'u')
  const matching = texts.filter((each) => each.length >= minLength && form.test(each))
  if (matching.length === 0) throw new Error(`No sample matches ${pattern}; add one to the list.`)
  return matching
}

function roundTripText(protocols: readonly Declaration[]): string {
  const rows = protocols.flatMap((protocol) =>
    sortedOperations(protocol).flatMap(([operation]) =>
      (['input', 'output'] as const).map((side) => {
        const module = protocol.id.toLowerCase()
        const type = `${module}::${typeName('', operation)}${typeName(side)}`
        return `        ("${protocol.id}", "${operation}", "${side}") => again::<${type}>(value),\n`
      }),
    ),
  )
  return `${rust_head}
use super::again;
use serde_json::{Result, Value};
use svc_sdk::protocols::{${protocols.map(({ id }) => id.toLowerCase()).join(', ')}};

/// The value, read as the type of its place and written again; none for a place that is not here.
pub fn round_trip(place: (&str, &str, &str), value: Value) -> Option<Result<Value>> {
    Some(match place {
${rows.join('')}        _ => return None,
    })
}
`
}
