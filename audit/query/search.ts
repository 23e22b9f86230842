// Searches through an audit log: every record that matches, some pages at a time.
import { page_records, pageOf } from '../pages/page.ts'
import { readRecords, type SeqRange, type StoredRecord } from '../pages/read-records.ts'
import { candidateRanges } from './candidate-ranges.ts'
import type { Query } from './client-query.ts'
import { matcherOf, type RecordFilter } from './record-filter.ts'

const pages_at_once = 4

export async function* searchRecords(
  query: Query,
  tenant_id: string,
  filter: Omit<RecordFilter, 'limit'>,
): AsyncGenerator<StoredRecord[]> {
  const matches = matcherOf(filter)
  for await (const ranges of candidateRanges(query, tenant_id, filter)) {
    const records = await readRecords(query, tenant_id, ranges, matches)
    yield filter.newest_first ? records.reverse() : records
  }
}

/** Every record of a range in order, some whole pages at a time, so that a long log is never in memory as a whole. */
export async function* scanRecords(
  query: Query,
  tenant_id: string,
  { from_seq, to_seq }: SeqRange,
): AsyncGenerator<StoredRecord[]> {
  let first = from_seq
  while (first <= to_seq) {
    const last = Math.min(to_seq, (pageOf(first) + pages_at_once) * page_records)
    yield await readRecords(query, tenant_id, [{ from_seq: first, to_seq: last }])
    first = last + 1
  }
}
