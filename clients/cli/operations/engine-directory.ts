// What the engine says of its operations, plugins included: its public directory, which needs no key.
import { SvcError } from '@svc/sdk/errors'
import type { Flags, Terminal } from '../command.ts'
import { askJson, refusedBy } from '../login/ask-json.ts'
import { findSources } from '../setting-sources.ts'
import type { SchemaNode } from './schema-node.ts'

export interface OperationText {
  readonly name: string
  readonly summary: string
  readonly effect: string
  readonly level: string
  readonly capability: string
  readonly mcp_tool: string
  readonly meters: readonly string[]
  readonly refusals?: readonly string[]
  readonly example: unknown
  readonly scene_text?: readonly string[]
  readonly example_needs?: string
}

export interface ProtocolText {
  readonly id: string
  readonly version: string
  readonly versions: readonly string[]
  readonly summary: string
  readonly operations: readonly OperationText[]
  readonly tools?: readonly {
    readonly operation: string
    readonly inputSchema: SchemaNode
    readonly outputSchema: SchemaNode
  }[]
}

const protocols_max = 500
const at_once_max = 8

export interface Directory {
  /** The protocols by id, in their order. */
  ids(): Promise<string[]>
  /** The default version unless one is named; `tools` adds the schemas. */
  protocol(id: string, wish?: { version?: string | undefined; tools?: boolean }): Promise<ProtocolText>
  protocols(ids: readonly string[]): Promise<ProtocolText[]>
}

export function openDirectory(flags: Flags, terminal: Terminal): Directory {
  const api_url = addressOf(flags, terminal)
  const { fetch, signal } = terminal
  const ask = async <Body>(path: string, isBody: (body: object) => boolean): Promise<Body> => {
    const reply = await askJson(`${api_url}${path}`, { fetch, signal })
    const { status, body } = reply
    if (status === 200 && typeof body === 'object' && body !== null && isBody(body)) return body as Body
    throw refusedBy(reply, api_url)
  }
  const protocol: Directory['protocol'] = (id, { version, tools } = {}) => {
    const query = new URLSearchParams({ ...(version && { version }), ...(tools && { with: 'tools' }) })
    const path = `/v1/protocols/${encodeURIComponent(id)}${query.size > 0 ? `?${query}` : ''}`
    return ask<ProtocolText>(path, (body) => 'operations' in body && Array.isArray(body.operations))
  }
  return {
    async ids() {
      const isList = (body: object) => 'protocols' in body && Array.isArray(body.protocols)
      const { protocols } = await ask<{ protocols: { id: string }[] }>('/v1/protocols', isList)
      return protocols.slice(0, protocols_max).map(({ id }) => id)
    },
    protocol,
    async protocols(ids) {
      const texts: ProtocolText[] = []
      for (let i = 0; i < ids.length; i += at_once_max)
        texts.push(...(await Promise.all(ids.slice(i, i + at_once_max).map((id) => protocol(id)))))
      return texts
    },
  }
}

/** Only the address is needed: the directory answers without a key. */
function addressOf(flags: Flags, terminal: Terminal): string {
  const address = findSources(flags, terminal).api_url?.value
  if (address !== undefined) return address.endsWith('/') ? address.slice(0, -1) : address
  throw new SvcError({
    code: 'not_configured',
    message: 'There is no engine to ask: give --api-url, or set SVC_API_URL.',
    reason: 'not configured',
  })
}

export interface DescribedOperation extends OperationText {
  readonly protocol: string
  readonly version: string
  readonly input_schema: SchemaNode
  readonly output_schema: SchemaNode
}

/** Undefined if the protocol has no such operation in this version; names are case-insensitive. */
export async function describeOperation(
  directory: Directory,
  { protocol, operation, version }: { protocol: string; operation: string; version?: string | undefined },
): Promise<DescribedOperation | undefined> {
  const text = await directory.protocol(protocol, { version, tools: true })
  const facts = text.operations.find(({ name }) => name.toLowerCase() === operation.toLowerCase())
  if (!facts) return undefined
  const tool = text.tools?.find((each) => each.operation === facts.name)
  return {
    ...facts,
    protocol: text.id,
    version: text.version,
    input_schema: tool?.inputSchema ?? {},
    output_schema: tool?.outputSchema ?? {},
  }
}
