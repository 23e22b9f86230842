// The operations in the engine's directory, including those of plugins.
import type { SceneRole, SceneStep } from '@svc/sdk'
import { base_url } from '../../api/base.ts'
import type { Schema } from './schema-value.ts'

export interface ProtocolLine {
  readonly id: string
  readonly summary: string
  readonly operations: readonly string[]
}

export interface OperationFacts {
  readonly name: string
  readonly summary: string
  readonly effect: 'read' | 'write'
  readonly level: string
  readonly capability: string
  readonly mcp_tool: string
  readonly request_schema: string
  readonly response_schema: string
  readonly example?: unknown
  readonly scene?: readonly SceneStep[]
  readonly scene_text?: readonly string[]
  readonly example_by?: SceneRole
  readonly example_needs?: string
}

export async function listProtocols(signal: AbortSignal): Promise<readonly ProtocolLine[]> {
  return (await read<{ protocols: ProtocolLine[] }>('/v1/protocols', signal)).protocols
}

export interface FoundOperation {
  readonly protocol: string
  readonly operation: string
  readonly summary?: string
}

/** The engine's search over names, summaries and fields. */
export async function searchOperations(
  question: string,
  signal: AbortSignal,
): Promise<readonly FoundOperation[]> {
  const path = `/v1/search?q=${encodeURIComponent(question.slice(0, question_chars_max))}&limit=12`
  const { results } = await read<{ results: Partial<FoundOperation>[] }>(path, signal)
  // A whole protocol is a result too.
  return results.filter((each): each is FoundOperation => each.operation !== undefined)
}

const question_chars_max = 200

export async function describeOperation(
  protocol: string,
  operation: string,
  signal: AbortSignal,
): Promise<{ facts: OperationFacts; schema: Schema }> {
  const path = `/v1/protocols/${encodeURIComponent(protocol)}`
  const { operations } = await read<{ operations: OperationFacts[] }>(path, signal)
  const facts = operations.find(({ name }) => name === operation)
  if (!facts) throw new Error(`${protocol} has no operation ${operation}; choose another from the list.`)
  return { facts, schema: await read<Schema>(facts.request_schema, signal) }
}

async function read<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  const answer = await fetch(base_url + path, { signal, headers: { accept: 'application/json' } })
  const body = await answer.json().catch(() => undefined)
  if (answer.ok) return body as Answer
  throw new Error(body?.error?.message ?? `${path} was answered with ${answer.status}.`)
}
