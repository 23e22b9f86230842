// The books of tenants for stages 3 to 5, before every call: cached until a change is notified.
import type { Books } from '@svc/contract/money/books'
import { unavailable } from '@svc/contract/refusal'
import { recent } from '@svc/engine/limits/recent'
import type { Clock, Treasury } from '@svc/engine/ports'
import { lookup_ms_max, within } from '../clock/within.ts'

const tenants_cached_max = 10_000
/** After this time they are read again even without a notification. */
const fresh_ms = 60_000
/** How long possibly outdated books still apply while they are read again: a database that is away stops no call at once. */
const doubted_ms = 60_000

export interface BooksCache extends Treasury {
  /** This tenant's books have changed. */
  forget(tenant_id: string): void
  /** Changes may have been missed. */
  doubtAll(): void
}

interface Stored {
  readonly books: Books
  readonly read_ms: number
  /** When they were first used although they may be outdated. */
  doubted_ms: number | undefined
}

/** Expired holds are cached like any other: each caller judges them by its own time. */
export function booksCache(
  read: (tenant_id: string) => Promise<Books>,
  clock: Pick<Clock, 'monotonic_ms'>,
): BooksCache {
  const cache = recent<Stored>(tenants_cached_max)
  const reading = new Map<string, Promise<Books>>()
  let missed_ms = Number.NEGATIVE_INFINITY
  const load = (tenant_id: string): Promise<Books> => {
    const read_ms = clock.monotonic_ms()
    const books_read = within(lookup_ms_max, read(tenant_id)).then(
      (books) => {
        // A read that began before a change is neither cached nor used for later calls.
        if (reading.get(tenant_id) === books_read)
          cache.set(tenant_id, { books, read_ms, doubted_ms: undefined })
        return books
      },
      (error) => {
        throw unavailable('budget', error)
      },
    )
    reading.set(tenant_id, books_read)
    const done = () => {
      if (reading.get(tenant_id) === books_read) reading.delete(tenant_id)
    }
    books_read.then(done, done)
    return books_read
  }
  return {
    of(tenant_id) {
      const stored = cache.get(tenant_id)
      if (!stored) return reading.get(tenant_id) ?? load(tenant_id)
      const now_ms = clock.monotonic_ms()
      if (stored.read_ms > missed_ms && stored.read_ms + fresh_ms > now_ms) return stored.books
      stored.doubted_ms ??= now_ms
      const again = reading.get(tenant_id) ?? load(tenant_id)
      if (stored.doubted_ms + doubted_ms <= now_ms) return again
      // Read again beside the call, which uses the cached books.
      again.catch(() => {})
      return stored.books
    },
    forget(tenant_id) {
      cache.delete(tenant_id)
      reading.delete(tenant_id)
    },
    doubtAll() {
      missed_ms = clock.monotonic_ms()
      reading.clear()
    },
  }
}
