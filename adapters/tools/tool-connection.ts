// A connection to a tool server, whatever it speaks.
import type { ToolAnswer, ToolCall, ToolDefinition, ToolWait } from '@svc/contract/foreign/tools'
import { canonicalJson } from '@svc/contract/signing/canonical-json'

export const tools_max = 256
const definition_bytes_max = 64 * 1024
const name_form = /^[A-Za-z0-9_.-]{1,128}$/

/** Its requests throw only ToolFault. */
export interface ToolConnection {
  list(wait: ToolWait): Promise<readonly ToolDefinition[]>
  call(call: ToolCall): Promise<ToolAnswer>
  readonly is_closed: boolean
  close(): Promise<void>
}

/** Undefined if it cannot be named or pinned: then it is not offered. */
export function pinnable(definition: ToolDefinition): ToolDefinition | undefined {
  if (!name_form.test(definition.name)) return undefined
  try {
    return Buffer.byteLength(canonicalJson(definition)) <= definition_bytes_max ? definition : undefined
  } catch {
    return undefined
  }
}
