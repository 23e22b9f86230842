// A TCP proxy that fails on demand, in front of PostgreSQL, Redis or a remote service.
import { createServer, connect as dial, type Socket } from 'node:net'
import { pace } from '../suite/real-time.ts'

export interface Faults {
  /** Added to every chunk, in each direction. */
  delay_ms?: number
  /** A random extra delay up to this, per chunk. */
  jitter_ms?: number
  /** In each direction of each connection. */
  bytes_per_s?: number
  /** Half-open: connections are accepted and stay, but nothing passes. */
  silent?: boolean
  /** New connections are reset. */
  refusing?: boolean
}

export interface FaultProxy {
  readonly port: number
  /** Connections accepted so far: shows what was sent when nothing should have been. */
  readonly taken: number
  /** Replaces the faults; `{}` heals. Chunks held back by `silent` then pass. */
  set(faults: Faults): void
  /** Ends every connection: cleanly, or with a reset. */
  cut(how?: 'end' | 'reset'): void
  close(): Promise<void>
}

export async function startFaultProxy(target_port: number, host = '127.0.0.1'): Promise<FaultProxy> {
  let faults: Faults = {}
  let taken = 0
  const sockets = new Set<Socket>()
  const wakes = new Set<() => void>()
  const server = createServer({ allowHalfOpen: true }, (inward) => {
    taken++
    if (faults.refusing) return void inward.resetAndDestroy()
    const outward = dial({ port: target_port, host, allowHalfOpen: true })
    for (const [from, to] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      void pump(from, to)
    }
  })
  const healed = () => new Promise<void>((resolve) => wakes.add(resolve))
  const pump = async (from: Socket, to: Socket) => {
    try {
      for await (const chunk of from) {
        const { delay_ms = 0, jitter_ms = 0, bytes_per_s = 0 } = faults
        const slowness_ms = bytes_per_s > 0 ? (chunk.length / bytes_per_s) * 1000 : 0
        const wait_ms = delay_ms + jitter_ms * Math.random() + slowness_ms
        if (wait_ms > 0) await pace(wait_ms)
        while (faults.silent) await healed()
        if (!to.destroyed) to.write(chunk)
      }
      if (!to.destroyed) to.end()
    } catch {
      to.destroy()
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    get taken() {
      return taken
    },
    set(next) {
      faults = next
      for (const wake of wakes) wake()
      wakes.clear()
    },
    cut(how = 'end') {
      for (const socket of sockets) how === 'reset' ? socket.resetAndDestroy() : socket.destroy()
    },
    close() {
      faults = {}
      for (const wake of wakes) wake()
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
