// Registrations change while the engine runs: each change is read anew, one reading at a time, until it has succeeded.
import type { Log } from '@svc/engine/ports'
import type { Routes } from '../assembly/routes.ts'

const again_ms = 500

export interface Following {
  /** Something changed, or may have. */
  changed(): void
}

type Closing = (() => Promise<unknown>)[]

/** Read once before anybody is let in. */
export async function followRegistrations(routes: Routes, log: Log, closing: Closing): Promise<Following> {
  await routes.reload()
  const { changed, stop } = follow(routes.reload, log)
  closing.push(async () => {
    stop()
    routes.close()
  })
  return { changed }
}

function follow(reload: () => Promise<void>, log: Log) {
  let [is_due, busy, stopped, failing] = [false, false, false, false]
  let timer: NodeJS.Timeout | undefined
  const read = async () => {
    if (busy || stopped) return
    busy = true
    try {
      // What changes while it is being read is read again.
      while (is_due && !stopped) {
        is_due = false
        await reload()
        failing = false
      }
    } catch (error) {
      // Once for an outage, however often it is tried.
      if (!failing) log.warn({ err: error }, 'registered protocols could not be read; the last known stand')
      failing = true
      is_due = true
      clearTimeout(timer)
      timer = setTimeout(read, again_ms).unref()
    } finally {
      busy = false
    }
  }
  return {
    changed() {
      is_due = true
      void read()
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
