#!/usr/bin/env node
// svc: finds the command, reads its flags, prints what went wrong, ends with the right code. Commands are loaded when asked for.
import { runCli } from './run.ts'
import { processTerminal } from './terminal.ts'

process.exitCode = await runCli(process.argv.slice(2), processTerminal())
