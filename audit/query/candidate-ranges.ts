// Where a search reads, a few pages at a time and in the order span for: a search that has enough reads no further.
import { type PageRange, pagesOfPeriod, pagesWithTerms, placesOfCorrelations } from '../pages/find-pages.ts'
import { page_records, pageOf } from '../pages/page.ts'
import type { SeqRange } from '../pages/read-records.ts'
import type { Query } from './client-query.ts'
import { type RecordFilter, termGroups } from './record-filter.ts'

/** Pages read at once: one at first, then twice as many each time. */
const pages_at_once_max = 16
const places_at_once = 256

type Filter = Omit<RecordFilter, 'limit'>

interface Search {
  readonly query: Query
  readonly tenant_id: string
  readonly filter: Filter
  readonly span: SeqRange
}

export async function* candidateRanges(
  query: Query,
  tenant_id: string,
  filter: Filter,
): AsyncGenerator<SeqRange[]> {
  const { after_seq = 0, before_seq = Number.MAX_SAFE_INTEGER, correlation_ids, newest_first } = filter
  const span = { from_seq: after_seq + 1, to_seq: before_seq - 1 }
  const search = { query, tenant_id, filter, span }
  const pages = await pagesOfPeriod(query, tenant_id, correlation_ids ? {} : filter)
  const tail = within(span, { from_seq: (pages.last_full + 1) * page_records + 1, to_seq: span.to_seq })
  if (newest_first) yield tail
  if (correlation_ids) yield* placesOf(search, correlation_ids)
  else yield* pagesOf(search, pages)
  if (!newest_first) yield tail
}

async function* placesOf(search: Search, correlation_ids: readonly string[]): AsyncGenerator<SeqRange[]> {
  const { query, tenant_id, span, filter } = search
  const seqs = await placesOfCorrelations(query, tenant_id, correlation_ids)
  seqs.sort(filter.newest_first ? (a, b) => b - a : (a, b) => a - b)
  for (let at = 0; at < seqs.length; at += places_at_once)
    yield seqs.slice(at, at + places_at_once).flatMap((seq) => within(span, { from_seq: seq, to_seq: seq }))
}

async function* pagesOf(search: Search, range: PageRange): AsyncGenerator<SeqRange[]> {
  const { span, filter } = search
  let first_page = Math.max(range.first_page, pageOf(span.from_seq))
  let last_page = Math.min(range.last_page, pageOf(span.to_seq))
  for (let count = 1; first_page <= last_page; count = Math.min(count * 2, pages_at_once_max)) {
    const pages = await nextPages(search, { first_page, last_page }, count)
    if (pages.length === 0) return
    yield pages.flatMap((page) =>
      within(span, { from_seq: page * page_records + 1, to_seq: (page + 1) * page_records }),
    )
    if (filter.newest_first) last_page = pages.at(-1)! - 1
    else first_page = pages.at(-1)! + 1
  }
}

async function nextPages(search: Search, range: PageRange, count: number): Promise<number[]> {
  const { query, tenant_id, filter } = search
  const groups = termGroups(filter)
  if (groups.length > 0)
    return await pagesWithTerms(query, tenant_id, groups, range, filter.newest_first ?? false, count)
  const { first_page, last_page } = range
  const length = Math.min(count, last_page - first_page + 1)
  return Array.from({ length }, (_, step) => (filter.newest_first ? last_page - step : first_page + step))
}

/** What two ranges have in common: one range or none. */
function within(a: SeqRange, b: SeqRange): SeqRange[] {
  const from_seq = Math.max(a.from_seq, b.from_seq)
  const to_seq = Math.min(a.to_seq, b.to_seq)
  return from_seq <= to_seq ? [{ from_seq, to_seq }] : []
}
