// Treaties between two organizations, for stage 4 of every cross-tenant call: cached until a change is notified.

import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { unavailable } from '@svc/contract/refusal'
import type { Migration } from '@svc/database/migration'
import { recent } from '@svc/engine/limits/recent'
import type { Clock, Treaties } from '@svc/engine/ports'
import { changes_channel } from '../access/api-keys.ts'
import { lookup_ms_max, within } from '../clock/within.ts'

const pairs_cached_max = 10_000
/** After this time they are read again even without a notification. */
const fresh_ms = 60_000

/** The change kind for something between two tenants. */
export const treaty_change = 'treaty'

export const treaty_change_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-40-treaty-changes',
    sql: `
      CREATE FUNCTION svc_tell_treaty(one text, other text) RETURNS void LANGUAGE sql AS $$
        SELECT pg_notify('${changes_channel}', '${treaty_change}:'
          || least(one COLLATE "C", other COLLATE "C") || '|' || greatest(one COLLATE "C", other COLLATE "C"))
      $$;
    `,
  },
]

export interface TreatyCache extends Treaties {
  /** `<tenant>|<tenant>`, as the feed names a pair. */
  forget(pair: string): void
  /** Changes may have been missed: a treaty that ended meanwhile must allow nothing. */
  forgetAll(): void
}

interface TreatyReads {
  find(tenant_id: string, treaty_id: string): Promise<StandingTreaty | undefined>
  between(one: string, other: string): Promise<readonly StandingTreaty[]>
}

interface Stored {
  readonly treaties: readonly StandingTreaty[]
  readonly read_ms: number
}

export function treatyCache(reads: TreatyReads, clock: Pick<Clock, 'monotonic_ms'>): TreatyCache {
  const cache = recent<Stored>(pairs_cached_max)
  const reading = new Map<string, Promise<readonly StandingTreaty[]>>()
  const load = (pair: string, one: string, other: string) => {
    const read_ms = clock.monotonic_ms()
    const treaties_read = within(lookup_ms_max, reads.between(one, other)).then(
      (treaties) => {
        // A read that began before a change is neither cached nor used for later calls.
        if (reading.get(pair) === treaties_read) cache.set(pair, { treaties, read_ms })
        return treaties
      },
      (error) => {
        throw unavailable('treaties', error)
      },
    )
    reading.set(pair, treaties_read)
    const done = () => {
      if (reading.get(pair) === treaties_read) reading.delete(pair)
    }
    treaties_read.then(done, done)
    return treaties_read
  }
  return {
    find: reads.find,
    between(one, other) {
      const pair = pairOf(one, other)
      const cached = cache.get(pair)
      if (cached && cached.read_ms + fresh_ms > clock.monotonic_ms()) return cached.treaties
      return reading.get(pair) ?? load(pair, one, other)
    },
    forget(pair) {
      cache.delete(pair)
      reading.delete(pair)
    },
    forgetAll() {
      cache.clear()
      reading.clear()
    },
  }
}

export function pairOf(one: string, other: string): string {
  return one < other ? `${one}|${other}` : `${other}|${one}`
}
