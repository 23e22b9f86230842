// Tools of outside servers, as handlers use them. A tool's description and answers are untrusted data.
import { contentHash } from '../signing/canonical-json.ts'

/** A server registered by a tenant. */
export interface ToolServer {
  readonly tenant_id: string
  readonly id: string
  readonly transport: 'http' | 'stdio' | 'a2a'
  /** Where it speaks MCP, or of its agent card. */
  readonly url?: string | undefined
  readonly command_ref?: string | undefined
  readonly headers_secret_ref?: string | undefined
}

/** A server's description of a tool: exactly these fields are pinned. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, unknown>>
}

export interface ToolAnswer {
  /** Content blocks of MCP. */
  readonly content: readonly Readonly<Record<string, unknown>>[]
  readonly structured?: unknown
  /** The tool ran and reports failure. */
  readonly is_error: boolean
}

export interface ToolWait {
  readonly timeout_ms: number
  readonly signal: AbortSignal
}

export interface ToolCall extends ToolWait {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Progress from 0 to 1, where the tool reports it. */
  onProgress?(fraction: number | undefined): void
}

/** Failures are refusals whose `performed` says whether the call may have run: `no` or `unknown`. */
export interface Tools {
  /** Why the operator's settings forbid this tenant such a server; undefined where they allow it. */
  refusalOf(server: ToolServer): string | undefined
  /** Its current tools, at most a minute old; `is_fresh` queries it again. */
  list(
    server: ToolServer,
    wait: ToolWait & { readonly is_fresh?: boolean },
  ): Promise<readonly ToolDefinition[]>
  call(server: ToolServer, call: ToolCall): Promise<ToolAnswer>
  /** Closes the connection, if any; the next use opens another. */
  disconnect(server: ToolServer): Promise<void>
  /** Starts a timer; returns whole milliseconds since. */
  stopwatch(): () => number
}

/** Headers the operator stores, and where they may be sent. */
export interface ToolSecret {
  readonly headers: Readonly<Record<string, string>>
  readonly hosts: readonly string[]
  /** Tenants that may name it; all where absent. */
  readonly tenants?: readonly string[]
}

/** By name. */
export type ToolSecrets = ReadonlyMap<string, ToolSecret>

/** `sha256:` of the pinned fields. Any change makes it another tool. */
export function toolHash({
  name,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ToolDefinition): string {
  return contentHash({
    name,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  })
}
