// operations.json beside plugin.toml: the facts about a plugin's operations. A missing fact is treated as strictly as
// possible.

import { foreignFault } from '@svc/contract/foreign/foreign-schema'
import { schemaFault } from '@svc/contract/foreign/tool-schema'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { AnyObject, Closed, ConformanceLevel, ListOf, OneOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { workFault } from './schema-work.ts'

const plugin_deadline_ms_default = 10_000

const PluginOperation = Closed({
  summary: Type.Optional(Text(500)),
  effect: Type.Optional(OneOf('read', 'write')),
  level: Type.Optional(ConformanceLevel),
  meters: Type.Optional(ListOf(OneOf('seconds', 'watts'), 1, 2)),
  deadline_ms: Type.Optional(Type.Integer({ minimum: 10, maximum: 600_000 })),
  rate_cost: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  input: Type.Optional(AnyObject),
  output: Type.Optional(AnyObject),
  example: Type.Optional(AnyObject),
})
type PluginOperation = Static<typeof PluginOperation>

export const PluginOperations = Type.Record(Type.String({ maxLength: 128 }), PluginOperation, {
  maxProperties: 256,
  description: 'operations.json: schemas and facts of the operations a plugin serves, by name.',
})
export type PluginOperations = Static<typeof PluginOperations>

/** Why the schemas cannot be used; undefined if they can. */
export function operationsFault(
  operations: PluginOperations,
  declared: readonly string[],
): string | undefined {
  for (const [name, { input, output }] of Object.entries(operations)) {
    if (!declared.includes(name)) return `${name} is not among the operations of the manifest`
    for (const [side, schema] of Object.entries({ input, output })) {
      if (!schema) continue
      const fault = schemaFault(schema) ?? workFault(schema) ?? foreignFault(schema)
      if (fault) return `the ${side} schema of ${name}: ${fault}`
      if (schema.type !== 'object') return `the ${side} schema of ${name} must be of type object`
    }
  }
  return undefined
}

/** An undeclared operation takes any object, counts as a write, and needs a caller with a known lineage. */
export function pluginFacts(plugin: string, declared: PluginOperation = {}): OperationFacts {
  return {
    summary:
      declared.summary ??
      `An operation of the plugin ${plugin}${declared.input ? '' : ', untyped: it takes any object'}.`,
    effect: declared.effect ?? 'write',
    level: declared.level ?? 'L1',
    meters: declared.meters ?? ['seconds'],
    deadline_ms: declared.deadline_ms ?? plugin_deadline_ms_default,
    ...(declared.rate_cost === undefined ? {} : { rate_cost: declared.rate_cost }),
    foreign: true,
    input: (declared.input as OperationFacts['input'] | undefined) ?? AnyObject,
    output: (declared.output as OperationFacts['output'] | undefined) ?? AnyObject,
    example: declared.example ?? {},
  }
}
