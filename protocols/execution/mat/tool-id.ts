// Tool ids: by the server that offers the tool, or by operation.
import type { ToolServer } from '@svc/contract/foreign/tools'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Type } from 'typebox'

export const server_id_pattern = '[a-z][a-z0-9_-]{0,63}'
export const tool_name_pattern = '[A-Za-z0-9_.-]{1,128}'
const operation_pattern = '[a-z]{2,32}\\.[a-z][a-z0-9_]{0,63}(\\.[a-z][a-z0-9_]{0,63}){0,3}'

const tool_id_pattern = `^((?:mcp|a2a):${server_id_pattern}/(${tool_name_pattern}|\\*)|svc:${operation_pattern}|own:${tool_name_pattern}|http:[a-z0-9_-]{1,64})$`
const tool_id_form = new RegExp(tool_id_pattern)

export const ToolId = Type.String({
  maxLength: 200,
  pattern: tool_id_pattern,
  description:
    'mcp:<server>/<tool> of a registered server, a2a:<server>/<skill> of a registered A2A agent, svc:<protocol>.<operation>, or own:<name> of a function that its caller runs itself. mcp:<server>/* is a whole server, and can only be disabled.',
})

/** How the server of a tool is spoken to. */
export type ServerScheme = 'mcp' | 'a2a'

export type NamedTool =
  | { readonly kind: ServerScheme; readonly server_id: string; readonly name: string }
  | { readonly kind: 'svc'; readonly protocol: string; readonly operation: string }

export function isToolId(text: string): boolean {
  return tool_id_form.test(text)
}

export function schemeOf({ transport }: Pick<ToolServer, 'transport'>): ServerScheme {
  return transport === 'a2a' ? 'a2a' : 'mcp'
}

export function serverToolId(server: Pick<ToolServer, 'id' | 'transport'>, name: string): string {
  return `${schemeOf(server)}:${server.id}/${name}`
}

export function svcToolId(protocol: string, operation: string): string {
  return `svc:${protocol.toLowerCase()}.${operation}`
}

export function ownToolId(name: string): string {
  return `own:${name}`
}

/** For an id of the form above. */
export function readToolId(tool_id: string): NamedTool {
  const [scheme, rest = ''] = [
    tool_id.slice(0, tool_id.indexOf(':')),
    tool_id.slice(tool_id.indexOf(':') + 1),
  ]
  if (scheme === 'http') throw noHttpTools(tool_id)
  if (scheme === 'own') throw runsElsewhere(tool_id)
  if (scheme === 'mcp' || scheme === 'a2a') {
    const slash = rest.indexOf('/')
    return { kind: scheme, server_id: rest.slice(0, slash), name: rest.slice(slash + 1) }
  }
  const dot = rest.indexOf('.')
  return { kind: 'svc', protocol: rest.slice(0, dot).toUpperCase(), operation: rest.slice(dot + 1) }
}

/** Registrations have no schemas for such tools; the registry of external services has. */
function noHttpTools(tool_id: string): Refusal {
  return refuse(
    'policy_denied',
    `${tool_id} cannot be used: a plain HTTP service is no tool here; register it as an external protocol and use svc:<protocol>.<operation>.`,
    { reason: 'http tools not supported' },
  )
}

function runsElsewhere(tool_id: string): Refusal {
  return refuse(
    'policy_denied',
    `${tool_id} runs in its caller's own process, so the engine cannot run it; begin it with begin_call, run it, and end it with end_call.`,
    { reason: 'own tool', performed: 'no' },
  )
}
