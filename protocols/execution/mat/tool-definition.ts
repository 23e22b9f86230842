// Whether a tool's definition is usable, and whether a value matches its schema.
import { foreignFault, judgeForeign, type SchemaJudgement } from '@svc/contract/foreign/foreign-schema'
import { hasHiddenText } from '@svc/contract/foreign/tool'
import { schemaFault } from '@svc/contract/foreign/tool-schema'
import type { ToolDefinition } from '@svc/contract/foreign/tools'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'

const retry_after_ms = 1_000

/** Undefined if usable, otherwise why not: in our words, never the server's. */
export function definitionFault({ name, description, ...said }: ToolDefinition): string | undefined {
  if (hasHiddenText({ name, description, ...said }))
    return 'it holds invisible or direction-changing characters'
  if (!isUsable(said.inputSchema)) return 'its input schema is none that can be checked'
  if (said.outputSchema && !isUsable(said.outputSchema))
    return 'its output schema is none that can be checked'
  return undefined
}

function isUsable(schema: ToolDefinition['inputSchema']): boolean {
  return schemaFault(schema) === undefined && foreignFault(schema) === undefined
}

export async function requireArguments(
  context: Pick<OperationContext<'compute'>, 'compute'>,
  tool_id: string,
  schema: ToolDefinition['inputSchema'],
  value: unknown,
): Promise<void> {
  const { faults, unusable } = await judge(context, schema, value).catch((error: unknown) => {
    throw isPassing(error) ? unchecked(tool_id, error) : error
  })
  if (unusable !== undefined) throw schemaUnusable(tool_id, unusable)
  const [first] = faults
  if (!first) return
  throw refuse(
    'invalid_payload',
    `The arguments do not fit what ${tool_id} asks for: ${first.pointer || '/'} ${first.message}; see its input schema.`,
    {
      reason: 'arguments',
      performed: 'no',
      faults: faults.map(({ pointer, message }) => ({ pointer: `/arguments${pointer}`, message })),
    },
  )
}

/** Whether an answer matches the tool's output schema; unchecked if that could not be determined. */
export async function outputFault(
  context: Pick<OperationContext<'compute'>, 'compute'>,
  { outputSchema }: ToolDefinition,
  structured: unknown,
): Promise<'invalid' | 'unchecked' | undefined> {
  if (!outputSchema) return undefined
  if (structured === undefined) return 'invalid'
  try {
    const { faults, unusable } = await judge(context, outputSchema, structured)
    if (unusable !== undefined) return 'unchecked'
    return faults.length > 0 ? 'invalid' : undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return 'unchecked'
  }
}

function judge(
  { compute }: Pick<OperationContext<'compute'>, 'compute'>,
  schema: ToolDefinition['inputSchema'],
  value: unknown,
): Promise<SchemaJudgement> {
  return judgeForeign({ schema: JSON.stringify(schema), value: JSON.stringify(value) }, compute)
}

/** Threads were busy or the check was late: the same call may pass a moment later. */
function isPassing(error: unknown): boolean {
  return error instanceof Refusal && error.row.retry !== 'never'
}

function unchecked(tool_id: string, cause: unknown): Refusal {
  return refuse(
    'no_endpoint_available',
    `The arguments for ${tool_id} could not be checked in time, so it was not asked. Try again, or use another tool.`,
    { reason: 'tool arguments unchecked', performed: 'no', retry_after_ms },
    cause,
  )
}

function schemaUnusable(tool_id: string, cause: unknown): Refusal {
  return refuse(
    'policy_denied',
    `${tool_id} is described by a schema that nothing can be checked against; use another tool.`,
    { reason: 'tool schema unusable', performed: 'no' },
    cause,
  )
}
