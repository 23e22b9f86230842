// What a command is, and what it may touch. Everything comes in here, so that a test runs a command without a process.
import type { ParseArgsOptionsConfig } from 'node:util'

/** Flags every command takes, beside its own. */
export const common_flags = {
  profile: { type: 'string' },
  output: { type: 'string', short: 'o' },
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
  /** What follows `svc`, such as `invoke <PROTOCOL> <operation> [flags]`. */
  readonly usage: string
  /** The rest of its help page: flags, examples. Plain text, at most 100 columns. */
  readonly help: string
  readonly flags: ParseArgsOptionsConfig
  /** Answers the exit code. What it throws is printed and turned into one: see exit.ts. */
  run(args: readonly string[], flags: Flags, terminal: Terminal): Promise<number>
}

/** The process around a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** True where people read: tables and colour; in a pipe the output is plain. */
  readonly stdout_is_tty: boolean
  readonly stderr_is_tty: boolean
  readonly stdin_is_tty: boolean
  readonly columns: number
  readonly fetch: typeof globalThis.fetch
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** What a program reads. */
  out(text: string): void
  /** What a person reads beside it: progress, hints, errors. */
  err(text: string): void
  readStdin(): Promise<string>
  /** False where no browser could be started; the address is printed then. */
  openBrowser(url: string): Promise<boolean>
}
