// Applies changes of the registrations while the engine runs, one at a time, with retries.
import type { Log } from '@svc/engine/ports'
import type { Routes } from '../assembly/routes.ts'

const again_ms = 500

export interface Following {
  /** Something may have changed. */
  changed(): void
}

type Closing = (() => Promise<unknown>)[]

/** Reads once before calls are accepted. */
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
      // A change during the read triggers another read.
      while (is_due && !stopped) {
        is_due = false
        await reload()
        failing = false
      }
    } catch (error) {
      // Logged once per outage.
      if (!failing)
        log.warn({ err: error }, 'registered protocols could not be read; the last known ones stay in use')
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
