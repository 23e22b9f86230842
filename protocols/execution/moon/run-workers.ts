// The workers of an engine: they claim due runs, renew their leases, and release them on shutdown.
import type { Database } from '@svc/contract/database'
import { carryRun } from './run-carrier.ts'
import { type Executor, runTopic } from './run-executor.ts'
import { type Claimed, claimOfEach, claimOldest, releaseRun, renewLeases } from './run-lease.ts'
import { Turns } from './run-turns.ts'

const carried_max = 64
/** The rest is left to others, also where one organization has a long queue of slow runs. */
const carried_of_one_max = 48
const claimed_at_once_max = 32
const after_failure_ms = 2_000

export interface Workers {
  /** Claims due runs; called periodically and on notification. */
  takeUp(): Promise<void>
  /** Renews the leases; called well within their duration. */
  renew(): Promise<void>
  /** Starts nothing more; resolves when results of running calls are stored. */
  close(): Promise<void>
}

interface Options {
  readonly db: Database
  readonly owner: string
  readonly lease_ms: number
  readonly executor: Executor
  readonly onFailure: (error: unknown, run_id: string) => void
}

interface Carried extends Claimed {
  readonly leaving: AbortController
  readonly done: Promise<void>
}

/** How many runs of each organization are carried. */
function placesOf(runs: Iterable<Claimed>): Map<string, number> {
  const places = new Map<string, number>()
  for (const { tenant_id } of runs) places.set(tenant_id, (places.get(tenant_id) ?? 0) + 1)
  return places
}

export function openWorkers({ db, owner, lease_ms, executor, onFailure }: Options): Workers {
  const carried = new Map<string, Carried>()
  const turns = new Turns(executor)
  let is_closed = false
  /** More runs are due than were claimed, so the next claim goes through the organizations from `after` on. */
  let is_behind = false
  let after = ''
  const carry = (claimed: Claimed) => {
    const leaving = new AbortController()
    const done = carryRun(claimed, executor, turns, leaving.signal)
      // The failed turn was rolled back; the next worker continues from there.
      .catch(async (error) => {
        onFailure(error, claimed.run_id)
        const wake_at = new Date(executor.clock.now_ms() + after_failure_ms)
        await releaseRun(db, claimed, wake_at).catch(() => undefined)
      })
      // This engine may have claimed the run again meanwhile, once its lease had expired.
      .finally(() => {
        if (carried.get(claimed.run_id)?.epoch === claimed.epoch) carried.delete(claimed.run_id)
      })
    carried.set(claimed.run_id, { ...claimed, leaving, done })
  }
  return {
    async takeUp() {
      let room = Math.min(claimed_at_once_max, carried_max - carried.size)
      if (is_closed || room <= 0) return
      const wish = { owner, lease_ms, now: new Date(executor.clock.now_ms()) }
      if (is_behind) {
        const full = [...placesOf(carried.values())].filter(([, places]) => places >= carried_of_one_max)
        const but = full.map(([tenant_id]) => tenant_id)
        const firsts = await claimOfEach(db, { ...wish, limit: room }, after, but)
        for (const claimed of firsts) carry(claimed)
        after = firsts.map(({ tenant_id }) => tenant_id).sort().at(-1) ?? '' // biome-ignore format: kept on one line
        room -= firsts.length
      }
      const most = Math.max(0, ...placesOf(carried.values()).values())
      const limit = Math.max(0, Math.min(room, carried_of_one_max - most))
      const oldest = limit === 0 ? [] : await claimOldest(db, { ...wish, limit })
      for (const claimed of oldest) carry(claimed)
      is_behind = oldest.length === limit
    },
    async renew() {
      const leases = [...carried.values()]
      const renewed = await renewLeases(db, owner, lease_ms, leases)
      // Lost to another engine: this one can no longer store results for it, so its calls end before they begin an effect.
      for (const { run_id, leaving } of leases) {
        if (renewed.has(run_id)) continue
        leaving.abort()
        executor.change_notifications.tell(runTopic(run_id))
      }
    },
    async close() {
      is_closed = true
      for (const { leaving } of carried.values()) leaving.abort()
      for (const { run_id } of carried.values()) executor.change_notifications.tell(runTopic(run_id))
      await Promise.all([...carried.values()].map(({ done }) => done))
    },
  }
}
