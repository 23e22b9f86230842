// As query.ts, for a given client: the writer thread uses it without loading a query builder.

import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { ClientBase, Pool } from 'pg'

export interface Query {
  <Row>(sql: string, values: readonly unknown[]): Promise<readonly Row[]>
  /** Where pages are read that have left the database. */
  readonly page_archive?: PageArchive | undefined
}

export function clientQuery(client: ClientBase | Pool, page_archive?: PageArchive): Query {
  const query = async <Row>(sql: string, values: readonly unknown[]) =>
    // unchecked sql: the statement of whoever asks, checked there
    (await client.query(sql, [...values])).rows as Row[]
  return Object.assign(query, { page_archive })
}
