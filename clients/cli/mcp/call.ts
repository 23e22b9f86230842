// svc mcp call: svc invoke by a tool's name, in the version svc mcp list shows, and a record that says it came by MCP.
import { toolName } from '@svc/mcp/tools'
import { SvcError } from '@svc/sdk/errors'
import type { Flags, Terminal } from '../command.ts'
import { invokeOperation, type Shown } from '../commands/invoke.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { engineTools } from './engine-tools.ts'

const hint = `For example: svc mcp call svc.max.audit_query --input '{"after_seq": 0, "limit": 1}'`
const server_tools = ['svc.search_tools', 'svc.call_tool']

export async function callMcpTool(
  args: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const [tool, ...more] = args
  if (tool === undefined) throw new UsageError('svc mcp call needs the name of a tool.', hint)
  if (more.length > 0)
    throw new UsageError(`svc mcp call takes one tool; there is no place for ${more[0]}.`, hint)
  if (server_tools.includes(tool))
    throw new UsageError(
      `${tool} is for MCP clients; here svc mcp list finds tools, and svc mcp call calls them.`,
    )
  if (!/^svc\.[^.]+\../i.test(tool))
    throw new UsageError(`${tool} is no name of a tool; they are called svc.<protocol>.<operation>.`, hint)
  const by_mcp = comingByMcp(terminal)
  const shown = flags.version === undefined ? await shownAs(tool, flags, by_mcp) : undefined
  return await invokeOperation([tool], flags, by_mcp, shown)
}

/** Undefined where the engine says nothing of it: then the call itself is told why. */
async function shownAs(tool: string, flags: Flags, terminal: Terminal): Promise<Shown | undefined> {
  try {
    const { operations } = await openClient(flags, terminal).whoami({ signal: terminal.signal, retry: false })
    const candidates = operations.filter(
      (each) => toolName(each.protocol, each.operation) === tool.toLowerCase(),
    )
    const [row] = (await engineTools(flags, terminal).of(candidates, terminal.signal)).filter(
      ({ name, version }) => name === tool.toLowerCase() && version === candidates[0]?.version,
    )
    const version = candidates[0]?.version
    return version === undefined ? undefined : { version, ...(row ? { input_schema: row.inputSchema } : {}) }
  } catch (thrown) {
    if (thrown instanceof SvcError) return undefined
    throw thrown
  }
}

/** A label only: the engine writes it into the record and gives nothing for it. */
function comingByMcp(terminal: Terminal): Terminal {
  const fetch: typeof globalThis.fetch = (input, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('x-svc-origin', 'mcp')
    return terminal.fetch(input, { ...init, headers })
  }
  return Object.create(terminal, { fetch: { value: fetch, enumerable: true } })
}
