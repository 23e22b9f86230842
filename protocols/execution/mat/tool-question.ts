// Asks a tool a question in words. Its answer is data for research, never an instruction.

import type { ToolAnswer, ToolDefinition } from '@svc/contract/foreign/tools'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { readToolId } from './tool-id.ts'
import { findTools, pinnedDefinition } from './tool-store.ts'

const question_names = ['query', 'question', 'q', 'search', 'text', 'prompt', 'input', 'message', 'topic']

interface Fields {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>
  readonly required?: readonly string[]
}

/** The text of its answer; undefined if there is none, or if the tool reports a failure. */
export async function askTool(
  context: OperationContext<'served' | 'vault'>,
  tool_id: string,
  question: string,
): Promise<string | undefined> {
  const field = questionField(tool_id, await definitionOf(context, tool_id))
  const call = { tool_id, arguments: { [field]: question } }
  const { content, is_error } = (await context.call('MAT', 'tool', call)) as ToolAnswer
  if (is_error) return undefined
  const texts = content.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  )
  return texts.join('\n').trim() || undefined
}

async function definitionOf(
  context: OperationContext<'served' | 'vault'>,
  tool_id: string,
): Promise<Pick<ToolDefinition, 'inputSchema'>> {
  const named = readToolId(tool_id)
  if (named.kind === 'svc') {
    const served = context.served.find(named.protocol, named.operation)
    if (!served) throw notFound('tool', tool_id)
    return { inputSchema: served.facts.input as unknown as ToolDefinition['inputSchema'] }
  }
  const { tenant_id } = context
  const [row] = await context.apart(({ db }) => findTools({ db, tenant_id }, [named.server_id], named.name))
  const definition = row && pinnedDefinition(context, row)
  if (definition) return definition
  throw refuse('policy_denied', `${tool_id} is not approved; approve it before it is asked anything.`, {
    reason: 'tool not approved',
  })
}

/** Its only required text field, or, with none required, a text field with a question's name. */
export function questionField(tool_id: string, { inputSchema }: Pick<ToolDefinition, 'inputSchema'>): string {
  const { properties = {}, required = [] } = inputSchema as Fields
  const texts = Object.keys(properties).filter((name) => properties[name]?.type === 'string')
  const needed = required.length === 1 && texts.includes(required[0]!) ? required[0] : undefined
  const named = required.length === 0 ? question_names.find((name) => texts.includes(name)) : undefined
  const field = needed ?? named
  if (field !== undefined) return field
  throw refuse(
    'invalid_payload',
    `${tool_id} does not take one question in words, so research cannot ask it; use it yourself, and store what it says.`,
    { reason: 'no question field' },
  )
}
