// What svc-engine <command> --help says before its settings: usage, summary and options. `admin` and `plugin` have help of their own.

interface CommandHelp {
  readonly args: string
  readonly summary: string
  /** Each option that stands in `args`, with what it does. */
  readonly options?: readonly (readonly [option: string, meaning: string])[]
  readonly note?: string
  /** It is configured by the environment, which its help lists. */
  readonly has_settings?: boolean
}

const data_dir = ['--data-dir D', 'the folder of svc-engine up, if SVC_DB_URL is not set (.svc)'] as const

export const command_help: Readonly<Record<string, CommandHelp>> = {
  up: {
    args: '[--json] [--port N] [--host A] [--data-dir D] [--config F] [--demo]',
    summary: 'everything in one process, for development',
    options: [
      ['--json', 'addresses and keys as a line of JSON, when it is up'],
      ['--port N', 'port of the engine; console, MCP and metrics use the next three'],
      ['', '(8080, 3000, 8601 and 9091)'],
      ['--host A', 'listen on this IP address, such as 0.0.0.0 in a container (127.0.0.1)'],
      ['--data-dir D', 'where database, keys and audit log are kept (.svc; with --demo .svc-demo)'],
      [
        '--config F',
        'bring the engine to what this file says, as svc-engine apply --yes does, at each start',
      ],
      ['--demo', 'fill the folder with three invented organizations and a month of their calls, once'],
    ],
    has_settings: true,
  },
  serve: {
    args: '[--workers N|auto]',
    summary: 'production; settings come from the environment',
    options: [
      [
        '--workers N|auto',
        'so many processes share the port; auto: one for each core. Without it: one process',
      ],
    ],
    has_settings: true,
  },
  gateway: {
    args: '[--new-key F]',
    summary: 'TLS in front of an engine; --new-key creates its signing key',
    options: [['--new-key F', 'write a new key to F, print the DID that engines have to trust, and exit']],
    has_settings: true,
  },
  console: {
    args: '',
    summary: 'the web console in front of an engine or a gateway (SVC_API_URL)',
    has_settings: true,
  },
  node: {
    args: '<oas|arsenal|aegis> [--port N] [--data-dir D]',
    summary: 'one bundled node as a separate program',
    options: [['--port N', 'the port it listens on'], data_dir],
    has_settings: true,
  },
  verify: {
    args: '<export> [--key K] [--checkpoint F] [--witness-key K] [--witnesses-needed N] [--json]',
    summary: 'check an audit log offline: 0 verified, 8 consistent only, 1 invalid',
    options: [
      ['--key K', 'a public key you trust for this log, base64url; may be repeated'],
      ['', '(svc-engine admin audit key <tenant> prints it)'],
      ['--checkpoint F', 'a signed note kept earlier; may be repeated'],
      ['--witness-key K', 'a witness you trust, as name+id+key; may be repeated'],
      ['--witnesses-needed N', 'how many of them must have cosigned the log'],
      ['--json', 'the verdict as JSON'],
    ],
    note: 'The export is made by svc-engine admin export <tenant>, or svc audit export.',
  },
  admin: {
    args: '<command>',
    summary: 'tenants, people, identities, keys, doctor (svc-engine admin --help)',
  },
  apply: {
    args: '<config.yaml> [--dry-run] [--yes] [--prune] [--json] [--secrets F] [--data-dir D]',
    summary: 'brings tenants, people, protocols and witnesses to what a file says',
    options: [
      ['--dry-run', 'only the plan; exit code 2 where it has changes'],
      ['--yes', 'apply without asking'],
      ['--prune', 'also remove what the file does not name'],
      ['--json', 'the plan as JSON lines'],
      ['--secrets F', 'a new file for keys and links that are shown once'],
      data_dir,
    ],
    note: 'docs/config-as-code.md shows the file.',
  },
  plugin: { args: '<command>', summary: 'write, build, sign and install plugins (svc-engine plugin --help)' },
}

export const main_help = `svc-engine: a gateway for calls between companies' AI agents.

${Object.keys(command_help).map(usageOf).join('')}
svc-engine <command> --help lists the options and settings of a command; docs/settings.md lists all settings.
`

export function pageOf(name: string): string {
  const { options = [], note } = command_help[name]!
  const width = Math.max(...options.map(([option]) => option.length))
  const lines = options.map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}\n`)
  return [usageOf(name), lines.join(''), note ? `  ${note}\n` : ''].filter(Boolean).join('\n')
}

function usageOf(name: string): string {
  const { args, summary } = command_help[name]!
  const line = `  svc-engine ${name} ${args}`
  return line.length < 52 ? `${line.padEnd(52)} ${summary}\n` : `${line}\n${' '.repeat(53)}${summary}\n`
}
