// Converts an engine's answer to a tool result: the output, or a refusal that a model can act on.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { refusals } from '../../generated/sdk-operations.ts'
import type { Refused, ToolAnswer } from './engine.ts'

const details_length_max = 2_000

export function resultOf(answer: ToolAnswer): CallToolResult {
  if (!answer.ok) return refusedResult(answer.error)
  const { output, metadata } = answer
  return {
    content: [{ type: 'text', text: JSON.stringify(output) ?? 'null' }],
    structuredContent: output as Record<string, unknown>,
    _meta: { ...metadata },
  }
}

function refusedResult(error: Refused): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: sentencesOf(error) }],
    _meta: { 'svc/error': error },
  }
}

/** A refusal by this server, in the engine's format. */
export function ownRefusal(code: string, message: string, reason: string): CallToolResult {
  return refusedResult({
    code,
    message,
    reason,
    stage: null,
    correlation_id: null,
    retryable: isRetryable(code),
    retry_after_ms: null,
    details: {},
    audit_head: null,
  })
}

function sentencesOf(error: Refused): string {
  const { code, message, reason, details, correlation_id } = error
  const shown_details = Object.entries(details).filter(([, value]) => value !== null && value !== undefined)
  return [
    `${code}: ${message}`,
    ...(reason ? [`Reason: ${reason}.`] : []),
    ...(shown_details.length > 0
      ? [`Details: ${cut(JSON.stringify(Object.fromEntries(shown_details)))}`]
      : []),
    `What to do: ${adviceOn(error)}`,
    ...(correlation_id ? [`Correlation id: ${correlation_id}`] : []),
  ].join('\n')
}

function isRetryable(code: string): boolean {
  return Object.hasOwn(refusals, code) && refusals[code as keyof typeof refusals].retry !== 'never'
}

function cut(text: string): string {
  return text.length <= details_length_max ? text : `${text.slice(0, details_length_max)}…`
}

function adviceOn({ code, retry_after_ms }: Refused): string {
  if (retry_after_ms !== null) return `wait ${Math.ceil(retry_after_ms / 1000)} s, then call again.`
  if (isRetryable(code)) return 'wait a little, then call again, a few times at most.'
  if (code === 'network') return 'tell the user that the engine cannot be reached; try again later.'
  if (code === 'invalid_payload') return 'fix the arguments as described above, then call again.'
  if (code === 'internal' || code === 'protocol_error')
    return 'tell the user; this is a fault of the service, and the correlation id identifies it.'
  return 'do not repeat this call unchanged: the same rule would refuse it again. Tell the user why.'
}
