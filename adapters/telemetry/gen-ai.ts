// Attributes of the OpenTelemetry conventions for generative AI and MCP: names and counts, never content.
import { parseDid } from '@svc/contract/identity/did'
import type { FinishedTrace } from './tracer.ts'

const tool_call = { 'gen_ai.operation.name': 'execute_tool' } as const
const mcp_call = { 'mcp.method.name': 'tools/call' } as const
/** A person's identity stays out of spans. */
const persons = 'human-root'

/** Each operation is a tool that an agent uses through this engine. */
export function callConventions(trace: FinishedTrace): Record<string, string> {
  const { protocol, operation, agent_did, outcome, code, origin } = trace
  const failed: Record<string, string> =
    outcome === 'error' && code !== undefined ? { 'error.type': code } : {}
  // Unknown names are the caller's own text, and no tool.
  if (protocol === 'unknown') return failed
  const is_agent = (parseDid(agent_did)?.entity_kind ?? persons) !== persons
  return {
    ...tool_call,
    'gen_ai.tool.name': `${protocol}.${operation}`,
    ...(is_agent && { 'gen_ai.agent.id': agent_did }),
    ...(origin === 'mcp' && mcp_call),
    ...failed,
  }
}

/** Tokens that were metered; most operations use none. */
export function usageConventions({ tokens_in, tokens_out }: FinishedTrace): Record<string, number> {
  return {
    ...(tokens_in > 0 && { 'gen_ai.usage.input_tokens': tokens_in }),
    ...(tokens_out > 0 && { 'gen_ai.usage.output_tokens': tokens_out }),
  }
}

const mcp_tool_form = /^mcp:[^/]+\/(.+)$/

/** Of the invocation, where it used a tool of another MCP server. */
export function toolConventions({ tool_id }: FinishedTrace): Record<string, string> {
  const name = tool_id === undefined ? undefined : mcp_tool_form.exec(tool_id)?.[1]
  return name === undefined ? {} : { ...tool_call, ...mcp_call, 'gen_ai.tool.name': name }
}
