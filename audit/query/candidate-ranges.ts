// Where a search reads, a few pages at a time and in the order span for: a search that has enough reads no further.
import {
  latePages,
  type PageRange,
  pagesOfPeriod,
  pagesWithTerms,
  placesOfKeys,
} from '../pages/find-pages.ts'
import { page_records, pageOf } from '../pages/page.ts'
import type { SeqRange } from '../pages/read-records.ts'
import { correlationKey } from '../pages/summary.ts'
import type { Query } from './client-query.ts'
import { type RecordFilter, termGroups } from './record-filter.ts'

/** Pages read at once: one at first, then twice as many each time. */
const pages_at_once_max = 16

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
  if (correlation_ids) yield* placesOf(search, correlation_ids, pages)
  else yield* pagesInOrder(search, pages)
  if (!newest_first) yield tail
}

/** However often an id was used again, a few pages at a time. */
async function* placesOf(
  search: Search,
  correlation_ids: readonly string[],
  range: PageRange,
): AsyncGenerator<SeqRange[]> {
  const { query, tenant_id, span, filter } = search
  const keys = correlation_ids.map(correlationKey)
  const newest_first = filter.newest_first ?? false
  let { first_page, last_page } = pagesWithin(range, span)
  while (first_page <= last_page) {
    const pages = { first_page, last_page }
    const seqs = await placesOfKeys(query, tenant_id, keys, pages, newest_first, pages_at_once_max)
    if (seqs.length === 0) return
    yield seqs.flatMap((seq) => within(span, { from_seq: seq, to_seq: seq }))
    if (newest_first) last_page = pageOf(Math.min(...seqs)) - 1
    else first_page = pageOf(Math.max(...seqs)) + 1
  }
}

/** The pages of the period, and after them those that hold something of it that came late. */
async function* pagesInOrder(
  search: Search,
  { last_full, ...near }: PageRange & { readonly last_full: number },
): AsyncGenerator<SeqRange[]> {
  const { newest_first, to } = search.filter
  const after = { first_page: Math.max(near.first_page, near.last_page + 1), last_page: last_full }
  const late = to === undefined ? [] : pagesOf(search, after, nextLate(search, to))
  if (newest_first) yield* late
  yield* pagesOf(search, near, nextPages(search))
  if (!newest_first) yield* late
}

type NextPages = (range: PageRange, count: number) => Promise<number[]>

async function* pagesOf(search: Search, range: PageRange, next: NextPages): AsyncGenerator<SeqRange[]> {
  const { span, filter } = search
  let { first_page, last_page } = pagesWithin(range, span)
  for (let count = 1; first_page <= last_page; count = Math.min(count * 2, pages_at_once_max)) {
    const pages = await next({ first_page, last_page }, count)
    if (pages.length === 0) return
    yield pages.flatMap((page) =>
      within(span, { from_seq: page * page_records + 1, to_seq: (page + 1) * page_records }),
    )
    if (filter.newest_first) last_page = pages.at(-1)! - 1
    else first_page = pages.at(-1)! + 1
  }
}

function nextPages({ query, tenant_id, filter }: Search): NextPages {
  const groups = termGroups(filter)
  const newest_first = filter.newest_first ?? false
  if (groups.length > 0)
    return (range, count) => pagesWithTerms(query, tenant_id, groups, range, newest_first, count)
  return async ({ first_page, last_page }, count) => {
    const length = Math.min(count, last_page - first_page + 1)
    return Array.from({ length }, (_, step) => (newest_first ? last_page - step : first_page + step))
  }
}

function nextLate({ query, tenant_id, filter }: Search, to: string): NextPages {
  return (range, count) => latePages(query, tenant_id, range, to, filter.newest_first ?? false, count)
}

function pagesWithin({ first_page, last_page }: PageRange, { from_seq, to_seq }: SeqRange): PageRange {
  return {
    first_page: Math.max(first_page, pageOf(from_seq)),
    last_page: Math.min(last_page, pageOf(to_seq)),
  }
}

/** What two ranges have in common: one range or none. */
function within(a: SeqRange, b: SeqRange): SeqRange[] {
  const from_seq = Math.max(a.from_seq, b.from_seq)
  const to_seq = Math.min(a.to_seq, b.to_seq)
  return from_seq <= to_seq ? [{ from_seq, to_seq }] : []
}
