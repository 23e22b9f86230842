// Waits between looks at a task, and for clients to read.
import type { ServerResponse } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'

/** Where too many wait already the engine answers at once; asking it again at once would only add to that. */
const pause_ms = 1_000
const unread_ms_max = 30_000

/** Ends early when the caller leaves. */
export async function pauseBetweenLooks(signal: AbortSignal): Promise<void> {
  await after(pause_ms, undefined, { signal }).catch(() => undefined)
}

/** Not for ever, or a client that does not read would keep its slot: it is disconnected. */
export async function untilRead(res: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => res.destroy(), unread_ms_max)
    const done = () => {
      clearTimeout(timer)
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.on('drain', done)
    res.on('close', done)
  })
}
