// Pages whose 256 records are all written and still lie in the tail: somebody changed them there, and they stay as evidence.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { queryOf } from '../query/query.ts'
import { page_records } from './page.ts'
import { readRecords } from './read-records.ts'
import { isSound } from './stored-record.ts'

const pages_max = 1_000

export interface UnmergedPage {
  readonly tenant_id: string
  readonly first_seq: number
  readonly last_seq: number
  readonly reason: string
}

export async function unmergedPages(
  db: Database,
  tenant_ids?: readonly string[] | undefined,
  onPage?: (looked_at: number, of: number) => void,
): Promise<UnmergedPage[]> {
  const rows = await sql<{ tenant_id: string; page: string }>`
    SELECT DISTINCT t.tenant_id, (t.last_seq - 1) / 256 AS page FROM audit_tail t JOIN chain_heads h USING (tenant_id)
    WHERE ((t.last_seq - 1) / 256 + 1) * 256 <= h.seq
      AND (${tenant_ids ?? null}::text[] IS NULL OR tenant_id = ANY(${tenant_ids ?? null}::text[]))
    ORDER BY 1, 2 LIMIT ${pages_max}`.all(db)
  const pages: UnmergedPage[] = []
  for (const { tenant_id, page } of rows) {
    const first_seq = Number(page) * page_records + 1
    const last_seq = first_seq + page_records - 1
    pages.push({ tenant_id, first_seq, last_seq, reason: await reasonOf(db, tenant_id, first_seq, last_seq) })
    onPage?.(pages.length, rows.length)
  }
  return pages
}

async function reasonOf(
  db: Database,
  tenant_id: string,
  first_seq: number,
  last_seq: number,
): Promise<string> {
  const range = { from_seq: first_seq, to_seq: last_seq }
  let expected = first_seq
  for (const record of await readRecords(queryOf(db), tenant_id, [range])) {
    if (record.seq !== expected) break
    if (!isSound(record)) return `record ${record.seq} was changed`
    expected++
  }
  return expected <= last_seq
    ? `record ${expected} is missing`
    : 'its records are right now, and were not when the page was filled'
}
