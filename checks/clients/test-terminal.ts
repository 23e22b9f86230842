// A terminal without a process: output is collected as text, and input comes from the test.
import type { Terminal } from '../../clients/cli/command.ts'

export interface TestTerminalOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Where `.svc/config.json` is looked for; by default a missing folder. */
  readonly home?: string
  /** Piped input; without it standard input is a terminal, and reading it fails the test. */
  readonly stdin?: string
  /** Whether standard output and standard error are terminals. */
  readonly tty?: boolean
  readonly columns?: number
  readonly fetch?: typeof globalThis.fetch
  /** Aborted to simulate Ctrl-C. */
  readonly signal?: AbortSignal
  openBrowser?(url: string): Promise<boolean>
  /** Instead of `stdin`, to fail or to wait. */
  readStdin?(): Promise<string>
}

export interface TestTerminal extends Terminal {
  readonly stdout: string
  readonly stderr: string
}

const columns_default = 80

/** Only the test's environment: nothing of the machine leaks in. */
export function testTerminal(options: TestTerminalOptions = {}): TestTerminal {
  const { env = {}, home = '/nonexistent', stdin, tty = false, columns = columns_default } = options
  const written = { out: '', err: '' }
  return {
    env,
    home,
    stdout_is_tty: tty,
    stderr_is_tty: tty,
    stdin_is_tty: stdin === undefined && !options.readStdin,
    columns,
    fetch: options.fetch ?? globalThis.fetch,
    signal: options.signal ?? new AbortController().signal,
    out: (text) => {
      written.out += text
    },
    err: (text) => {
      written.err += text
    },
    readStdin:
      options.readStdin ??
      (() =>
        stdin === undefined
          ? Promise.reject(new Error('the test gave no standard input'))
          : Promise.resolve(stdin)),
    openBrowser: options.openBrowser ?? (() => Promise.resolve(false)),
    get stdout() {
      return written.out
    },
    get stderr() {
      return written.err
    },
  }
}

/** The settings of an engine as a client's environment. */
export function clientEnv(engine: {
  readonly api_url: string
  readonly api_key: string
  readonly agent_did: string
  readonly tenant_id: string
}): Record<string, string> {
  return {
    SVC_API_URL: engine.api_url,
    SVC_API_KEY: engine.api_key,
    SVC_AGENT_DID: engine.agent_did,
    SVC_TENANT_ID: engine.tenant_id,
  }
}
