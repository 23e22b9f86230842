// Walks the archived pages: brings them back into PostgreSQL, or only checks that each is there.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { PageStore } from './page-store.ts'

const batch_pages = 16
const at_once_max = 4

export interface PageSelection {
  /** All tenants unless given. */
  readonly tenant_ids?: readonly string[] | undefined
  /** Pages with records of this half-open period. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

export interface ColdPage {
  readonly tenant_id: string
  readonly page: number
  readonly sha256: string
  readonly length: number
}

export interface WalkedBatch {
  readonly pages: number
  readonly bytes: number
  /** The archive has no object for them, or another. */
  readonly unreadable: readonly ColdPage[]
}

/** Every archived page of the selection, a batch at a time; `use` is given what the archive has, if it is right. */
async function* walk(
  db: Database,
  store: PageStore,
  selection: PageSelection,
  use: (page: ColdPage, bytes: Buffer) => Promise<void>,
): AsyncGenerator<WalkedBatch> {
  let last: ColdPage | undefined
  for (;;) {
    const cold = await nextPages(db, selection, last)
    if (cold.length === 0) return
    last = cold.at(-1)
    const missing = new Set<ColdPage>()
    let [next, bytes] = [0, 0]
    const work = async () => {
      while (next < cold.length) {
        const page = cold[next++]!
        const content = await store.get({ sha256: page.sha256, bytes: page.length })
        if (content) await use(page, content)
        else missing.add(page)
        bytes += content?.length ?? 0
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: at_once_max }, work))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    yield { pages: cold.length - missing.size, bytes, unreadable: cold.filter((page) => missing.has(page)) }
  }
}

/** Brings pages back; their objects stay in the archive. */
export function restorePages(
  db: Database,
  store: PageStore,
  selection: PageSelection,
): AsyncGenerator<WalkedBatch> {
  return walk(db, store, selection, async ({ tenant_id, page }, bytes) => {
    await sql`
      UPDATE audit_pages SET bytes = ${bytes}
      WHERE tenant_id = ${tenant_id} AND page = ${page} AND bytes IS NULL`.execute(db)
  })
}

export function checkArchive(
  db: Database,
  store: PageStore,
  selection: PageSelection,
): AsyncGenerator<WalkedBatch> {
  return walk(db, store, selection, async () => {})
}

async function nextPages(
  db: Database,
  { tenant_ids, from, to }: PageSelection,
  after: ColdPage | undefined,
): Promise<ColdPage[]> {
  const rows = await sql<{ tenant_id: string; page: string; sha256: string; length: number }>`
    SELECT tenant_id, page, encode(sha256, 'hex') AS sha256, part_ends[4] AS length FROM audit_pages
    WHERE bytes IS NULL AND (tenant_id, page) > (${after?.tenant_id ?? ''}, ${after?.page ?? 0}::bigint)
      AND (${tenant_ids ?? null}::text[] IS NULL OR tenant_id = ANY(${tenant_ids ?? null}::text[]))
      AND to_at >= ${from ?? '-infinity'}::timestamptz AND from_at < ${to ?? 'infinity'}::timestamptz
    ORDER BY tenant_id, page LIMIT ${batch_pages}`.all(db)
  return rows.map(({ tenant_id, page, sha256, length }) => ({
    tenant_id,
    page: Number(page),
    sha256,
    length,
  }))
}
