// Queries of a compliance report over a span: which records a rule applies to, and which of them break it.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { Span } from './span.ts'

const samples_max = 5

/** SQL conditions over one record `r` with its body as jsonb `b`. */
const questions = {
  refusals: { subject: `r.outcome = 'refused'`, kept: `b->'meta' ? 'reason'` },
  state_changes: { subject: `r.event_type = 'ProtocolInvocation'`, kept: `b->'meta' ? 'grant'` },
  borrowed_authority: {
    subject: `r.event_type = 'ProtocolInvocation' AND b->'meta'->>'grant_source' IN ('delegation', 'treaty', 'envelope')`,
    kept: `b->'meta' ? 'grant_ref'`,
  },
  charter_operations: {
    subject: `r.event_type = 'ProtocolInvocation' AND (r.protocol, r.operation) IN
      (('MOAT', 'sign'), ('MAUSOLEUM', 'initiate'), ('MAXIM', 'author'), ('MEAL', 'admin_set_rate'), ('MEAL', 'admin'))`,
    kept: `b->'meta'->'module' ? 'verdict'`,
  },
  reconciliations: {
    subject: `r.event_type = 'ProtocolInvocation' AND r.protocol = 'MEAL' AND r.operation = 'reconcile'`,
    kept: `b->'meta'->'module'->>'balanced' = 'true'`,
  },
  verdicts: { subject: `r.event_type = 'MotionTallied'`, kept: `b->'meta' ? 'dissent_count'` },
} as const

export type Question = keyof typeof questions

export interface Findings {
  readonly subjects: number
  /** Record hashes, a few of each. */
  readonly breaches: readonly string[]
  readonly samples: readonly string[]
}

export interface AuthorityUse {
  readonly source: 'delegation' | 'treaty' | 'envelope'
  readonly ref: string
  readonly calls: number
}

/** Which delegations, treaties and envelopes calls were made under, the most used first. */
export async function authoritiesUsed(
  db: Database,
  tenant_id: string,
  span: Span,
  limit: number,
): Promise<AuthorityUse[]> {
  const rows = await sql<Omit<AuthorityUse, 'calls'> & { calls: string }>`
    SELECT source, ref, count(*) AS calls
    FROM (
      SELECT b->'meta'->>'grant_source' AS source, b->'meta'->>'grant_ref' AS ref
      FROM audit_records r, LATERAL (SELECT CASE WHEN r.body IS JSON OBJECT THEN r.body::jsonb END AS b) parsed
      WHERE r.tenant_id = ${tenant_id} AND r.seq BETWEEN ${span.first_seq} AND ${span.last_seq}
        AND r.event_type = 'ProtocolInvocation' AND b->'meta' ? 'grant_ref'
        AND NOT b->'meta' @> '{"appended": true}'
    ) named
    WHERE source IN ('delegation', 'treaty', 'envelope')
    GROUP BY source, ref ORDER BY count(*) DESC, source, ref LIMIT ${limit}`.all(db)
  return rows.map(({ source, ref, calls }) => ({ source, ref, calls: Number(calls) }))
}

export async function countMatching(
  db: Database,
  tenant_id: string,
  span: Span,
  question: Question,
): Promise<Findings> {
  const { subject, kept } = questions[question]
  const rows = await sql<{ subjects: string; breaches: Buffer[] | null; samples: Buffer[] | null }>`
    SELECT count(*) AS subjects,
      (array_agg(hash ORDER BY seq) FILTER (WHERE NOT kept))[1:${sql.lit(samples_max)}] AS breaches,
      (array_agg(hash ORDER BY seq))[1:${sql.lit(samples_max)}] AS samples
    FROM (
      SELECT r.seq, r.record_hash AS hash, coalesce(${sql.raw(kept)}, false) AS kept
      -- What was written over with something that is no JSON counts as broken; it must not break the question.
      FROM audit_records r, LATERAL (SELECT CASE WHEN r.body IS JSON OBJECT THEN r.body::jsonb END AS b) parsed
      WHERE r.tenant_id = ${tenant_id} AND r.seq BETWEEN ${span.first_seq} AND ${span.last_seq}
        AND ${sql.raw(subject)}
    ) asked`.all(db)
  const [row] = rows
  const hexes = (hashes: Buffer[] | null | undefined) => (hashes ?? []).map((hash) => hash.toString('hex'))
  return {
    subjects: Number(row?.subjects ?? 0),
    breaches: hexes(row?.breaches),
    samples: hexes(row?.samples),
  }
}
