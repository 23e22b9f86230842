// API keys for authentication: cached for a minute, and dropped at once when any replica revokes one.

import type { Database } from '@svc/contract/database'
import { recent } from '@svc/engine/limits/recent'
import type { Clock, KeyRecord, KeyRing, Log } from '@svc/engine/ports'
import { within } from '../clock/within.ts'
import { findKey, noteKeysUsed } from './api-keys.ts'

const keys_cached_max = 10_000
const cached_ms = 60_000
const unknown_cached_ms = 5_000
/** How long a caller whose key was valid a moment ago waits for a database that does not answer. */
const doubt_wait_ms_max = 250
/** How long the database is not asked again after that. */
const unreachable_ms = 500

interface Cached {
  readonly record: KeyRecord | undefined
  readonly until_ms: number
  /** How many there had been when it was read. */
  readonly revocations_told: number
}

export interface CachedKeyRing extends KeyRing {
  forget(key_id: string): void
  /** Changes may have been missed: every key is read again; the last answer is used only while the database is away. */
  forgetAll(): void
  /** Writes the last-used times gathered since the last call. */
  noteUse(): Promise<void>
}

export function keyRing(db: Database, clock: Clock, log: Log): CachedKeyRing {
  let cache = recent<Cached>(keys_cached_max)
  // Keys valid when changes were last received: for a minute an outage of the database does not lock callers out.
  let doubted = recent<Cached>(keys_cached_max)
  let doubted_until_ms = 0
  let unreachable_until_ms = 0
  let revocations_told = 0
  let gaps = 0
  const keep = (key_id: string, cached: Cached, is_current: boolean) => {
    if (is_current) cache.set(key_id, cached)
    // A key read during a gap must be read again, but is newer than the ones doubted before it.
    const was_doubted = doubted.get(key_id) !== undefined
    doubted.delete(key_id)
    if (!is_current && was_doubted && cached.record?.revoked === false) doubted.set(key_id, cached)
  }
  const current = (key_id: string) => ifCurrent(cache.get(key_id), clock.monotonic_ms(), revocations_told)
  const load = async (key_id: string) => {
    const before = { revocations_told, gaps }
    const record = await findKey(db, key_id)
    const until_ms = clock.monotonic_ms() + (record ? cached_ms : unknown_cached_ms)
    // A revocation received during the read may be newer than what was read.
    if (before.revocations_told === revocations_told)
      keep(key_id, { record, until_ms, revocations_told }, before.gaps === gaps)
    return record
  }
  const confirm = (key_id: string, last: Cached) => {
    if (clock.monotonic_ms() < unreachable_until_ms) return last.record
    return within(doubt_wait_ms_max, load(key_id)).catch((error) => {
      unreachable_until_ms = clock.monotonic_ms() + unreachable_ms
      log.warn({ err: error }, 'keys cannot be looked up; those known a moment ago are good for a minute')
      return last.record
    })
  }
  return {
    find(key_id) {
      const cached = current(key_id)
      if (cached) return cached.record
      const now_ms = clock.monotonic_ms()
      const last = now_ms <= doubted_until_ms ? doubted.get(key_id) : undefined
      const was_good = last?.record && last.until_ms >= doubted_until_ms - cached_ms
      return was_good ? confirm(key_id, last) : load(key_id)
    },
    known: (key_id) => current(key_id)?.record,
    forget(key_id) {
      revocations_told++
      cache.delete(key_id)
      doubted.delete(key_id)
    },
    forgetAll() {
      gaps++
      // Called repeatedly during an outage: the minute runs from the first call.
      if (cache.size === 0) return
      doubted = cache
      doubted_until_ms = clock.monotonic_ms() + cached_ms
      cache = recent<Cached>(keys_cached_max)
    },
    ...keyUses(db, clock, log),
  }
}

/** A bounded key has the capabilities of its identity's other keys, so any change of a key may concern it. */
function ifCurrent(cached: Cached | undefined, now_ms: number, revocations_told: number): Cached | undefined {
  const is_stale = cached?.record?.usable_for && cached.revocations_told !== revocations_told
  return cached && !is_stale && cached.until_ms >= now_ms ? cached : undefined
}

/** When each key last authenticated a caller; gathered here and written now and then. */
function keyUses(db: Database, clock: Clock, log: Log): Pick<CachedKeyRing, 'used' | 'noteUse'> {
  const used = new Map<string, number>()
  return {
    used: (key_id) => void used.set(key_id, clock.now_ms()),
    async noteUse() {
      if (used.size === 0) return
      const noted = new Map(used)
      used.clear()
      await noteKeysUsed(db, noted).catch((error) =>
        log.warn({ err: error }, 'last-used times of keys were not written'),
      )
    },
  }
}
