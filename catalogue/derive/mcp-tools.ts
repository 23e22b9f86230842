// Every operation as an MCP tool. The category is ours: `svc mcp list --category` sorts by it.

import type { OperationFacts, ToolCategory } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { sortedOperations, sortedProtocols, toolName } from './names.ts'
import { asDocument, type SchemaNode } from './schema-node.ts'

export interface McpTool {
  readonly name: string
  readonly protocol: string
  readonly operation: string
  readonly version: string
  readonly title: string
  readonly description: string
  readonly category: ToolCategory
  readonly inputSchema: SchemaNode
  readonly outputSchema: SchemaNode
  readonly annotations: ToolHints
}

/** Hints a client may show before it calls; the gate does not read them. */
export interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export function deriveMcpTools(protocols: readonly Declaration[]): McpTool[] {
  return sortedProtocols(protocols).flatMap((protocol) =>
    sortedOperations(protocol).map(([name, operation]) => ({
      name: toolName(protocol.id, name),
      protocol: protocol.id,
      operation: name,
      version: protocol.version,
      title: `${protocol.id}: ${name.replace(/[._]/g, ' ')}`,
      description: `${operation.summary} (${protocol.id}: ${protocol.summary})`,
      category: protocol.category,
      inputSchema: asDocument(operation.input),
      outputSchema: asDocument(operation.output),
      annotations: hintsOf(protocol, operation),
    })),
  )
}

/** A write is repeatable only with an idempotency key, which a tool call does not carry. */
function hintsOf({ estate }: Declaration, { effect }: OperationFacts): ToolHints {
  const reads = effect === 'read'
  // Whether a write is destructive is not declared, so every write is marked so: clients ask a person first.
  return {
    readOnlyHint: reads,
    destructiveHint: !reads,
    idempotentHint: reads,
    openWorldHint: estate === 'adapter',
  }
}
