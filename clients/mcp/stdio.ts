// MCP over standard input and output, for the program that started this one. Nothing else may be written to `output`.
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ToolEngine } from './engine.ts'
import { type McpServerOptions, mcpServer } from './server.ts'

/** A call may bring 6 MiB; what is larger than this ends the connection before it is gathered. */
const message_bytes_max = 8 * 1024 * 1024

export interface StdioOptions extends McpServerOptions {
  readonly input?: Readable
  readonly output?: Writable
  /** Ends it; so does the end of the input. */
  readonly signal?: AbortSignal
}

/** Resolves when the other side has left. */
export async function serveOverStdio(engine: ToolEngine, options: StdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout, signal, ...server } = options
  if (signal?.aborted) return
  const transport = new StdioServerTransport(input, output, { maxBufferSize: message_bytes_max })
  const { onFault = () => undefined } = server
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const close = transport.close.bind(transport)
  // The library keeps `onclose` for itself, so the end is seen where it begins.
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
