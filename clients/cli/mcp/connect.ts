// svc mcp connect: adds svc to the settings of an MCP client. No secret is written: svc uses its own settings.
import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { didYouMean } from '@svc/sdk/nearest'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { profileOf } from '../profile.ts'
import { findSources } from '../setting-sources.ts'
import { textFlag } from '../settings.ts'
import { mergeServer, readClientFile, writeClientFile } from './client-file.ts'
import { viewFlags } from './flags.ts'

interface ClientProgram {
  readonly title: string
  /** The file of its servers, and their key in it. */
  readonly key: 'mcpServers' | 'servers'
  path(place: Place): string
  /** A project file is shared, so it contains no local paths. */
  readonly is_of_project: boolean
  /** How its file names a remote address; undefined if only its settings dialog can. */
  remote?(url: string): object
  /** Fields it needs for a program it starts. */
  readonly started_as?: object
}

interface Place {
  readonly home: string
  readonly dir: string
  readonly env: Terminal['env']
  readonly platform: NodeJS.Platform
}

const programs: Readonly<Record<string, ClientProgram>> = {
  claude: {
    title: 'Claude Desktop',
    key: 'mcpServers',
    path: (place) => join(applicationFolder(place), 'Claude', 'claude_desktop_config.json'),
    is_of_project: false,
  },
  'claude-code': {
    title: 'Claude Code',
    key: 'mcpServers',
    path: ({ dir }) => join(dir, '.mcp.json'),
    is_of_project: true,
    remote: (url) => ({ type: 'http', url }),
    started_as: { type: 'stdio' },
  },
  cursor: {
    title: 'Cursor',
    key: 'mcpServers',
    path: ({ home }) => join(home, '.cursor', 'mcp.json'),
    is_of_project: false,
    remote: (url) => ({ url }),
  },
  vscode: {
    title: 'VS Code',
    key: 'servers',
    path: ({ dir }) => join(dir, '.vscode', 'mcp.json'),
    is_of_project: true,
    remote: (url) => ({ type: 'http', url }),
    started_as: { type: 'stdio' },
  },
}

function applicationFolder({ home, env, platform }: Place): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA ?? join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

export async function connectMcp(args: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const program = programOf(args)
  const format = formatOf(flags, 'human')
  const dir = resolve(textFlag(flags, 'dir') ?? '.')
  if (textFlag(flags, 'dir') !== undefined && !program.is_of_project)
    throw new UsageError(`${program.title} has its settings in your home directory; remove --dir.`)
  const { home, env } = terminal
  const path = program.path({ home, dir, env, platform: process.platform })
  const entry = entryFor(program, flags, terminal)
  const profile = profileOf(flags, terminal)
  const name = profile === undefined ? 'svc' : `svc-${profile}`
  const snippet = JSON.stringify({ [program.key]: { [name]: entry } }, null, 2)
  if (flags.print) {
    terminal.err(`This goes into ${harmless(path)}:\n`)
    terminal.out(`${snippet}\n`)
    return 0
  }
  const before = await readClientFile(path, snippet)
  const merged = mergeServer(before, program.key, name, entry, path)
  const is_changed = merged.text !== before.text
  const backup = is_changed ? await writeClientFile(path, merged.text, before) : undefined
  if (format !== 'human')
    await printValue({ file: path, server: name, changed: is_changed }, format, terminal)
  else if (!is_changed) terminal.out(`${harmless(path)} is already up to date.\n`)
  else terminal.out(`${merged.replaced ? 'Replaced' : 'Wrote'} ${name} in ${harmless(path)}.\n`)
  if (backup !== undefined) terminal.err(`The previous file was saved as ${harmless(backup)}.\n`)
  terminal.err(`${afterwards(program, flags, terminal)}\n`)
  return 0
}

function programOf([name, ...more]: readonly string[]): ClientProgram {
  const names = Object.keys(programs)
  const hint = 'For example: svc mcp connect cursor'
  if (name === undefined) throw new UsageError(`svc mcp connect needs a client: ${names.join(', ')}.`, hint)
  if (more.length > 0) throw new UsageError(`svc mcp connect takes one client; ${more[0]} is one too many.`)
  if (Object.hasOwn(programs, name)) return programs[name]!
  throw new UsageError(`Unknown client ${name}; use ${names.join(', ')}.${didYouMean(name, names)}`, hint)
}

function entryFor(program: ClientProgram, flags: Flags, terminal: Terminal): object {
  const remote = textFlag(flags, 'remote')
  if (textFlag(flags, 'api-key') !== undefined)
    throw new UsageError(
      'svc does not write keys into the settings of other programs; use svc login instead.',
    )
  const view = viewFlags(flags)
  const query = new URLSearchParams([
    ...view.categories.map((category) => ['category', category]),
    ...(view.compact ? [['compact', 'true']] : []),
    ...(view.tools_max === undefined ? [] : [['tools_max', String(view.tools_max)]]),
  ])
  if (remote !== undefined) return remoteEntry(program, remote, query)
  const connection_flags = ['profile', 'api-url', 'agent-did', 'tenant-id'].flatMap((name) => {
    const value = name === 'profile' ? profileOf(flags, terminal) : textFlag(flags, name)
    return value === undefined ? [] : [`--${name}`, value]
  })
  const query_flags = [...query].flatMap(([name, value]) =>
    name === 'compact' ? ['--compact'] : [`--${name.replace('_', '-')}`, value],
  )
  const [command, ...script] = program.is_of_project ? ['svc'] : thisProgram()
  return {
    ...program.started_as,
    command,
    args: [...script, 'mcp', 'serve', ...connection_flags, ...query_flags],
  }
}

/** Full paths, because a program started by a graphical session lacks the shell's PATH. */
function thisProgram(): string[] {
  return [process.execPath, realpathSync(process.argv[1]!)]
}

function remoteEntry(program: ClientProgram, remote: string, query: URLSearchParams): object {
  if (!program.remote)
    throw new UsageError(
      `${program.title} accepts addresses only in its own settings dialog; add ${remote} there as a connector.`,
      'Without --remote, svc writes its file and runs on this machine.',
    )
  const url = URL.parse(remote)
  const is_plain = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!is_plain || url.username || url.password)
    throw new UsageError(
      `--remote is an http or https address such as https://svc.example/mcp, not ${remote}.`,
    )
  for (const [name, value] of query) url.searchParams.append(name, value)
  return program.remote(url.href)
}

function afterwards({ title }: ClientProgram, flags: Flags, terminal: Terminal): string {
  const restart = `Restart ${title} to see the tools.`
  if (textFlag(flags, 'remote') !== undefined) return `${restart} It will ask you to sign in.`
  const { api_key } = findSources(flags, terminal)
  if (api_key === undefined) return `${restart} You are not signed in yet: run svc login first.`
  if (api_key.source === 'SVC_API_KEY')
    return `${restart} Your key is only in SVC_API_KEY, which ${title} may not see; svc login stores one in a file.`
  return restart
}
