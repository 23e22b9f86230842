// Where budgets are held: in this process, or, for several replicas, in Redis. What was spent is read from PostgreSQL.
import { memoryPurses } from '@svc/adapters/purses/memory'
import type { TruthParts } from '@svc/adapters/purses/truth'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Book } from '@svc/audit/book'
import type { Clock, Log, Purses } from '@svc/engine/ports'
import { spentOf } from '@svc/protocols/economic/spend-store'
import type { Config } from './config.ts'

/** Whoever waits for a purse to be read waits no longer for the book. */
const settled_ms_max = 4_000

type Closing = (() => Promise<unknown>)[]

interface Parts {
  readonly store: Pick<PostgresStore, 'engine'>
  readonly book: Pick<Book, 'flush'>
  readonly clock: Clock
  readonly log: Log
}

export async function openPurses(
  _config: Config,
  { store, book }: Parts,
  _closing: Closing,
): Promise<Purses> {
  const truth: TruthParts = {
    read: (tenant_id, purse) => spentOf(store.engine, tenant_id, purse),
    settled: () => book.flush(settled_ms_max),
  }
  return memoryPurses(truth)
}
