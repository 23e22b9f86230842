// Keys as the door asks for them: from memory for a minute, and forgotten within a moment when any replica revokes one.
import type { Database } from '@svc/contract/operation-context'
import type { Clock, KeyRecord, KeyRing, Log } from '@svc/engine/ports'
import { recent } from '@svc/engine/recent'
import { findKey, noteKeysUsed } from './api-keys.ts'

const keys_cached_max = 10_000
const cached_ms = 60_000
const unknown_cached_ms = 5_000

interface Cached {
  readonly record: KeyRecord | undefined
  readonly until_ms: number
}

export interface CachedKeyRing extends KeyRing {
  forget(key_id: string): void
  forgetAll(): void
  /** Writes the last-used times gathered since the last call. */
  noteUse(): Promise<void>
}

export function keyRing(db: Database, clock: Clock, log: Log): CachedKeyRing {
  const cache = recent<Cached>(keys_cached_max)
  const used = new Map<string, number>()
  let forgotten = 0
  const load = async (key_id: string) => {
    const before = forgotten
    const record = await findKey(db, key_id)
    const until_ms = clock.monotonic_ms() + (record ? cached_ms : unknown_cached_ms)
    // A change told while we were reading may be newer than what we read.
    if (before === forgotten) cache.set(key_id, { record, until_ms })
    if (record) used.set(key_id, clock.now_ms())
    return record
  }
  const forget = (what: () => void) => {
    forgotten++
    what()
  }
  return {
    find(key_id) {
      const cached = cache.get(key_id)
      if (!cached || cached.until_ms < clock.monotonic_ms()) return load(key_id)
      if (cached.record) used.set(key_id, clock.now_ms())
      return cached.record
    },
    forget: (key_id) => forget(() => cache.delete(key_id)),
    forgetAll: () => forget(() => cache.clear()),
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
