// The counters that a process remembers: recently used ones, and all that it must not forget.
import { recent } from '@svc/engine/limits/recent'
import { type Counts, type OwnCounter, openOwn } from './own-counter.ts'

const counters_max = 20_000
/** Above it nothing more is admitted: so many counters in use at once are an attack or a fault. */
const pinned_max = 100_000

export interface StoredCounters<Own extends OwnCounter> {
  find(tenant_id: string, budget_counter: string, counts: Counts): Own | undefined
  /** Undefined if there are too many. */
  open(tenant_id: string, budget_counter: string, counts: Counts): Own | undefined
  pin(own: Own): void
  unpin(own: Own): void
  readonly pinned: ReadonlyMap<string, Own>
}

export function storedCounters<Own extends OwnCounter>(make: (own: OwnCounter) => Own): StoredCounters<Own> {
  const lately = recent<Own>(counters_max)
  const pinned = new Map<string, Own>()
  const keyOf = (tenant_id: string, budget_counter: string, counts: Counts) =>
    `${counts}|${tenant_id}|${budget_counter}`
  const findKey = (key: string): Own | undefined => {
    const recent_counter = lately.get(key)
    if (recent_counter) return recent_counter
    const pinned_counter = pinned.get(key)
    if (pinned_counter) lately.set(key, pinned_counter)
    return pinned_counter
  }
  return {
    pinned,
    find: (tenant_id, budget_counter, counts) => findKey(keyOf(tenant_id, budget_counter, counts)),
    open(tenant_id, budget_counter, counts) {
      const key = keyOf(tenant_id, budget_counter, counts)
      const existing = findKey(key)
      if (existing) return existing
      if (pinned.size >= pinned_max) return undefined
      const opened = make(openOwn(tenant_id, budget_counter, counts, key))
      lately.set(key, opened)
      return opened
    },
    pin: (own) => void pinned.set(own.key, own),
    unpin: (own) => void pinned.delete(own.key),
  }
}
