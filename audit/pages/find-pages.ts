// Which pages may hold what is asked for. Only those are opened; the tail is short and always read.
import type { Query } from '../query/client-query.ts'
import { late_ms, page_records } from './page.ts'
import { keysWithin } from './summary.ts'

export interface PageRange {
  readonly first_page: number
  readonly last_page: number
}

// Leapfrog: from any page to the next that holds a term of every group, so that the rarest term decides how many steps it takes.
function walkSql(newest_first: boolean): string {
  const [nearest, farthest, order, ahead, passed, step, none] = newest_first
    ? (['max', 'min', 'DESC', '<=', '>=', '-', '-1'] as const)
    : (['min', 'max', 'ASC', '>=', '<=', '+', '9223372036854775807'] as const)
  return `
  WITH RECURSIVE walk(page, is_hit, from_page) AS (
    SELECT NULL::bigint, false, $4::bigint
    UNION ALL
    SELECT reached.page, reached.is_hit, CASE WHEN reached.is_hit THEN reached.page ${step} 1 ELSE reached.page END
    FROM walk CROSS JOIN LATERAL (
      SELECT ${farthest}(of_group.page) AS page, min(of_group.page) = max(of_group.page) AS is_hit FROM (
        SELECT ${nearest}(coalesce(of_term.page, ${none})) AS page
        FROM unnest($2::text[], $3::integer[]) AS wanted(term, part) LEFT JOIN LATERAL (
          SELECT t.page FROM audit_terms t WHERE t.tenant_id = $1 AND t.term = wanted.term AND t.page ${ahead} walk.from_page
          ORDER BY t.tenant_id ${order}, t.term ${order}, t.page ${order} LIMIT 1
        ) AS of_term ON true GROUP BY wanted.part
      ) AS of_group
    ) AS reached
    WHERE walk.from_page ${passed} $5::bigint AND reached.page ${passed} $5::bigint
  )
  SELECT page FROM walk WHERE is_hit LIMIT $6`
}

const walk_down = walkSql(true)
const walk_up = walkSql(false)

/** Pages that hold at least one term of each group, in the order asked for. */
export async function pagesWithTerms(
  query: Query,
  tenant_id: string,
  groups: readonly (readonly string[])[],
  { first_page, last_page }: PageRange,
  newest_first: boolean,
  limit: number,
): Promise<number[]> {
  const terms = groups.flatMap((terms, part) => terms.map((term) => [term, part] as const))
  const ends = newest_first ? [last_page, first_page] : [first_page, last_page]
  const values = [tenant_id, terms.map(([term]) => term), terms.map(([, part]) => part), ...ends, limit]
  const rows = newest_first
    ? await query<{ page: string }>(walk_down, values)
    : await query<{ page: string }>(walk_up, values)
  return rows.map(({ page }) => Number(page))
}

/** Where records by these keys may be, in the next pages that have one: keys are short, so that some places hold others. */
export async function placesOfKeys(
  query: Query,
  tenant_id: string,
  keys: readonly number[],
  { first_page, last_page }: PageRange,
  newest_first: boolean,
  pages_max: number,
): Promise<number[]> {
  const stored = keysWithin(keys, first_page, last_page)
  const values = [tenant_id, stored, first_page, last_page, newest_first, pages_max]
  const rows = await query<{ page: string; place: string }>(
    'SELECT page, place FROM svc_pages_of_keys($1, $2::integer[], $3, $4, $5, $6)',
    values,
  )
  return rows.map(({ page, place }) => Number(page) * page_records + ((Number(place) - 1) % page_records) + 1)
}

export interface Period {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** No full page outside of these holds a record of a half-open period, unless it is late. `last_full` is the last one there is, or -1. */
export async function pagesOfPeriod(
  query: Query,
  tenant_id: string,
  { from, to }: Period,
): Promise<PageRange & { last_full: number }> {
  const [row] = await query<{ last: string | null; first_in: string | null; last_in: string | null }>(
    period_sql,
    [tenant_id, from ?? null, to ?? null],
  )
  const last_full = Number(row!.last ?? -1)
  return {
    first_page: from === undefined ? 0 : Number(row!.first_in ?? last_full + 1),
    last_page: to === undefined ? last_full : Math.min(last_full, Number(row!.last_in)),
    last_full,
  }
}

/** Those in a range that hold a record from before a time, though later ones came before it. */
export async function latePages(
  query: Query,
  tenant_id: string,
  { first_page, last_page }: PageRange,
  to: string,
  newest_first: boolean,
  limit: number,
): Promise<number[]> {
  const rows = await query<{ page: string }>(newest_first ? late_down : late_up, [
    ...[tenant_id, first_page, last_page],
    ...[to, limit],
  ])
  return rows.map(({ page }) => Number(page))
}

function lateSql(order: 'ASC' | 'DESC'): string {
  return `
  SELECT p.page FROM audit_pages p
  WHERE p.tenant_id = $1 AND p.is_late AND p.page BETWEEN $2 AND $3 AND p.from_at < $4::timestamptz
  ORDER BY p.tenant_id ${order}, p.page ${order} LIMIT $5`
}

const late_down = lateSql('DESC')
const late_up = lateSql('ASC')

// A page that is not late has nothing older than a minute before the latest of the pages before it.
const period_sql = `
  SELECT (SELECT p.page FROM audit_pages p WHERE p.tenant_id = $1 ORDER BY p.tenant_id DESC, p.page DESC LIMIT 1) AS last,
    (SELECT p.page FROM audit_pages p WHERE p.tenant_id = $1 AND p.latest_at >= $2::timestamptz
      ORDER BY p.tenant_id, p.latest_at, p.page LIMIT 1) AS first_in,
    1 + coalesce((SELECT p.page FROM audit_pages p
      WHERE p.tenant_id = $1 AND p.latest_at < $3::timestamptz + interval '${late_ms} ms'
      ORDER BY p.tenant_id DESC, p.latest_at DESC, p.page DESC LIMIT 1), -1) AS last_in`
