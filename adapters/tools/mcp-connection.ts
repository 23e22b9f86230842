// One client of one server: connected once, listed now and then, called, and closed. Loaded on first use: an engine
// without tools need not load it.
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type Tool,
} from '@modelcontextprotocol/client'
import type { ToolAnswer, ToolCall, ToolDefinition, ToolServer, ToolWait } from '@svc/contract/foreign/tools'
import { asPlainData } from './plain-data.ts'
import type { ServerSettings } from './server-access.ts'
import { transportTo } from './server-transport.ts'
import { pinnable, type ToolConnection, tools_max } from './tool-connection.ts'
import { ToolFault } from './tool-failure.ts'

const connect_ms_max = 15_000
const list_pages_max = 16
const client_info = { name: 'svc-engine', version: '1' }

/** The caller validates answers, within a time limit: compiling a foreign schema here would have none. */
const unchecked = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) }

export interface Opening {
  readonly server: ToolServer
  readonly settings: ServerSettings
  onListChanged(): void
  onClose(): void
}

/** Throws only ToolFault, as do all requests of the connection. */
export async function openConnection(opening: Opening): Promise<ToolConnection> {
  try {
    return await connect(opening, 'legacy')
  } catch (error) {
    if (!isAnswer(error)) throw asFault(error)
    // Most servers speak the older handshake; one that answers it with an error gets the newer one.
    return await connect(opening, 'auto').catch((again) => {
      throw asFault(again)
    })
  }
}

function isAnswer(error: unknown): boolean {
  if (ProtocolError.isInstance(error)) return true
  return SdkError.isInstance(error) && (error.data as { status?: unknown } | undefined)?.status === 400
}

/** Answers that say the tool was never run. */
const not_run: readonly number[] = [ProtocolErrorCode.InvalidParams, ProtocolErrorCode.MethodNotFound]

function asFault(error: unknown): ToolFault {
  if (ProtocolError.isInstance(error)) {
    const performed = not_run.includes(error.code) ? 'no' : 'unknown'
    return new ToolFault('answered', `it answered with the JSON-RPC error ${error.code}`, performed, error)
  }
  if (SdkError.isInstance(error)) {
    const kind = error.code === SdkErrorCode.RequestTimeout ? 'late' : 'broken'
    return new ToolFault(kind, error.code.toLowerCase().replaceAll('_', ' '), 'unknown', error)
  }
  if (error instanceof RangeError)
    return new ToolFault('answered', `its answer cannot be read: ${error.message}`, 'unknown', error)
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const fault = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'no connection'
  return new ToolFault('broken', fault, 'unknown', error)
}

async function connect(opening: Opening, mode: 'legacy' | 'auto'): Promise<ToolConnection> {
  const { server, settings, onListChanged, onClose } = opening
  const client = new Client(client_info, {
    capabilities: {},
    jsonSchemaValidator: unchecked as never,
    listMaxPages: list_pages_max,
    inputRequired: { autoFulfill: false },
    versionNegotiation: { mode, probe: { timeoutMs: connect_ms_max } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onListChanged } },
  })
  const line = transportTo(server, settings)
  let is_closed = false
  client.onclose = () => {
    is_closed = true
    onClose()
  }
  // Faults without a request of ours, such as an invalid line, end nothing.
  client.onerror = () => {}
  const close = async () => {
    is_closed = true
    await client.close().catch(() => {})
    await line.close().catch(() => {})
  }
  try {
    await client.connect(line, { timeout: connect_ms_max, maxTotalTimeout: connect_ms_max })
  } catch (error) {
    await close()
    throw error
  }
  return {
    list: (wait) => listTools(client, wait).catch(raise),
    call: (call) => callTool(client, call).catch(raise),
    get is_closed() {
      return is_closed
    },
    close,
  }
}

function raise(error: unknown): never {
  throw asFault(error)
}

async function listTools(client: Client, { timeout_ms, signal }: ToolWait): Promise<ToolDefinition[]> {
  const { tools } = await client.listTools(undefined, {
    timeout: timeout_ms,
    maxTotalTimeout: timeout_ms,
    signal,
    cacheMode: 'bypass',
  })
  const definitions = new Map<string, ToolDefinition>()
  for (const tool of tools.slice(0, tools_max)) {
    const definition = definitionOf(tool)
    if (definition && !definitions.has(definition.name)) definitions.set(definition.name, definition)
  }
  return [...definitions.values()]
}

/** Undefined if it cannot be named or pinned: then it is not offered. */
function definitionOf({ name, description = '', inputSchema, outputSchema, annotations }: Tool) {
  const definition = {
    name,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  } as ToolDefinition
  return pinnable(definition)
}

async function callTool(client: Client, call: ToolCall): Promise<ToolAnswer> {
  const { name, arguments: tool_arguments, timeout_ms, signal, onProgress } = call
  const { content, structuredContent, isError } = await client.callTool(
    { name, arguments: { ...tool_arguments } },
    {
      timeout: timeout_ms,
      maxTotalTimeout: timeout_ms,
      signal,
      ...(onProgress && {
        onprogress: ({ progress, total }) =>
          onProgress(total ? Math.min(1, Math.max(0, progress / total)) : undefined),
      }),
    },
  )
  return {
    content: asPlainData(content) as ToolAnswer['content'],
    ...(structuredContent === undefined ? {} : { structured: asPlainData(structuredContent) }),
    is_error: isError === true,
  }
}
