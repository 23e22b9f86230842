// The interface of a command and its environment, so that tests can run commands without a process.
import type { ParseArgsOptionsConfig } from 'node:util'

/** Flags of every command. */
export const common_flags = {
  profile: { type: 'string' },
  output: { type: 'string', short: 'o' },
  // `--json=seq,outcome` selects fields: see output/select-fields.ts.
  json: { type: 'boolean' },
  verbose: { type: 'boolean', short: 'v' },
  'api-url': { type: 'string' },
  'api-key': { type: 'string' },
  'agent-did': { type: 'string' },
  'tenant-id': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig

export type Flags = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

export interface Command {
  /** One line for the list of commands. */
  readonly summary: string
  /** The usage after `svc`, such as `invoke <PROTOCOL> <operation> [flags]`. */
  readonly usage: string
  /** The rest of its help page: flags, examples. Plain text, at most 100 columns. */
  readonly help: string
  readonly flags: ParseArgsOptionsConfig
  /** Further flags, which depend on its arguments: the fields of an operation. */
  flagsFor?(words: readonly string[], terminal: Terminal): Promise<ParseArgsOptionsConfig>
  /** The help page for these arguments; undefined for that of the command. */
  helpFor?(args: readonly string[], flags: Flags, terminal: Terminal): Promise<string | undefined>
  /** Returns the exit code. Errors are printed and mapped to one: see exit.ts. */
  run(args: readonly string[], flags: Flags, terminal: Terminal): Promise<number>
}

/** The process around a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** True on a terminal (tables and colour), false in a pipe. */
  readonly stdout_is_tty: boolean
  readonly stderr_is_tty: boolean
  readonly stdin_is_tty: boolean
  readonly columns: number
  readonly fetch: typeof globalThis.fetch
  /** The paths of `--json=<fields>`; undefined selects everything. */
  readonly json_fields?: readonly string[]
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Standard output, for programs. */
  out(text: string): void
  /** Standard error, for people: progress, hints, errors. */
  err(text: string): void
  readStdin(): Promise<string>
  /** False if no browser could be started. */
  openBrowser(url: string): Promise<boolean>
}
