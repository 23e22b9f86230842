// The books of tenants as stages 3 to 5 ask for them before every call: kept until somebody says that they changed.
import type { Books } from '@svc/contract/books'
import type { Clock, Treasury } from '@svc/engine/ports'
import { recent } from '@svc/engine/recent'

const tenants_cached_max = 10_000
/** What no change was heard of is still read anew after this. */
const cached_ms = 60_000

export interface BooksCache extends Treasury {
  /** This tenant's books have changed. */
  forget(tenant_id: string): void
  /** Changes may have been missed. */
  forgetAll(): void
}

interface Kept {
  readonly books: Books
  readonly until_ms: number
}

/** Holds that have run out are kept like any other: who asks judges them by its own moment. */
export function booksCache(
  read: (tenant_id: string) => Promise<Books>,
  clock: Pick<Clock, 'monotonic_ms'>,
): BooksCache {
  const cache = recent<Kept>(tenants_cached_max)
  const reading = new Map<string, Promise<Books>>()
  const load = (tenant_id: string): Promise<Books> => {
    const until_ms = clock.monotonic_ms() + cached_ms
    const found = read(tenant_id).then((books) => {
      // What was begun before a change is neither kept nor given to those who ask after it.
      if (reading.get(tenant_id) === found) cache.set(tenant_id, { books, until_ms })
      return books
    })
    reading.set(tenant_id, found)
    const done = () => {
      if (reading.get(tenant_id) === found) reading.delete(tenant_id)
    }
    found.then(done, done)
    return found
  }
  return {
    of(tenant_id) {
      const kept = cache.get(tenant_id)
      if (!kept) return reading.get(tenant_id) ?? load(tenant_id)
      // Read anew beside the call: while the database is away what is known goes on to bind.
      if (kept.until_ms <= clock.monotonic_ms() && !reading.has(tenant_id)) load(tenant_id).catch(() => {})
      return kept.books
    },
    forget(tenant_id) {
      cache.delete(tenant_id)
      reading.delete(tenant_id)
    },
    forgetAll() {
      cache.clear()
      reading.clear()
    },
  }
}
