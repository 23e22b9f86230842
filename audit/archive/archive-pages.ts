// Moves old pages into the archive. A page leaves PostgreSQL only after it was read back and compared.
import { hash } from 'node:crypto'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { PageStore } from './page-store.ts'

/** Pages of one statement, and how many of them are written at once. */
const batch_pages = 16
const at_once_max = 4
/** A page that was altered stays in PostgreSQL as evidence, and is looked at again this much later. */
const altered_s = 3_600

export interface HotPage {
  readonly tenant_id: string
  readonly page: number
}

export interface ArchiveOrder {
  /** Pages whose newest record is older, or that came back from the archive before then. */
  readonly older_than: Date
  /** All tenants unless given. */
  readonly tenant_ids?: readonly string[] | undefined
  /** How long others leave these pages alone. */
  readonly claim_s: number
}

export interface ArchivedBatch {
  readonly claimed: number
  readonly pages: number
  readonly bytes: number
  /** Their bytes are not those of their hash: they stay, and fail to verify. */
  readonly altered: readonly HotPage[]
}

/** One batch. Throws where the archive fails: what was read back by then has left, the rest stays. */
export async function archiveBatch(
  db: Database,
  store: PageStore,
  order: ArchiveOrder,
): Promise<ArchivedBatch> {
  const claimed = await claimPages(db, order)
  if (claimed.length > 0) await store.prepare(() => hasArchivedPages(db))
  const moved: StoredPage[] = []
  const altered: HotPage[] = []
  let next = 0
  const work = async () => {
    while (next < claimed.length) {
      const stored = await readHot(db, claimed[next++]!)
      if (!stored) continue
      if (hash('sha256', stored.bytes) !== stored.sha256) altered.push(stored)
      else {
        await copyOut(store, stored)
        moved.push(stored)
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: at_once_max }, work))
  if (moved.length > 0) {
    // A disk that was unmounted meanwhile took nothing, though the folder below it did.
    await store.prepare(async () => true)
    await dropBytes(db, moved)
  }
  if (altered.length > 0) await postpone(db, altered)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  const bytes = moved.reduce((sum, page) => sum + page.bytes.length, 0)
  return { claimed: claimed.length, pages: moved.length, bytes, altered }
}

interface StoredPage extends HotPage {
  readonly sha256: string
  readonly bytes: Buffer
}

async function copyOut(store: PageStore, { sha256, bytes }: StoredPage): Promise<void> {
  const page = { sha256, bytes: bytes.length }
  await store.put(page, bytes)
  const stored = await store.get(page)
  if (!stored?.equals(bytes))
    throw new Error(`${store.place} returned other bytes than were written, so the page stays in PostgreSQL`)
}

async function claimPages(
  db: Database,
  { older_than, tenant_ids, claim_s }: ArchiveOrder,
): Promise<HotPage[]> {
  const rows = await sql<{ tenant_id: string; page: string }>`
    UPDATE audit_hot_pages h SET claimed_until = clock_timestamp() + ${claim_s}::float8 * interval '1 s'
    FROM (
      SELECT tenant_id, page FROM audit_hot_pages
      WHERE hot_since < ${older_than} AND claimed_until <= clock_timestamp()
        AND (${tenant_ids ?? null}::text[] IS NULL OR tenant_id = ANY(${tenant_ids ?? null}::text[]))
      ORDER BY hot_since LIMIT ${batch_pages} FOR UPDATE SKIP LOCKED
    ) AS due WHERE h.tenant_id = due.tenant_id AND h.page = due.page
    RETURNING h.tenant_id, h.page`.all(db)
  const pages = rows.map(({ tenant_id, page }) => ({ tenant_id, page: Number(page) }))
  // In one order, so that two engines with the same pages do not wait for each other in a circle.
  return pages.sort((a, b) =>
    a.tenant_id === b.tenant_id ? a.page - b.page : a.tenant_id < b.tenant_id ? -1 : 1,
  )
}

/** Undefined where another engine was faster. */
async function readHot(db: Database, { tenant_id, page }: HotPage): Promise<StoredPage | undefined> {
  const row = await sql<{ sha256: string; bytes: Buffer | null }>`
    SELECT encode(sha256, 'hex') AS sha256, bytes FROM audit_pages
    WHERE tenant_id = ${tenant_id} AND page = ${page}`.first(db)
  return row?.bytes ? { tenant_id, page, sha256: row.sha256, bytes: row.bytes } : undefined
}

async function dropBytes(db: Database, pages: readonly StoredPage[]): Promise<void> {
  await sql`
    UPDATE audit_pages p SET bytes = NULL
    FROM unnest(${pages.map(({ tenant_id }) => tenant_id)}::text[], ${pages.map(({ page }) => page)}::bigint[])
      AS moved(tenant_id, page)
    WHERE p.tenant_id = moved.tenant_id AND p.page = moved.page AND p.bytes IS NOT NULL`.execute(db)
}

async function postpone(db: Database, pages: readonly HotPage[]): Promise<void> {
  await sql`
    UPDATE audit_hot_pages h SET claimed_until = clock_timestamp() + ${altered_s}::float8 * interval '1 s'
    FROM unnest(${pages.map(({ tenant_id }) => tenant_id)}::text[], ${pages.map(({ page }) => page)}::bigint[])
      AS altered(tenant_id, page)
    WHERE h.tenant_id = altered.tenant_id AND h.page = altered.page`.execute(db)
}

/** Pages that should have left by then and are still in PostgreSQL. */
export async function countLag(db: Database, older_than: Date): Promise<number> {
  const row = await sql<{ pages: number }>`
    SELECT count(*)::int AS pages FROM audit_hot_pages WHERE hot_since < ${older_than}`.first(db)
  return row!.pages
}

/** Fast where some are: the oldest rows come first. */
async function hasArchivedPages(db: Database): Promise<boolean> {
  return sql`SELECT FROM audit_pages WHERE bytes IS NULL LIMIT 1`.exists(db)
}
