// The MCP server for any transport: it lists the tools the caller may call, and calls them.
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import { SvcError } from '@svc/sdk/errors'
import { refusals } from '../../generated/sdk-operations.ts'
import { engineAdmitted } from './admission.ts'
import { type Calling, callTool, offersFor } from './call.ts'
import { type CallSlots, slotsByCaller } from './call-slots.ts'
import type { ToolEngine } from './engine.ts'
import { known_by_catalogue } from './known-tools.ts'
import { type ListOptions, listTools, pageOf } from './list.ts'
import manifest from './package.json' with { type: 'json' }
import { ownRefusal } from './results.ts'
import { categoryFault } from './search.ts'
import { isWithin } from './tools.ts'

export interface McpServerOptions extends ListOptions {
  /** Limits lists, searches and calls: see `readCategories`. */
  readonly categories?: readonly string[]
  readonly name?: string
  /** Announces list change notifications, which the owner of the server must send. */
  readonly tells_changes?: boolean
  /** Counts concurrent calls; by default those of this server. */
  readonly slots?: CallSlots
  /** Called with internal errors; the client only learns that there was one. */
  readonly onFault?: (fault: unknown) => void
}

const instructions = [
  'svc is a gateway to a set of protocols: every call is checked, limited, metered and recorded in an audit log.',
  'Tools are named svc.<protocol>.<operation>. svc.search_tools finds them by what they do, with their schemas,',
  'and explains why you may not call some.',
  'A refusal is a tool error: its first line is "<code>: <message>", then the reason, what to do, and a',
  'correlation id for the user. Do not repeat a refused call unchanged unless it says so.',
  'To repeat a write safely, send the same _meta["svc/idempotency_key"] both times.',
].join('\n')

/** One server per connection, or per request if the transport is stateless. */
export function mcpServer(engine: ToolEngine, options: McpServerOptions = {}): Server {
  const { name = 'svc', slots = slotsByCaller()('one'), onFault = () => undefined } = options
  const info = { name, title: 'svc', version: manifest.version }
  const tools = options.tells_changes ? { listChanged: true } : {}
  const server = new Server(info, { capabilities: { tools }, instructions })
  const callingOf = (context: ServerContext): Calling => {
    const admitted = engineAdmitted(context.http?.authInfo) ?? engine
    const { tools = known_by_catalogue } = admitted
    return { engine: admitted, tools, categories: options.categories ?? [], context }
  }
  server.setRequestHandler('tools/list', async ({ params }, ctx) => {
    const release = slots.take()
    if (!release) throw new ProtocolError(ProtocolErrorCode.InternalError, too_many)
    try {
      return pageAt(await listFor(callingOf(ctx).engine, options, ctx.mcpReq.signal), params?.cursor)
    } catch (thrown) {
      throw asProtocolError(thrown, onFault)
    } finally {
      release()
    }
  })
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const release = slots.take()
    if (!release) return ownRefusal('rate_limited', too_many, 'too many calls at once')
    try {
      const { result, schema } = await callTool(callingOf(ctx), params.name, params.arguments ?? {})
      return server.projectCallToolResult(result, schema)
    } catch (thrown) {
      return faultResult(thrown, ctx, onFault)
    } finally {
      release()
    }
  })
  return server
}

const too_many = 'Too many calls of yours are running at once; wait for one to end, then call again.'

export type Listing = Pick<McpServerOptions, 'categories' | 'compact' | 'tools_max'>

/** The list of a caller; also used to detect changes. */
export async function listFor(engine: ToolEngine, listing: Listing, signal?: AbortSignal): Promise<Tool[]> {
  const { tools = known_by_catalogue } = engine
  const { categories = [] } = listing
  const offers = await offersFor({ engine, tools }, signal)
  const fault = categoryFault(categories, offers)
  if (fault !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, fault)
  return listTools(
    offers.filter(({ tool }) => isWithin(tool, categories)),
    listing,
  )
}

function pageAt(tools: readonly Tool[], cursor: string | undefined) {
  const page = pageOf(tools, cursor)
  if (page) return { ...page }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The cursor is invalid; list again without it.')
}

/** A refusal keeps its message; any other error is reported without details. */
function asProtocolError(thrown: unknown, onFault: (fault: unknown) => void): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown
  const decision = decided(thrown)
  if (decision)
    return new ProtocolError(ProtocolErrorCode.InternalError, decision.message, { 'svc/error': decision })
  onFault(thrown)
  return new ProtocolError(ProtocolErrorCode.InternalError, unexplained)
}

function faultResult(
  thrown: unknown,
  { mcpReq }: ServerContext,
  onFault: (fault: unknown) => void,
): CallToolResult {
  const decision = decided(thrown)
  if (decision) return ownRefusal(decision.code, decision.message, decision.reason ?? decision.code)
  // A disconnected caller gets no answer.
  if (!mcpReq.signal.aborted) onFault(thrown)
  return ownRefusal('internal', unexplained, 'unexpected fault')
}

const unexplained =
  'The call failed because of an internal error; try again, and tell the operator if it persists.'

interface Decided {
  readonly code: string
  readonly message: string
  readonly reason: string | null
}

/** What an engine's whoami throws: a refusal, or that it is unreachable. */
function decided(thrown: unknown): Decided | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined
  const { code, message } = thrown
  const is_told = thrown instanceof SvcError || Object.hasOwn(refusals, code)
  if (!is_told || code === 'internal') return undefined
  const reason = 'reason' in thrown && typeof thrown.reason === 'string' ? thrown.reason : null
  return { code, message, reason }
}
