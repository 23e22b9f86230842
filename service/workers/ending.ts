// Shutdown in the spec's order: refuse new calls, let calls in flight finish, flush the audit log, close connections.
import type { Server } from 'node:http'
import { system_clock } from '@svc/adapters/clock/system'
import type { Engine } from '@svc/engine/dispatch'
import { awaitDepartures, closeAfterAnswers, stopListening } from './draining.ts'

export interface Ending {
  /** Drains, flushes and closes; a second call returns the same promise. */
  stop(): Promise<void>
  /** Another process has taken over the port: serves connected callers once more, then stops. */
  retire(): Promise<void>
}

interface Ended {
  readonly engine: Engine
  readonly server: Server
  readonly closing: readonly (() => Promise<unknown>)[]
  readonly shutdown_grace_ms: number
  /** How long open connections may still receive a last answer. */
  readonly drain_ms_max?: number | undefined
  /** Workflows start no more steps here, and watchers reconnect elsewhere; other processes continue. */
  leaveWork(): void
  /** The MCP surface and watchers move to another process at once. */
  leaveMcp(): void
}

export function openEnding(ended: Ended): Ending {
  const { server, drain_ms_max = 0 } = ended
  let stopping: Promise<void> | undefined
  const stop = (drain_ms: number) => {
    stopping ??= stopService(ended, drain_ms)
    return stopping
  }
  return {
    stop: () => stop(drain_ms_max),
    async retire() {
      ended.leaveMcp()
      closeAfterAnswers(server)
      stopListening(server)
      await awaitDepartures(server, drain_ms_max)
      await stop(0)
    },
  }
}

async function stopService(ended: Ended, drain_ms: number): Promise<void> {
  const { engine, server, closing, shutdown_grace_ms } = ended
  const ends_ms = system_clock.monotonic_ms() + shutdown_grace_ms
  ended.leaveWork()
  closeAfterAnswers(server)
  const cut = setTimeout(() => engine.cut(), shutdown_grace_ms)
  await engine.drain()
  clearTimeout(cut)
  // New calls get a refusal, which a caller can act on; a closed connection would say nothing.
  await awaitDepartures(server, Math.min(drain_ms, ends_ms - system_clock.monotonic_ms()))
  for (const close of closing.toReversed()) await close()
}
