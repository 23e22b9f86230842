// Every operation as an MCP tool. The category is ours: `svc mcp list --category` sorts by it.
import type { Protocol, ToolCategory } from '@svc/contract/protocol'
import { sortedOperations, sortedProtocols, toolName } from './names.ts'
import { asSchemaNode, type SchemaNode } from './schema-node.ts'

export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly category: ToolCategory
  readonly inputSchema: SchemaNode
  readonly outputSchema: SchemaNode
  readonly annotations: { readonly readOnlyHint: boolean; readonly idempotentHint: boolean }
}

export function deriveMcpTools(protocols: readonly Protocol[]): McpTool[] {
  return sortedProtocols(protocols).flatMap((protocol) =>
    sortedOperations(protocol).map(([name, operation]) => ({
      name: toolName(protocol.id, name),
      title: `${protocol.id}: ${name.replace(/[._]/g, ' ')}`,
      description: `${operation.summary} (${protocol.id}: ${protocol.summary})`,
      category: protocol.category,
      inputSchema: asSchemaNode(operation.input),
      outputSchema: asSchemaNode(operation.output),
      // A write repeats only under an idempotency key, which a tool call by itself does not carry.
      annotations: { readOnlyHint: operation.effect === 'read', idempotentHint: operation.effect === 'read' },
    })),
  )
}
