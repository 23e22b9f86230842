// Patterns as rows: one per tenant and pattern, with its frequency at each search.

import type { Database } from '@svc/contract/database'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import type { Pattern } from './pattern.ts'

export interface PatternSupport {
  readonly pattern_id: string
  readonly pattern: Pattern
  readonly recurrences: number
  readonly consistency_bps: number
  readonly lift: number
  readonly first_seen: string
  readonly last_seen: string
  readonly exemplars: readonly string[]
  readonly counterexamples: readonly string[]
}

export interface Surfacing {
  readonly tenant_id: string
  readonly surfacing: string
  readonly window_days: number
  readonly head: string
  readonly at: string
}

/** Ordered by id, so that concurrent searches cannot deadlock. */
export async function keepPatterns(
  db: Database,
  by: Surfacing,
  pattern_supports: readonly PatternSupport[],
): Promise<void> {
  if (pattern_supports.length === 0) return
  const { tenant_id, surfacing, window_days, head, at } = by
  const sorted = pattern_supports.toSorted((a, b) => (a.pattern_id < b.pattern_id ? -1 : 1))
  const bodies = sorted.map(({ pattern_id, pattern }) => ({ pattern_id, body: canonicalJson(pattern) }))
  await sql`
    INSERT INTO patterns (tenant_id, pattern_id, body, first_surfaced_at, surfaced_at)
    SELECT ${tenant_id}, p.pattern_id, p.body, ${at}, ${at}
    FROM json_to_recordset(${JSON.stringify(bodies)}::json) AS p(pattern_id text, body text)
    ORDER BY p.pattern_id COLLATE "C"
    ON CONFLICT (tenant_id, pattern_id) DO UPDATE SET surfaced_at = excluded.surfaced_at`.execute(db)
  const support = sorted.map(({ pattern: _, ...rest }) => rest)
  await sql`
    INSERT INTO pattern_support (tenant_id, pattern_id, surfacing, surfaced_at, window_days, head, recurrences,
      consistency_bps, lift, first_seen, last_seen, exemplars, counterexamples)
    SELECT ${tenant_id}, s.pattern_id, ${surfacing}, ${at}, ${window_days}, ${head}, s.recurrences,
      s.consistency_bps, s.lift, s.first_seen, s.last_seen, s.exemplars, s.counterexamples
    FROM json_to_recordset(${JSON.stringify(support)}::json) AS s(pattern_id text, recurrences integer,
      consistency_bps integer, lift bigint, first_seen timestamptz, last_seen timestamptz, exemplars text[],
      counterexamples text[])
    ON CONFLICT DO NOTHING`.execute(db)
}

/** With its last window. Locked against other proposals until the transaction ends. */
export async function lockPattern(
  db: Database,
  tenant_id: string,
  pattern_id: string,
): Promise<{ pattern: Pattern; window_days: number } | undefined> {
  const row = await sql<{ body: string; window_days: number }>`
    SELECT p.body, (
      SELECT s.window_days FROM pattern_support s
      WHERE s.tenant_id = p.tenant_id AND s.pattern_id = p.pattern_id
      ORDER BY s.surfaced_at DESC, s.surfacing LIMIT 1
    ) AS window_days
    FROM patterns p WHERE p.tenant_id = ${tenant_id} AND p.pattern_id = ${pattern_id} FOR UPDATE OF p`.first(
    db,
  )
  return row && { pattern: JSON.parse(row.body) as Pattern, window_days: row.window_days }
}
