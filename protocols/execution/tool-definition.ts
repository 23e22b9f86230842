// Whether a tool can be used as its server describes it, and whether a value fits what it asks for.
import { foreignFault, judgeForeign, type SchemaFault } from '@svc/contract/foreign-schema'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { hasHiddenText } from '@svc/contract/tool'
import { schemaFault } from '@svc/contract/tool-schema'
import type { ToolDefinition } from '@svc/contract/tools'

/** Undefined where it can, otherwise why not: in our own words, never its. */
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
  context: Pick<OperationContext, 'compute'>,
  tool_id: string,
  schema: ToolDefinition['inputSchema'],
  value: unknown,
): Promise<void> {
  const found = await faultsOf(context, tool_id, schema, value)
  const [first] = found
  if (!first) return
  throw refuse(
    'invalid_payload',
    `The arguments do not fit what ${tool_id} asks for: ${first.pointer || '/'} ${first.message}; see its input schema.`,
    {
      reason: 'arguments',
      performed: 'no',
      faults: found.map(({ pointer, message }) => ({ pointer: `/arguments${pointer}`, message })),
    },
  )
}

/** Whether an answer is what the tool promised. */
export async function fitsOutput(
  context: Pick<OperationContext, 'compute'>,
  tool_id: string,
  { outputSchema }: ToolDefinition,
  structured: unknown,
): Promise<boolean> {
  if (!outputSchema) return true
  if (structured === undefined) return false
  return (await faultsOf(context, tool_id, outputSchema, structured)).length === 0
}

async function faultsOf(
  { compute }: Pick<OperationContext, 'compute'>,
  tool_id: string,
  schema: ToolDefinition['inputSchema'],
  value: unknown,
): Promise<readonly SchemaFault[]> {
  const question = { schema: JSON.stringify(schema), value: JSON.stringify(value) }
  try {
    const { faults, unusable } = await judgeForeign(question, compute)
    if (unusable === undefined) return faults
    throw schemaUnusable(tool_id, unusable)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'timeout') throw error
    throw schemaUnusable(tool_id, error)
  }
}

function schemaUnusable(tool_id: string, cause: unknown): Refusal {
  return refuse(
    'policy_denied',
    `${tool_id} is described by a schema that nothing can be checked against in time; use another tool.`,
    { reason: 'tool schema unusable', performed: 'no' },
    cause,
  )
}
