// As query.ts, for a client at hand: the writer's thread asks so, and loads no query builder for it.
import type { ClientBase, Pool } from 'pg'
import type { Query } from './query.ts'

export function clientQuery(client: ClientBase | Pool): Query {
  return async <Row>(sql: string, values: readonly unknown[]) =>
    (await client.query(sql, [...values])).rows as Row[]
}
