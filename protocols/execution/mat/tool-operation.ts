// An operation of this engine, described as a tool.

import type { ToolDefinition } from '@svc/contract/foreign/tools'
import type { ServedOperation } from '@svc/contract/needs/served-operations'
import { svcToolId } from './tool-id.ts'

export function operationAsTool({ protocol, operation, facts }: ServedOperation): ToolDefinition {
  return {
    name: svcToolId(protocol, operation).slice('svc:'.length),
    description: facts.summary,
    inputSchema: facts.input as unknown as ToolDefinition['inputSchema'],
    outputSchema: facts.output as unknown as ToolDefinition['inputSchema'],
    annotations: { readOnlyHint: facts.effect === 'read' },
  }
}
