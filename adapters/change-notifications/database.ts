// Change notifications through the database. They may be lost with a connection, so nobody relies on one alone.

import type { Database } from '@svc/contract/database'
import type { ChangeNotifications, Listening } from '@svc/contract/needs/change-notifications'
import { sql } from '@svc/database/sql'
import type { Log } from '@svc/engine/ports'
import { changes_channel } from '../access/api-keys.ts'
import { system_clock } from '../clock/system.ts'

export const news_change = 'news'
/** Other engines are notified in batches: each notification takes a lock that all commits of the server share. */
const gather_ms = 20
const told_at_once_max = 1000

export interface DatabaseChanges extends ChangeNotifications {
  /** Another engine sent it. */
  arrived(topic: string): void
  /** Notifications may have been missed: every listener checks again. */
  arrivedAll(): void
  close(): Promise<void>
}

/** `db` undefined: nobody beyond this process is notified. */
export function databaseChanges(db: Database | undefined, log?: Log): DatabaseChanges {
  const listening = new Map<string, Set<() => void>>()
  const untold = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<unknown> = Promise.resolve()
  const arrived = (topic: string) => {
    for (const wake of listening.get(topic) ?? []) wake()
  }
  const tellOthers = () => {
    const topics_sent = [...untold].slice(0, told_at_once_max)
    for (const topic of topics_sent) untold.delete(topic)
    timer = untold.size > 0 ? setTimeout(tellOthers, gather_ms) : undefined
    const topics = topics_sent.map((topic) => `${news_change}:${topic}`)
    telling = sql`SELECT pg_notify(${changes_channel}, topic) FROM unnest(${topics}::text[]) AS topic`
      .execute(db!)
      .catch((error) => log?.warn({ err: error }, 'other engines were not told; they look by themselves'))
  }
  return {
    listen: (topic) => listenTo(listening, topic),
    tell(topic) {
      arrived(topic)
      if (!db) return
      untold.add(topic)
      timer ??= setTimeout(tellOthers, gather_ms)
    },
    arrived,
    arrivedAll() {
      for (const topic of listening.keys()) arrived(topic)
    },
    async close() {
      clearTimeout(timer)
      await telling
    },
  }
}

function listenTo(listening: Map<string, Set<() => void>>, topic: string): Listening {
  const begun_ms = system_clock.monotonic_ms()
  let is_new = false
  let resolve: (() => void) | undefined
  const wake = () => {
    is_new = true
    resolve?.()
  }
  const wakes = listening.get(topic) ?? new Set()
  wakes.add(wake)
  listening.set(topic, wakes)
  const heard = async (wait_ms: number, signal?: AbortSignal) => {
    if (!is_new && !signal?.aborted && wait_ms > 0) {
      const { promise, resolve: end } = Promise.withResolvers<void>()
      resolve = end
      const timer = setTimeout(end, wait_ms)
      const leave = () => end()
      signal?.addEventListener('abort', leave, { once: true })
      await promise
      clearTimeout(timer)
      // A signal may live as long as the engine, and be used for a wait every second.
      signal?.removeEventListener('abort', leave)
      resolve = undefined
    }
    const was_new = is_new
    is_new = false
    return was_new
  }
  return {
    heard,
    wait: heard,
    elapsed_ms: () => system_clock.monotonic_ms() - begun_ms,
    close() {
      wakes.delete(wake)
      if (wakes.size === 0 && listening.get(topic) === wakes) listening.delete(topic)
    },
  }
}
