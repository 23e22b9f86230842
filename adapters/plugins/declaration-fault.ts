// Limits on foreign names and texts of protocols and operations: people and models read them, and programs generate
// code from them.

import { definition_bytes_max, hasHiddenText } from '@svc/contract/foreign/tool'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'

const summary_length_max = 500
/** All of it is sent at once: to every tool list and in the OpenAPI document. */
const declaration_bytes_max = 1024 * 1024
/** As MCP clients accept it. */
const tool_name_length_max = 128
// Letters only, as in the names of capabilities.
const id_form = /^[A-Za-z]{1,32}$/
const operation_form = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/
// Anything else could start a heading, a list or a quotation at the start of a line.
const summary_form = /^[\p{L}\p{N}"'“‘«(]/u
const line_breaks = /[\n\r\t\u2028\u2029]/

/** Why it cannot be registered; undefined if it can. */
export function declarationFault(declaration: Declaration): string | undefined {
  const { id, summary, operations } = declaration
  if (!id_form.test(id)) return `${JSON.stringify(id)} is no name of a protocol; use 1 to 32 letters`
  const words = summaryFault(summary)
  if (words) return `the summary of ${id} ${words}`
  const written_as = new Map<string, string>()
  for (const [name, facts] of Object.entries(operations)) {
    const fault = nameFault(id, name) ?? operationFault(facts)
    if (fault) return `${id} ${JSON.stringify(name)} ${fault}`
    const written = name.split(/[._]+/).filter(Boolean).join('_')
    const other = written_as.get(written)
    if (other !== undefined) return `${other} and ${name} have the same name in code; rename one of them`
    written_as.set(written, name)
  }
  return bytesOf(operations) > declaration_bytes_max
    ? `the declarations of ${id} take more than ${declaration_bytes_max} bytes; shorten them`
    : undefined
}

function nameFault(id: string, name: string): string | undefined {
  if (!operation_form.test(name)) return 'is no name of an operation; use lower case such as say_hello'
  if (`svc.${id}.${name}`.length > tool_name_length_max)
    return `makes a tool name of more than ${tool_name_length_max} characters; shorten it`
  return undefined
}

/** One visible line: in a list for models a second line could look like the service's own text. */
function summaryFault(summary: string): string | undefined {
  if (summary.trim() === '' || summary.length > summary_length_max)
    return `must have 1 to ${summary_length_max} characters`
  if (line_breaks.test(summary)) return 'must be one line'
  if (!summary_form.test(summary)) return 'must begin with a letter or a digit'
  return hasHiddenText(summary) ? 'holds invisible or direction-changing characters' : undefined
}

function operationFault({ summary, input, output, example }: OperationFacts): string | undefined {
  const words = summaryFault(summary)
  if (words) return `has a summary that ${words}`
  for (const [side, value] of Object.entries({ input, output, example })) {
    if (hasHiddenText(value)) return `holds invisible or direction-changing characters in its ${side}`
    if (bytesOf(value) > definition_bytes_max)
      return `has an ${side} of more than ${definition_bytes_max} bytes; say less`
    if (side !== 'example' && namesItself(value))
      return `has an ${side} schema with $id or $anchor; leave them out, it is published under a name of ours`
  }
  return undefined
}

function namesItself(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const { $id, $anchor, $dynamicAnchor } = schema as Record<string, unknown>
  if ([$id, $anchor, $dynamicAnchor].some((word) => word !== undefined && !isSchema(word))) return true
  return Object.values(schema).some(namesItself)
}

/** The name of such a property in code. */
function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
