// Shell completions: protocols, their operations, and the fields of each input.
import type { Declaration } from '@svc/contract/protocol'
import { sortedOperations, sortedProtocols } from './names.ts'
import { asSchemaNode, type SchemaNode, variantsOf, wordsOf } from './schema-node.ts'

export interface FieldCompletion {
  readonly type: string
  readonly required: boolean
  readonly description?: string
  readonly values?: readonly unknown[]
}

export interface OperationCompletion {
  readonly summary: string
  readonly effect: 'read' | 'write'
  readonly input: Readonly<Record<string, FieldCompletion>>
  /** A valid input, as default. */
  readonly example: unknown
}

export interface Completions {
  readonly protocols: Readonly<
    Record<
      string,
      {
        readonly summary: string
        readonly version: string
        readonly operations: Readonly<Record<string, OperationCompletion>>
      }
    >
  >
}

export function deriveCompletions(protocols: readonly Declaration[]): Completions {
  const entries = sortedProtocols(protocols).map((protocol) => {
    const operations = sortedOperations(protocol).map(([name, operation]) => {
      const { summary, effect, example } = operation
      return [name, { summary, effect, input: inputFields(asSchemaNode(operation.input)), example }] as const
    })
    const { id, summary, version } = protocol
    return [id, { summary, version, operations: Object.fromEntries(operations) }] as const
  })
  return { protocols: Object.fromEntries(entries) }
}

/** Top-level fields only; for a choice of objects, those of every choice, required only if in all. */
function inputFields(node: SchemaNode): Record<string, FieldCompletion> {
  const shapes = node.properties ? [node] : variantsOf(node)
  const fields: Record<string, FieldCompletion> = {}
  for (const shape of shapes) {
    for (const [name, field] of Object.entries(shape.properties ?? {})) {
      const values = wordsOf(field) ?? (field.type === 'boolean' ? [true, false] : undefined)
      fields[name] = {
        type: field.type ?? (values ? typeof values[0] : 'any'),
        required: shapes.every((each) => each.required?.includes(name) ?? false),
        ...(field.description === undefined ? {} : { description: field.description }),
        ...(values === undefined ? {} : { values }),
      }
    }
  }
  return fields
}
