// The real process as a terminal.
import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { readBounded } from './calls/read-bounded.ts'
import type { Terminal } from './command.ts'

const columns_default = 80

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  const stopping = new AbortController()
  // The second Ctrl-C ends the process at once.
  process.once('SIGINT', () => stopping.abort(new Error('stopped by Ctrl-C')))
  endWithReader(stdout)
  // The reader is gone; the command still completes.
  stderr.on('error', () => undefined)
  return {
    env: process.env,
    home: homedir(),
    stdout_is_tty: stdout.isTTY ?? false,
    stderr_is_tty: stderr.isTTY ?? false,
    stdin_is_tty: stdin.isTTY ?? false,
    columns: stdout.columns ?? stderr.columns ?? columns_default,
    fetch: globalThis.fetch,
    signal: stopping.signal,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    readStdin: () => readBounded(stdin, 'standard input', stopping.signal),
    openBrowser,
  }
}

/** `svc ... | head`: a closed pipe is not an error. */
function endWithReader(stdout: NodeJS.WriteStream): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
}

function openBrowser(url: string): Promise<boolean> {
  const [command, ...args] = openers[process.platform] ?? []
  if (!command) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
