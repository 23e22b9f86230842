// svc mcp serve: serves an engine's tools to a local program. Standard output carries only MCP messages.
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { engineOver, type ToolEngine } from '@svc/mcp/engine'
import type { McpHttpOptions } from '@svc/mcp/http'
import type { McpServerOptions } from '@svc/mcp/server'
import { offersOf, readCategories } from '@svc/mcp/tools'
import { didYouMean } from '@svc/sdk/nearest'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { harmless } from '../output/harmless-text.ts'
import { filled, refuseArguments } from '../profile.ts'
import { textFlag } from '../settings.ts'
import { engineTools } from './engine-tools.ts'
import { viewFlags } from './flags.ts'

const port_default = 8601
const transports = ['stdio', 'http', 'sse']
const loopback = '127.0.0.1'

type View = Pick<McpServerOptions, 'categories' | 'compact' | 'tools_max'>

export async function serveMcp(args: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  refuseArguments(args, 'mcp serve')
  const transport = textFlag(flags, 'transport') ?? 'stdio'
  if (!transports.includes(transport))
    throw new UsageError(
      `--transport is stdio, http or sse, not ${transport}.${didYouMean(transport, transports)}`,
    )
  if (transport === 'stdio' && flags.port !== undefined)
    throw new UsageError('--port is for http and sse; stdio has none.')
  const { categories, ...more } = viewFlags(flags)
  const view = { ...more, categories: readCategories(categories) }
  const client = openClient(flags, terminal, { 'x-svc-origin': 'mcp' })
  const engine = engineOver(client, engineTools(flags, terminal))
  const onFault = (fault: unknown) =>
    terminal.err(`svc mcp serve: ${harmless(fault instanceof Error ? fault.message : String(fault))}\n`)
  if (transport !== 'stdio') return await serveHttp(engine, { view, onFault, transport }, flags, terminal)
  const { serveOverStdio } = await import('@svc/mcp/stdio')
  await serveOverStdio(engine, { ...view, onFault, signal: terminal.signal })
  return 0
}

interface Serving {
  readonly view: View
  readonly onFault: (fault: unknown) => void
  readonly transport: string
}

async function serveHttp(
  engine: ToolEngine,
  { view, onFault, transport }: Serving,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const port = portOf(flags)
  // A wrong key or address fails now, with its exit code, before the server starts.
  const { agent_did, operations } = await engine.whoami(terminal.signal)
  const callable = offersOf(operations).filter(({ may }) => may !== 'no')
  const { createMcpHttp } = await import('@svc/mcp/http')
  const token = filled(terminal.env.SVC_MCP_TOKEN)
  const mcp = createMcpHttp({ admit: admitTo(engine, token), defaults: view, onFault })
  const server = createServer((req, res) => void mcp.handle(req, res))
  const url = await listen(server, port)
  const path = transport === 'sse' ? '/sse' : '/mcp'
  terminal.err(`${callable.length} tools as ${agent_did}; stop with Ctrl-C.\n`)
  if (token === undefined)
    terminal.err('Any program on this machine can call them as you; set SVC_MCP_TOKEN to require a token.\n')
  terminal.out(`${url}${path}\n`)
  await aborted(terminal.signal)
  await mcp.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return 0
}

function portOf(flags: Flags): number {
  const value = textFlag(flags, 'port') ?? String(port_default)
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
  throw new UsageError(`--port is a number from 0 to 65535, not ${value}.`)
}

function admitTo(engine: ToolEngine, token: string | undefined): McpHttpOptions['admit'] {
  return async (req) => {
    if (token === undefined || carries(req, token)) return { ok: true, engine, caller: 'local' }
    const message = 'Send Authorization: Bearer with the token that SVC_MCP_TOKEN was set to.'
    const body = { jsonrpc: '2.0', error: { code: -32_001, message }, id: null }
    return { ok: false, status: 401, headers: { 'www-authenticate': 'Bearer' }, body }
  }
}

function carries({ headers }: IncomingMessage, token: string): boolean {
  const digestOf = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digestOf(headers.authorization ?? ''), digestOf(`Bearer ${token}`))
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code})`
      reject(new UsageError(`Port ${port} ${why}; choose another with --port, or 0 for a free one.`))
    })
    server.listen(port, loopback, () =>
      resolve(`http://${loopback}:${(server.address() as AddressInfo).port}`),
    )
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
