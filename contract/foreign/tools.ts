// Tools of servers outside, as a handler may use them. What a tool says of itself, and what it answers, is data and nothing more.
import { contentHash } from '../signing/canonical-json.ts'

/** A server as a tenant registered it. */
export interface ToolServer {
  readonly tenant_id: string
  readonly id: string
  readonly transport: 'http' | 'stdio'
  readonly url?: string | undefined
  readonly command_ref?: string | undefined
  readonly headers_secret_ref?: string | undefined
}

/** What a server says of a tool: these fields and no other are pinned. */
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
  /** The tool ran, and says that it failed. */
  readonly is_error: boolean
}

export interface ToolWait {
  readonly timeout_ms: number
  readonly signal: AbortSignal
}

export interface ToolCall extends ToolWait {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** A share of the way, 0 to 1, where the tool tells. */
  onProgress?(fraction: number | undefined): void
}

/** Failures arrive as refusals that say in `performed` whether the call may have been carried out: `no` or `unknown`. */
export interface Tools {
  /** Why the operator's settings do not let this tenant use such a server; undefined where they do. */
  refusalOf(server: ToolServer): string | undefined
  /** What it offers now, or did a minute ago at most; `is_fresh` asks it again. */
  list(
    server: ToolServer,
    wait: ToolWait & { readonly is_fresh?: boolean },
  ): Promise<readonly ToolDefinition[]>
  call(server: ToolServer, call: ToolCall): Promise<ToolAnswer>
  /** Ends the connection, where there is one: the next use makes another. */
  disconnect(server: ToolServer): Promise<void>
  /** Started now; answers whole milliseconds since. */
  stopwatch(): () => number
}

/** Headers that the operator keeps, and where they may go. */
export interface ToolSecret {
  readonly headers: Readonly<Record<string, string>>
  readonly hosts: readonly string[]
  /** Who may name it; everybody where this is absent. */
  readonly tenants?: readonly string[]
}

/** By name. */
export type ToolSecrets = ReadonlyMap<string, ToolSecret>

/** `sha256:` of what is pinned. Anything a server changes of it makes another tool. */
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
