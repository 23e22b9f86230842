// The workers of an engine: they claim due runs, renew their leases, and release them on shutdown.
import type { Database } from '@svc/contract/database'
import { carryRun } from './run-carrier.ts'
import { type Executor, runTopic } from './run-executor.ts'
import { type Claimed, claimRuns, releaseRun, renewLeases } from './run-lease.ts'
import { Turns } from './run-turns.ts'

const carried_max = 64
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

export function openWorkers({ db, owner, lease_ms, executor, onFailure }: Options): Workers {
  const carried = new Map<string, Carried>()
  const turns = new Turns(executor)
  let is_closed = false
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
      const room = Math.min(claimed_at_once_max, carried_max - carried.size)
      if (is_closed || room <= 0) return
      const now = new Date(executor.clock.now_ms())
      for (const claimed of await claimRuns(db, owner, lease_ms, now, room)) carry(claimed)
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
