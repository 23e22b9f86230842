// MCP over standard input and output, for the parent process. Nothing else may be written to `output`.
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ToolEngine } from './engine.ts'
import { type McpServerOptions, mcpServer } from './server.ts'

/** A call may have 6 MiB; a larger message ends the connection before it is buffered. */
const message_bytes_max = 8 * 1024 * 1024

export interface StdioOptions extends McpServerOptions {
  readonly input?: Readable
  readonly output?: Writable
  /** Ends the server, as does the end of the input. */
  readonly signal?: AbortSignal
}

/** Resolves when the other side has disconnected. */
export async function serveOverStdio(engine: ToolEngine, options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout, signal, ...server } = options
  if (signal?.aborted) return
  const transport = new StdioServerTransport(input, output, { maxBufferSize: message_bytes_max })
  const { onFault = () => undefined } = server
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const close = transport.close.bind(transport)
  // The library uses `onclose` itself, so the end is detected on the input.
  transport.close = async () => {
    await close()
    leave()
  }
  const served = serveStdio(() => mcpServer(engine, server), { transport, onerror: onFault })
  const stop = () => void served.close()
  signal?.addEventListener('abort', stop, { once: true })
  await left
  signal?.removeEventListener('abort', stop)
}
