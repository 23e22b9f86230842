#!/usr/bin/env node
// The svc process. Completions take a shorter path, because the shell waits at every Tab.
import { processTerminal } from './terminal.ts'

// npm only warns, and an older Node would fail with obscure errors in the middle of a command.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(`svc needs Node 22.12 or newer; this is ${process.version}. Install a newer Node.`)
  process.exit(1)
}

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
