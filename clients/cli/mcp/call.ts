// svc mcp call: svc invoke by a tool's name, in the version svc mcp list shows, recorded with the origin mcp.
import { toolName } from '@svc/mcp/tools'
import { SvcError } from '@svc/sdk/errors'
import type { Flags, Terminal } from '../command.ts'
import { invoke, invokeOperation, type Shown } from '../commands/invoke.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { engineTools } from './engine-tools.ts'
import { mcp_flags } from './flags.ts'

const hint = `For example: svc mcp call svc.max.audit_query --input '{"after_seq": 0, "limit": 1}'`
const server_tools = ['svc.search_tools', 'svc.call_tool']

export async function callMcpTool(
  args: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const [tool, ...more] = args
  if (tool === undefined) throw new UsageError('svc mcp call needs the name of a tool.', hint)
  if (more.length > 0) throw new UsageError(`svc mcp call takes one tool; ${more[0]} is one too many.`, hint)
  if (server_tools.includes(tool))
    throw new UsageError(
      `${tool} is for MCP clients; use svc mcp list to find tools and svc mcp call to call them.`,
    )
  if (!/^svc\.[^.]+\../i.test(tool))
    throw new UsageError(`${tool} is not a tool name; tools are named svc.<protocol>.<operation>.`, hint)
  const by_mcp = comingByMcp(terminal)
  const shown = flags.version === undefined ? await shownAs(tool, flags, by_mcp) : undefined
  return await invokeOperation([tool], flags, by_mcp, { shown, own_flags: { ...invoke.flags, ...mcp_flags } })
}

/** Undefined if the engine does not describe it: then the call itself is refused with the reason. */
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

/** Only a label in the record; it grants nothing. */
function comingByMcp(terminal: Terminal): Terminal {
  const fetch: typeof globalThis.fetch = (input, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('x-svc-origin', 'mcp')
    return terminal.fetch(input, { ...init, headers })
  }
  return Object.create(terminal, { fetch: { value: fetch, enumerable: true } })
}
