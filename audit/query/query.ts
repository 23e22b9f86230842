// The audit log's query interface, so that the same SQL serves the writer, the engine and a handler.

import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { Database } from '@svc/contract/database'
import type { ClientBase, Pool } from 'pg'
import { clientQuery, type Query } from './client-query.ts'

/** A handler's `context.db` sees its own tenant; a client of the engine role sees all, and brings no archive by itself. */
export function queryOf(db: Database | ClientBase | Pool, page_archive?: PageArchive): Query {
  if (!('execute' in db)) return clientQuery(db, page_archive)
  const query = async <Row>(sql: string, values: readonly unknown[]) =>
    (await db.execute<Row>({ text: sql, values })).rows
  return Object.assign(query, { page_archive: db.page_archive })
}
