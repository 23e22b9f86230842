#!/usr/bin/env node
// The svc process. Completions take a shorter path, because the shell waits at every Tab.
import { processTerminal } from './terminal.ts'

const [first, ...words] = process.argv.slice(2)
const terminal = processTerminal()
if (first === '__complete') {
  const { complete } = await import('./completion/complete.ts')
  terminal.out(await complete(words, terminal))
} else {
  const { runCli } = await import('./run.ts')
  process.exitCode = await runCli(process.argv.slice(2), terminal)
  // An orphaned server or socket of a stopped command must not keep the process alive.
  if (terminal.signal.aborted) process.exit()
}
