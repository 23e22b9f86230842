// Money at work: the books every call is judged by, the purses it is paid from, and what happens to both by the clock.
import type { TenantTiers } from '@svc/adapters/access/tenant-tiers'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import { type BooksCache, booksCache } from '@svc/adapters/treasury/books-cache'
import type { Book } from '@svc/audit/book'
import type { Clock, Log, Purses } from '@svc/engine/ports'
import { readBooks } from '@svc/protocols/economic/books-store'
import type { Config } from './config.ts'
import { openPurses } from './purses.ts'
import { watchRunways } from './runway-watch.ts'
import { every } from './tick.ts'

const note_every_ms = 1_000

interface Parts {
  readonly store: PostgresStore
  readonly book: Book
  readonly meters: Prometheus
  readonly log: Log
  readonly clock: Clock
  readonly tiers: TenantTiers
}

type Closing = (() => Promise<unknown>)[]

export async function openTreasury(
  config: Config,
  parts: Parts,
  closing: Closing,
): Promise<{ readonly books: BooksCache; readonly purses: Purses }> {
  const { store, clock, log, tiers } = parts
  const db = store.engine
  const books = booksCache((tenant_id) => readBooks(db, tenant_id), clock)
  const held = await openPurses(config, parts, closing)
  const watch = watchRunways(held, { treasury: books, tierOf: tiers.tierOf, clock, db })
  const noting = every(note_every_ms, watch.note, log)
  closing.push(async () => clearInterval(noting))
  return { books, purses: watch.purses }
}
