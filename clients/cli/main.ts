#!/usr/bin/env node
// svc as a process. Completions take a way of their own: a shell asks at every Tab, and waits.
import { processTerminal } from './terminal.ts'

const [first, ...words] = process.argv.slice(2)
const terminal = processTerminal()
if (first === '__complete') {
  const { complete } = await import('./completion/complete.ts')
  terminal.out(await complete(words, terminal))
} else {
  const { runCli } = await import('./run.ts')
  process.exitCode = await runCli(process.argv.slice(2), terminal)
  // A server or a socket that a stopped command left behind must not hold the prompt.
  if (terminal.signal.aborted) process.exit()
}
