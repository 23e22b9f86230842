// Records that a search leaves out though nothing in its answer looks wrong: pages that claim another time, and an end that is missing.
import type { Database } from '@svc/contract/database'
import { wrongSummaries } from '../pages/check-pages.ts'
import { type Period, pagesOfPeriod } from '../pages/find-pages.ts'
import { page_records, pageOf } from '../pages/page.ts'
import { readHashes } from '../pages/read-hashes.ts'
import { readRecords } from '../pages/read-records.ts'
import type { Query } from './client-query.ts'
import { queryOf } from './query.ts'
import type { Span } from './span.ts'

/** The first record that is hidden from a period, as far as the pages next to it and the newest checkpoint show. */
export async function firstHidden(
  db: Database,
  tenant_id: string,
  period: Period,
  span: Span | undefined,
): Promise<number | undefined> {
  const query = queryOf(db)
  return (await wrongNeighbour(query, tenant_id, period, span)) ?? (await firstMissingAtEnd(query, tenant_id))
}

/** To hide pages at either end of a period, the one next to what is shown of it must claim another time. */
async function wrongNeighbour(
  query: Query,
  tenant_id: string,
  period: Period,
  span: Span | undefined,
): Promise<number | undefined> {
  const { first_page, last_page, last_full } = await pagesOfPeriod(query, tenant_id, period)
  const first = span ? pageOf(span.first_seq) : first_page
  const last = span ? pageOf(span.last_seq) : last_page
  const near = new Set([first - 1, first, last, last + 1])
  for (const page of [...near].filter((one) => one >= 0 && one <= last_full)) {
    const range = { from_seq: page * page_records + 1, to_seq: (page + 1) * page_records }
    const [wrong] = await wrongSummaries(query, tenant_id, await readRecords(query, tenant_id, [range]))
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** The first record behind the last full page that the newest checkpoint covers and that is not stored. */
async function firstMissingAtEnd(query: Query, tenant_id: string): Promise<number | undefined> {
  const [newest] = await query<{ size: string }>(
    'SELECT size FROM audit_checkpoints WHERE tenant_id = $1 ORDER BY size DESC LIMIT 1',
    [tenant_id],
  )
  const to_seq = Number(newest?.size ?? 0)
  const { last_full } = await pagesOfPeriod(query, tenant_id, {})
  const from_seq = (last_full + 1) * page_records + 1
  if (from_seq > to_seq) return undefined
  const hashes = await readHashes(query, tenant_id, [{ from_seq, to_seq }])
  for (let seq = from_seq; seq <= to_seq; seq++) if (!hashes.has(seq)) return seq
  return undefined
}
