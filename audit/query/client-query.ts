// As query.ts, for a client at hand: the writer's thread asks so, and loads no query builder for it.

import type { ClientBase, Pool } from 'pg'

export type Query = <Row>(sql: string, values: readonly unknown[]) => Promise<readonly Row[]>

export function clientQuery(client: ClientBase | Pool): Query {
  return async <Row>(sql: string, values: readonly unknown[]) =>
    // unchecked sql: the statement of whoever asks, checked there
    (await client.query(sql, [...values])).rows as Row[]
}
