// Whether pages are found by what their records say: a summary that leaves something out would hide it from every search.
import { isDeepStrictEqual } from 'node:util'
import type { Query } from '../query/client-query.ts'
import { page_records, pageOf, type Summary, summaryOf } from './page.ts'
import type { StoredRecord } from './read-records.ts'
import { bodyOf } from './stored-record.ts'

interface SummaryRow {
  readonly page: string
  readonly keys: number[]
  readonly from_at: Date
  readonly to_at: Date
  readonly latest_at: Date
  readonly latest_before: Date | null
  readonly is_late: boolean
  /** Null where it is in the archive. */
  readonly is_whole: boolean | null
}

/** The first record of each full page among these records whose summary is not theirs, in order. */
export async function wrongSummaries(
  query: Query,
  tenant_id: string,
  records: readonly StoredRecord[],
): Promise<number[]> {
  const pages = Map.groupBy(records, ({ seq }) => pageOf(seq))
  const full = [...pages].filter(([, of_page]) => of_page.length === page_records)
  if (full.length === 0) return []
  const rows = await query<SummaryRow>(
    `SELECT p.page, p.keys, p.from_at, p.to_at, p.latest_at, p.is_late, sha256(p.bytes) = p.sha256 AS is_whole,
       (SELECT b.latest_at FROM audit_pages b WHERE b.tenant_id = p.tenant_id AND b.page = p.page - 1) AS latest_before
     FROM audit_pages p WHERE p.tenant_id = $1 AND p.page = ANY($2::bigint[])`,
    [tenant_id, full.map(([page]) => page)],
  )
  const expected = new Map(rows.map((row) => [Number(row.page), expectedOf(row, pages)]))
  const wrong = rows
    .filter((row) => isWrong(row, expected.get(Number(row.page))))
    .map(({ page }) => Number(page))
  const terms = [...expected].flatMap(([page, summary]) =>
    (summary?.terms ?? []).map((term) => ({ page, term })),
  )
  const hidden = await query<{ page: string }>(
    `SELECT DISTINCT e.page FROM unnest($2::bigint[], $3::text[]) AS e(page, term) WHERE NOT EXISTS (
       SELECT FROM audit_terms t WHERE t.tenant_id = $1 AND t.term = e.term AND t.page = e.page)`,
    [tenant_id, terms.map(({ page }) => page), terms.map(({ term }) => term)],
  )
  const all = new Set([...wrong, ...hidden.map(({ page }) => Number(page))])
  return [...all].sort((a, b) => a - b).map((page) => page * page_records + 1)
}

/** Undefined where some record cannot be read: that is found by its hash. */
function expectedOf(
  row: SummaryRow,
  pages: ReadonlyMap<number, readonly StoredRecord[]>,
): Summary | undefined {
  const page = Number(row.page)
  const texts = pages.get(page)!.flatMap((record) => {
    const fields = bodyOf(record)
    return fields ? [{ fields, record_hash: record.record_hash }] : []
  })
  return texts.length === page_records ? summaryOf(page, texts, row.latest_before?.getTime() ?? 0) : undefined
}

function isWrong(row: SummaryRow, expected: Summary | undefined): boolean {
  if (!expected) return false
  const { terms: _, ...summary } = expected
  const stored = {
    keys: row.keys,
    from_ms: row.from_at.getTime(),
    to_ms: row.to_at.getTime(),
    latest_ms: row.latest_at.getTime(),
    is_late: row.is_late,
  }
  return row.is_whole === false || !isDeepStrictEqual(stored, summary)
}
