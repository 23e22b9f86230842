// The real process as a terminal.
import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import type { Terminal } from './command.ts'

const stdin_bytes_max = 6 * 1024 * 1024
const columns_default = 80

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  const stopping = new AbortController()
  // The second one ends the process at once, as people expect.
  process.once('SIGINT', () => stopping.abort(new Error('stopped by Ctrl-C')))
  return {
    env: process.env,
    home: homedir(),
    stdout_is_tty: stdout.isTTY ?? false,
    stderr_is_tty: stderr.isTTY ?? false,
    stdin_is_tty: stdin.isTTY ?? false,
    columns: stdout.columns ?? columns_default,
    fetch: globalThis.fetch,
    signal: stopping.signal,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    readStdin,
    openBrowser,
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin) {
    bytes += chunk.length
    if (bytes > stdin_bytes_max) throw new RangeError('standard input is larger than any call may be (6 MiB)')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
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
