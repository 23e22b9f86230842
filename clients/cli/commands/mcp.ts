// svc mcp: list and call MCP tools, serve them to a client, or configure a client.

import { didYouMean } from '@svc/sdk/nearest'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { mcp_flags } from '../mcp/flags.ts'
import { fieldOptions } from '../operations/input-fields.ts'
import { invoke, version_default } from './invoke.ts'

type Part = (args: readonly string[], flags: Flags, terminal: Terminal) => Promise<number>

interface Listed {
  readonly flags: readonly string[]
  readonly load: () => Promise<Part>
}

const view_flags = ['category', 'compact', 'tools-max']

const parts: Readonly<Record<string, Listed>> = {
  list: {
    flags: ['category', 'all'],
    load: async () => (await import('../mcp/list.ts')).listMcpTools,
  },
  call: {
    flags: Object.keys(invoke.flags),
    load: async () => (await import('../mcp/call.ts')).callMcpTool,
  },
  serve: {
    flags: [...view_flags, 'transport', 'port'],
    load: async () => (await import('../mcp/serve.ts')).serveMcp,
  },
  connect: {
    flags: [...view_flags, 'print', 'remote', 'dir'],
    load: async () => (await import('../mcp/connect.ts')).connectMcp,
  },
}

export const mcp: Command = {
  summary: 'List and call tools, serve them to an MCP client, or write its config',
  usage: 'mcp list | call <tool> | serve | connect <client> [flags]',
  help: `Every operation is an MCP tool named svc.<protocol>.<operation>. A call of one runs through the same
stages as any other, and its record has the origin mcp.

svc mcp list                the tools you may call
  --category <name>         svc-cognitive, svc-governance, svc-commerce, svc-infrastructure, or a
                            protocol; may be given more than once
  --all                     include those you may not call, and why
  --json                    with schemas, for programs

svc mcp call <tool>         call one, with the flags of svc invoke: --input, --stream, --json, ...

svc mcp serve               serve the tools to a program on this machine, with your settings
  --transport <name>        stdio (the default), http, or sse for older clients
  --port <n>                of http and sse, on 127.0.0.1 only (8601; 0 takes a free one)
  --category, --compact     serve only some; list at most 128, the rest by search
  --tools-max <n>           list at most n (2 to 128)

svc mcp connect <client>    write svc into the settings of claude, claude-code, cursor or vscode
  --print                   only show what would be written
  --remote <url>            connect to an engine's own MCP address; the client signs in by itself
  --dir <folder>            the project of claude-code and vscode (the current folder)

With SVC_MCP_TOKEN set, svc mcp serve asks its http and sse clients for that bearer token.

Examples
  svc mcp list --category svc-infrastructure
  svc mcp call svc.max.audit_query --input '{"after_seq": 0, "limit": 1}'
  svc mcp connect cursor --profile work`,
  flags: { ...invoke.flags, ...mcp_flags },
  flagsFor: (words, terminal) =>
    fieldOptions({ words, own: mcp.flags, behind: 'call', version_default }, terminal),
  async run([name, ...args], flags, terminal) {
    const part = name !== undefined && Object.hasOwn(parts, name) ? parts[name] : undefined
    if (!part) throw unknownPart(name)
    refuseForeignFlags(`mcp ${name}`, part, flags)
    return await (await part.load())(args, flags, terminal)
  },
}

function unknownPart(name: string | undefined): UsageError {
  const hint = 'svc mcp --help shows what each does.'
  if (name === undefined)
    return new UsageError('svc mcp needs a subcommand: list, call, serve or connect.', hint)
  return new UsageError(`svc mcp has no ${name}.${didYouMean(name, Object.keys(parts))}`, hint)
}

/** A flag of another subcommand is rejected rather than ignored. */
function refuseForeignFlags(command: string, { flags: taken }: Listed, given_flags: Flags): void {
  const mcp_flags = new Set(Object.keys(mcp.flags))
  const foreign = Object.keys(given_flags).find((name) => mcp_flags.has(name) && !taken.includes(name))
  if (foreign !== undefined)
    throw new UsageError(
      `svc ${command} has no flag --${foreign}.`,
      'svc mcp --help lists the flags of each.',
    )
}
