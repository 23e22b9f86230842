// Makes content permanently unreadable: its keys are destroyed; a tombstone with its commitment remains.
import { forgetInputs, type RecordedCall } from '@svc/audit/inputs/forget-inputs'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import type { ContentStatus } from './store.ts'

const lock_rounds_max = 8

type Keeping = Pick<OperationContext, 'db' | 'tenant_id'>

export interface ContentVersion extends RecordedCall {
  readonly ref: string
  readonly version: number
  readonly kind: string
  readonly status: ContentStatus
  readonly author_did: string
  readonly commitment: string
  readonly is_newest: boolean
}

export interface Tombstone {
  readonly ref: string
  readonly version: number
  readonly commitment: string
  readonly redacted_at: Date
}

export interface RedactionOrder {
  readonly redaction_id: string
  readonly reason: string
}

/** References of readable content about a person. */
export async function contentsAbout(
  { db, tenant_id }: Keeping,
  subject_did: string,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ ref: string }>`
    SELECT DISTINCT ref FROM content
    WHERE tenant_id = ${tenant_id} AND subject_did = ${subject_did} AND status <> 'redacted'
    ORDER BY ref LIMIT ${limit}`.all(db)
  return rows.map(({ ref }) => ref)
}

/** Locks every version of each until the transaction ends, so that nobody can add another. */
export async function lockVersions(context: Keeping, refs: readonly string[]): Promise<ContentVersion[]> {
  const { db, tenant_id } = context
  for (let round = 0; round < lock_rounds_max; round++) {
    const rows = await sql<ContentVersion>`
      SELECT ref, version, kind, status, author_did, commitment, correlation_id, record_id,
        superseded_at IS NULL AS is_newest
      FROM content WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs}) ORDER BY ref, version FOR UPDATE
    `.all(db)
    const newest_refs = new Set(rows.filter(({ is_newest }) => is_newest).map(({ ref }) => ref))
    // A concurrent edit may have added a version after the query: only a lock on the newest excludes others.
    if (rows.every(({ ref }) => newest_refs.has(ref))) return rows
  }
  throw refuse('invalid_payload', 'The content to redact keeps changing; try again.', {
    reason: 'version_conflict',
  })
}

/** Returns how many keys were left. Each version leaves a tombstone; retained inputs with it are removed. */
export async function destroyVersions(
  context: OperationContext,
  versions: readonly ContentVersion[],
  { redaction_id, reason }: RedactionOrder,
): Promise<{ readonly keys_destroyed: number; readonly inputs_forgotten: number }> {
  const { db, tenant_id, caller, now } = context
  const going = versions.filter(({ status }) => status !== 'redacted')
  if (going.length === 0) return { keys_destroyed: 0, inputs_forgotten: 0 }
  const rows = JSON.stringify(going.map(({ ref, version }) => ({ ref, version })))
  const named = sql`SELECT ref, version FROM jsonb_to_recordset(${rows}::jsonb) AS going(ref text, version integer)`
  await sql`
    INSERT INTO content_redaction (tenant_id, redaction_id, ref, version, commitment, correlation_id, record_id,
      reason, redacted_by, redacted_at, forget_at)
    SELECT tenant_id, ${redaction_id}, ref, version, commitment, correlation_id, record_id,
      ${reason}, ${caller.did}, ${now}, ${now}
    FROM content WHERE tenant_id = ${tenant_id} AND (ref, version) IN (${named})`.execute(db)
  await sql`UPDATE content SET status = 'redacted'
    WHERE tenant_id = ${tenant_id} AND (ref, version) IN (${named})`.execute(db)
  // An updated row leaves its old version in the file: the sweep rewrites that, too.
  const { numAffectedRows } = await sql`UPDATE content_key SET wrapped_key = NULL, salt = NULL
    WHERE tenant_id = ${tenant_id} AND wrapped_key IS NOT NULL AND (ref, version) IN (${named})`.execute(db)
  const inputs_forgotten = await forgetInputs(db, context.tenant_id, await callsThatBrought(context, going))
  return { keys_destroyed: Number(numAffectedRows ?? 0), inputs_forgotten }
}

/** The calls that stored the versions, and those noted later. */
export async function callsThatBrought(
  { db, tenant_id }: Keeping,
  versions: readonly (RecordedCall & { readonly ref: string })[],
): Promise<RecordedCall[]> {
  const refs = [...new Set(versions.map(({ ref }) => ref))]
  const rows = await sql<RecordedCall>`
    SELECT correlation_id, record_id FROM content_call
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs})`.all(db)
  return [...versions, ...rows].map(({ correlation_id, record_id }) => ({ correlation_id, record_id }))
}

/** This call repeated stored content: redacting the content must remove its input, too. */
export async function noteCall(context: OperationContext, ref: string): Promise<void> {
  const { db, tenant_id, record_id, invoke } = context
  await sql`INSERT INTO content_call (tenant_id, ref, record_id, correlation_id)
    VALUES (${tenant_id}, ${ref}, ${record_id}, ${invoke.correlation_id}) ON CONFLICT DO NOTHING`.execute(db)
}

export async function tombstonesOf(
  { db, tenant_id }: Keeping,
  refs: readonly string[],
  limit: number,
): Promise<Tombstone[]> {
  return sql<Tombstone>`
    SELECT ref, version, commitment, redacted_at FROM content_redaction
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs}) ORDER BY ref, version LIMIT ${limit}`.all(db)
}

/** Refuses if an open case depends on any of these. */
export async function requireNoHold({ db }: Keeping, refs: readonly string[]): Promise<void> {
  const row = await sql<{ ref: string; case_id: string }>`
    SELECT ref, case_id FROM svc_on_legal_hold(${refs}) LIMIT 1`.first(db)
  const hold = row
  if (!hold) return
  throw refuse(
    'policy_denied',
    `${hold.ref} is evidence in the open case ${hold.case_id}; redact it after the case is closed.`,
    { reason: 'legal hold', denying_policy: 'MOOT evidence', case: `moot://case/${hold.case_id}` },
  )
}
