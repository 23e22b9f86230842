// In a checkout the console is installed and built when somebody first opens it: an engine runs without it.
// setup.mjs knows whether the built files are those of the present sources, so it is always asked before they are served.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Clock, Log } from '@svc/engine/ports'
import { type ConsoleFiles, readConsoleFiles, waitingFiles } from '@svc/gateway/console/console-files'

const reload_seconds = 2
/** After a failure, while somebody has the page open. */
const retry_seconds = 20
const lines_max = 40

export interface ConsoleSource {
  /** The built files; until there are any, a page that says how far they are. */
  files(): ConsoleFiles | Promise<ConsoleFiles>
  stop(): Promise<void>
}

interface Build {
  /** setup.mjs, and the folder that it builds. */
  readonly script: string
  readonly built: string
  readonly clock: Clock
  readonly log: Log
}

export function checkoutConsole(build: Build): ConsoleSource {
  let attempt: Attempt | undefined
  const isOver = ({ failed_at_ms }: Attempt) =>
    failed_at_ms !== undefined && build.clock.monotonic_ms() - failed_at_ms >= retry_seconds * 1_000
  return {
    async files() {
      if (!attempt || isOver(attempt)) attempt = startAttempt(build)
      await attempt.reported
      return attempt.files ?? waitingFor(attempt, build.clock)
    },
    stop: async () => attempt?.stop(),
  }
}

interface Attempt {
  readonly began_at_ms: number
  /** Resolves when it has said what it does, or has ended: with nothing to do it ends at once. */
  readonly reported: Promise<unknown>
  /** The last line of setup.mjs itself. */
  step: string
  files: ConsoleFiles | undefined
  failed_at_ms: number | undefined
  stop(): Promise<void>
}

function startAttempt({ script, built, clock, log }: Build): Attempt {
  // In a group of its own, so that npm and the builder are stopped with it.
  const child = spawn(process.execPath, [script, '--console'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const announced = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const attempt: Attempt = {
    began_at_ms: clock.monotonic_ms(),
    reported: Promise.race([announced.promise, ended.promise]),
    step: '',
    files: undefined,
    failed_at_ms: undefined,
    async stop() {
      if (child.exitCode === null && child.signalCode === null && child.pid) process.kill(-child.pid)
      await ended.promise
    },
  }
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line)
    if (lines.length > lines_max) lines.shift()
    if (!line.startsWith('Setting up')) return
    attempt.step = line
    log.info({}, line)
    announced.resolve()
  })
  const end = (code: number | null) => {
    if (code === 0) attempt.files = readConsoleFiles(built)
    if (!attempt.files) {
      attempt.failed_at_ms = clock.monotonic_ms()
      log.warn({ exit_code: code, lines }, 'the console could not be set up')
    }
    ended.resolve()
  }
  child.once('close', end)
  child.once('error', () => end(null))
  return attempt
}

function waitingFor({ step, began_at_ms, failed_at_ms }: Attempt, clock: Clock): ConsoleFiles {
  if (failed_at_ms !== undefined)
    return waitingFiles(
      `The console could not be set up. ${step} The engine's log has the details. This page tries again every ${retry_seconds} seconds; the engine works without it.`,
      retry_seconds,
    )
  const seconds = Math.floor((clock.monotonic_ms() - began_at_ms) / 1_000)
  return waitingFiles(
    `${step} ${seconds} s so far. This page reloads itself, and the engine works meanwhile.`,
    reload_seconds,
  )
}
