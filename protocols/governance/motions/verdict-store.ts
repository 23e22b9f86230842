// Verdicts as rows: the decision never changes, its uses are counted.

import type { Database } from '@svc/contract/database'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import { type Fragment, type NotNull, sql } from '@svc/database/sql'
import { nameOf } from './motion.ts'
import { idOfRef, refOf, type Verdict, type VerdictBody } from './verdict.ts'

interface VerdictRow {
  readonly verdict_id: string
  readonly body: string
  readonly uses: number
  readonly registered: string | null
}

export async function keepVerdict(db: Database, body: VerdictBody): Promise<Verdict> {
  const verdict_id = contentHash(body)
  const { tenant_id, motion_id, outcome, max_uses, tallied_at } = body
  await sql`
    INSERT INTO verdicts (tenant_id, verdict_id, motion_id, outcome, body, max_uses, tallied_at)
    VALUES (${tenant_id}, ${verdict_id}, ${motion_id}, ${outcome}, ${canonicalJson(body)}, ${max_uses},
      ${tallied_at})`.execute(db)
  // Only charter-level verdicts are looked up by what they bind.
  const binds = body.charter_level && !body.sole_member ? body.binds : []
  for (const bind of binds)
    await sql`
      INSERT INTO verdict_binds (tenant_id, operation, subject, tallied_at, verdict_id)
      VALUES (${tenant_id}, ${nameOf(bind)}, ${bind.subject}, ${tallied_at}, ${verdict_id})
      ON CONFLICT DO NOTHING`.execute(db)
  return { ...body, verdict_id, ref: refOf(verdict_id), uses: 0, registered: null }
}

export async function keepRegistered(db: Database, { tenant_id, verdict_id }: Verdict, registered: string) {
  await sql`
    UPDATE verdicts SET registered = ${registered}
    WHERE tenant_id = ${tenant_id} AND verdict_id = ${verdict_id}`.execute(db)
}

/** Undefined if this tenant has no such verdict. */
export async function findVerdict(
  db: Database,
  tenant_id: string,
  ref: string,
): Promise<Verdict | undefined> {
  const verdict_id = idOfRef(ref)
  return verdict_id === undefined ? undefined : readVerdict(db, tenant_id, sql`v.verdict_id = ${verdict_id}`)
}

/** Its uses are locked until the transaction ends. */
export async function lockVerdict(
  db: Database,
  tenant_id: string,
  ref: string,
): Promise<Verdict | undefined> {
  const verdict_id = idOfRef(ref)
  if (verdict_id === undefined) return undefined
  return readVerdict(db, tenant_id, sql`v.verdict_id = ${verdict_id} FOR UPDATE`)
}

export async function findVerdictOf(
  db: Database,
  tenant_id: string,
  motion_id: string,
): Promise<Verdict | undefined> {
  return readVerdict(db, tenant_id, sql`v.motion_id = ${motion_id}`)
}

/** Verdicts by motion. */
export async function verdictsOf(
  db: Database,
  tenant_id: string,
  motion_ids: readonly string[],
): Promise<ReadonlyMap<string, Verdict>> {
  const rows = await sql<VerdictRow & { motion_id: NotNull<string> }>`
    SELECT ${verdict_columns}, v.motion_id FROM verdicts v
    WHERE v.tenant_id = ${tenant_id} AND v.motion_id = ANY(${motion_ids}::uuid[])`.all(db)
  return new Map(rows.map((row) => [row.motion_id, verdictOf(row)]))
}

// Compared with the stored uses: lowering the counter in the row frees none.
const verdict_columns = sql`v.verdict_id, v.body, v.registered,
  greatest(v.uses, (SELECT count(*) FROM verdict_uses u
    WHERE u.tenant_id = v.tenant_id AND u.verdict_id = v.verdict_id))::integer AS uses`

async function readVerdict(db: Database, tenant_id: string, which: Fragment): Promise<Verdict | undefined> {
  const row = await sql<VerdictRow>`
    SELECT ${verdict_columns} FROM verdicts v WHERE v.tenant_id = ${tenant_id} AND ${which}`.first(db)
  return row && verdictOf(row)
}

function verdictOf({ verdict_id, body, uses, registered }: VerdictRow): Verdict {
  return { ...(JSON.parse(body) as VerdictBody), verdict_id, ref: refOf(verdict_id), uses, registered }
}

/** Newest first. */
export async function findBinding(
  db: Database,
  tenant_id: string,
  { operation, subject }: { readonly operation: string; readonly subject: string },
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ verdict_id: string }>`
    SELECT verdict_id FROM verdict_binds
    WHERE tenant_id = ${tenant_id} AND operation = ${operation} AND subject = ${subject}
    ORDER BY tallied_at DESC, verdict_id LIMIT ${limit}`.all(db)
  return rows.map(({ verdict_id }) => refOf(verdict_id))
}

export interface Use {
  readonly operation: string
  readonly subject: string
  readonly correlation_id: string
  readonly used_by: string
  readonly used_at: string
}

/** Under the row lock; the database also ensures that no number is used twice. */
export async function useVerdict(
  db: Database,
  { tenant_id, verdict_id, uses }: Verdict,
  use: Use,
): Promise<void> {
  const { operation, subject, correlation_id, used_by, used_at } = use
  await sql`
    INSERT INTO verdict_uses (tenant_id, verdict_id, use_no, operation, subject, correlation_id, used_by, used_at)
    VALUES (${tenant_id}, ${verdict_id}, ${uses + 1}, ${operation}, ${subject}, ${correlation_id}, ${used_by},
      ${used_at})`.execute(db)
  await sql`
    UPDATE verdicts SET uses = ${uses + 1}
    WHERE tenant_id = ${tenant_id} AND verdict_id = ${verdict_id}`.execute(db)
}
