// The page of a list, in SQL.
import type { Bounds } from '@svc/contract/list-page'
import { type Fragment, sql } from './sql.ts'

/** For the WHERE clause. The time is also bounded alone: under row-level security only that uses an index. */
export function within({ since, before }: Bounds, at: Fragment, id: Fragment): Fragment {
  const from = since === null ? sql`true` : sql`${at} >= ${since}`
  if (before === null) return from
  return sql`${from} AND ${at} <= ${before.at} AND (${at}, ${id}) < (${before.at}, ${before.id})`
}

/** The end of a statement that reads one page, from its first condition on. */
export function pageOf(bounds: Bounds, at: Fragment, id: Fragment, filters: readonly Fragment[]): Fragment {
  const conditions = sql.join([within(bounds, at, id), ...filters], sql` AND `)
  return sql`${conditions} ORDER BY ${at} DESC, ${id} DESC LIMIT ${bounds.limit}`
}
