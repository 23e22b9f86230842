// Checks a whole log where it is stored: every record, what pages are found by, the tree and its end, in PostgreSQL and in the archive.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { queryOf } from '../query/query.ts'
import { isAuditLogSigned } from '../query/replay.ts'
import { verifySpan } from '../query/span.ts'
import { firstOutsideTree } from '../tree/check-tree.ts'
import type { PageStore } from './page-store.ts'
import type { ColdPage } from './restore-pages.ts'

export interface CheckedLog {
  readonly tenant_id: string
  readonly records: number
  /** Of what was read in the archive. */
  readonly pages: number
  readonly bytes: number
  /** The archive has no object for them, or another. */
  readonly unreadable: readonly ColdPage[]
  /** Undefined where all is right. */
  readonly first_bad_seq: number | undefined
}

interface Ends {
  readonly head_seq: string
  readonly signed: string
  readonly stored: string
}

/** Throws where the archive does not answer. Without one, archived pages are refused. */
export async function checkLog(
  db: Database,
  store: PageStore | undefined,
  tenant_id: string,
): Promise<CheckedLog> {
  const figures = { pages: 0, bytes: 0 }
  const missing = new Set<string>()
  const page_archive = store && {
    async read(page: Parameters<PageStore['get']>[0]) {
      const bytes = await store.get(page)
      if (bytes) figures.pages++
      else missing.add(page.sha256)
      figures.bytes += bytes?.length ?? 0
      return bytes
    },
  }
  const checked_db: Database = { ...db, page_archive }
  const ends = await readEnds(db, tenant_id)
  const first_bad_seq = ends && (await firstWrong(checked_db, tenant_id, ends))
  const unreadable = await pagesNamed(db, tenant_id, [...missing])
  return { tenant_id, records: Number(ends?.stored ?? 0), ...figures, unreadable, first_bad_seq }
}

async function pagesNamed(db: Database, tenant_id: string, names: readonly string[]): Promise<ColdPage[]> {
  if (names.length === 0) return []
  const rows = await sql<{ page: string; sha256: string; length: number }>`
    SELECT page, encode(sha256, 'hex') AS sha256, part_ends[4] AS length FROM audit_pages
    WHERE tenant_id = ${tenant_id} AND bytes IS NULL AND encode(sha256, 'hex') = ANY(${names}::text[])
    ORDER BY page`.all(db)
  return rows.map(({ page, ...row }) => ({ tenant_id, page: Number(page), ...row }))
}

async function firstWrong(db: Database, tenant_id: string, ends: Ends): Promise<number | undefined> {
  const [head_seq, signed, stored] = [ends.head_seq, ends.signed, ends.stored].map(Number) as [
    number,
    number,
    number,
  ]
  const size = Math.min(head_seq, signed, stored)
  const verdict = size === 0 ? undefined : await verifySpan(db, tenant_id, { first_seq: 1, last_seq: size })
  const wrong = [verdict?.first_bad_seq, await firstOutsideTree(queryOf(db), tenant_id, size)]
  if (head_seq !== signed || stored !== signed) wrong.push(size + 1)
  if (signed > 0 && !(await isAuditLogSigned(db, tenant_id))) wrong.push(size)
  const seqs = wrong.filter((seq) => seq !== undefined)
  return seqs.length === 0 ? undefined : Math.min(...seqs)
}

/** In one statement, so that records which are written meanwhile are in all of them or in none. */
async function readEnds(db: Database, tenant_id: string): Promise<Ends | undefined> {
  return await sql<Ends>`
    SELECT h.seq AS head_seq,
      (SELECT coalesce(max(size), 0) FROM audit_checkpoints c WHERE c.tenant_id = h.tenant_id) AS signed,
      greatest((SELECT coalesce(max(last_seq), 0) FROM audit_pages p WHERE p.tenant_id = h.tenant_id),
        (SELECT coalesce(max(last_seq), 0) FROM audit_tail t WHERE t.tenant_id = h.tenant_id)) AS stored
    FROM chain_heads h WHERE h.tenant_id = ${tenant_id}`.first(db)
}

/** Tenants with a log, some at a time. */
export async function logsAfter(db: Database, after: string): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }>`
    SELECT tenant_id FROM chain_heads WHERE tenant_id > ${after} ORDER BY tenant_id LIMIT 200`.all(db)
  return rows.map(({ tenant_id }) => tenant_id)
}
