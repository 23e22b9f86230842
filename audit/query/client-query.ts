// As query.ts, for a given client: the writer thread uses it without loading a query builder.

import type { ClientBase, Pool } from 'pg'

export type Query = <Row>(sql: string, values: readonly unknown[]) => Promise<readonly Row[]>

export function clientQuery(client: ClientBase | Pool): Query {
  return async <Row>(sql: string, values: readonly unknown[]) =>
    // unchecked sql: the statement of whoever asks, checked there
    (await client.query(sql, [...values])).rows as Row[]
}
