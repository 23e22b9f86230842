// The database as whoever asks it sees it.
import type { Kysely } from 'kysely'

/** The tenant's rows, inside this operation's own transaction: opened at first use, committed when the handler returns. */
export type Database = Kysely<Record<never, never>>
