// The books of tenants as stages 3 to 5 ask for them before every call: kept until somebody says that they changed.
import type { Books } from '@svc/contract/money/books'
import { unavailable } from '@svc/contract/refusal'
import { recent } from '@svc/engine/limits/recent'
import type { Clock, Treasury } from '@svc/engine/ports'
import { lookup_ms_max, within } from '../clock/within.ts'

const tenants_cached_max = 10_000
/** What no change was heard of is still read anew after this. */
const fresh_ms = 60_000
/** What may be outdated goes on to bind so long, while it is read anew: a database that is away stops no call at once. */
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

/** Holds that have run out are kept like any other: who asks judges them by its own moment. */
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
        // What was begun before a change is neither kept nor given to those who ask after it.
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
      // Read anew beside the call, which goes by what is known.
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
