// Rows of approvals: consent of others to single calls.
import type { ApprovalEffects, ApprovalState, AskedConsent } from '@svc/contract/authority/approval'
import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import type { SealedBox } from '@svc/contract/needs/vault'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'

/** What somebody decided. The note is sealed: it is their text. */
export interface StoredDecision {
  readonly did: string
  readonly name: string | null
  readonly kin: readonly string[]
  readonly decision: 'approve' | 'refuse'
  readonly counts_for: readonly number[]
  readonly at: string
  readonly note?: { readonly sealed: string; readonly key: string }
}

export interface ApprovalRow {
  readonly approval_id: string
  readonly state: ApprovalState
  readonly caller_did: string
  readonly caller_name: string | null
  readonly caller_tenant: string
  readonly caller_kin: readonly string[]
  readonly protocol: string
  readonly operation: string
  readonly version: string
  readonly target_tenant: string
  readonly input_hash: string
  readonly input_bytes: number
  readonly input_shape: Readonly<Record<string, string>>
  readonly input_sealed: Buffer | null
  readonly input_key: Buffer | null
  readonly cost_micro_usd: string
  readonly effects: ApprovalEffects
  readonly demands: readonly AskedConsent[]
  readonly decisions: readonly StoredDecision[]
  readonly correlation_id: string
  readonly requested_at: Date
  readonly decide_until: Date
  readonly use_ms: string
  readonly use_until: Date | null
  readonly used_by: string | null
  readonly used_key: string | null
  readonly ended_at: Date | null
  readonly ended_reason: string | null
}

const columns = sql.raw(
  `approval_id, state, caller_did, caller_name, caller_tenant, caller_kin, protocol, operation, version, target_tenant,
   input_hash, input_bytes, input_shape, input_sealed, input_key, cost_micro_usd, effects, demands, decisions,
   correlation_id, requested_at, decide_until, use_ms, use_until, used_by, used_key, ended_at, ended_reason`,
)

/** One at a time in an organization, so that limits hold and a call has one approval. */
export async function lockApprovals(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`approvals|${tenant_id}`}, 0))`.execute(db)
}

const of_one_call_max = 8

/** The newest that may matter to a call: open, refused, or used under this key. */
export async function approvalsOfCall(
  db: Database,
  tenant_id: string,
  call_hash: string,
  used_key: string | null,
): Promise<ApprovalRow[]> {
  return sql<ApprovalRow>`
    SELECT ${columns} FROM approvals WHERE tenant_id = ${tenant_id} AND call_hash = ${call_hash}
      AND (state IN ('PENDING', 'APPROVED', 'REFUSED') OR used_key = ${used_key})
    ORDER BY requested_at DESC LIMIT ${of_one_call_max}`.all(db)
}

export async function findApproval(
  db: Database,
  tenant_id: string,
  approval_id: string,
): Promise<ApprovalRow | undefined> {
  return sql<ApprovalRow>`
    SELECT ${columns} FROM approvals
    WHERE tenant_id = ${tenant_id} AND approval_id = ${approval_id}::uuid`.first(db)
}

/** As the engine's role. Undefined where it is deleted. */
export async function approvalState(
  db: Database,
  tenant_id: string,
  approval_id: string,
  now: Date,
): Promise<ApprovalState | undefined> {
  const row = await sql<{ state: ApprovalState }>`
    SELECT CASE WHEN state IN ('PENDING', 'APPROVED') AND coalesce(use_until, decide_until) <= ${now}
      THEN 'EXPIRED' ELSE state END AS state
    FROM approvals WHERE tenant_id = ${tenant_id} AND approval_id = ${approval_id}::uuid`.first(db)
  return row?.state
}

/** How many wait: of this caller, and of all. */
export async function countPending(
  db: Database,
  tenant_id: string,
  caller_did: string,
): Promise<{ readonly own: number; readonly all: number }> {
  const row = await sql<{ own: number; all: number }>`
    SELECT count(*) FILTER (WHERE caller_did = ${caller_did})::int AS own, count(*)::int AS all
    FROM approvals WHERE tenant_id = ${tenant_id} AND state = 'PENDING'`.first(db)
  return row!
}

export interface NewApproval
  extends Omit<
    ApprovalRow,
    | 'state'
    | 'input_sealed'
    | 'input_key'
    | 'cost_micro_usd'
    | 'decisions'
    | 'use_ms'
    | 'use_until'
    | 'used_by'
    | 'used_key'
    | 'ended_at'
    | 'ended_reason'
  > {
  readonly tenant_id: string
  readonly call_hash: string
  readonly input: SealedBox | undefined
  readonly cost_micro_usd: bigint
  readonly use_ms: number
}

export async function keepApproval(db: Database, row: NewApproval): Promise<void> {
  const dids = [...new Set(row.demands.flatMap((demand) => demand.dids))]
  const roles = [...new Set(row.demands.flatMap((demand) => demand.roles))]
  await sql`
    INSERT INTO approvals (tenant_id, approval_id, state, call_hash, caller_did, caller_name, caller_tenant, caller_kin,
      protocol, operation, version, target_tenant, input_hash, input_bytes, input_shape, input_sealed, input_key,
      cost_micro_usd, effects, demands, decider_dids, decider_roles, correlation_id, requested_at, decide_until, use_ms)
    VALUES (${row.tenant_id}, ${row.approval_id}::uuid, 'PENDING', ${row.call_hash}, ${row.caller_did},
      ${row.caller_name}, ${row.caller_tenant}, ${[...row.caller_kin]}, ${row.protocol}, ${row.operation},
      ${row.version}, ${row.target_tenant}, ${row.input_hash}, ${row.input_bytes},
      ${JSON.stringify(row.input_shape)}::jsonb, ${row.input?.sealed ?? null}, ${row.input?.wrapped_key ?? null},
      ${row.cost_micro_usd}, ${JSON.stringify(row.effects)}::jsonb, ${JSON.stringify(row.demands)}::jsonb,
      ${dids}, ${roles}, ${row.correlation_id}, ${row.requested_at}, ${row.decide_until}, ${row.use_ms})`.execute(
    db,
  )
}

export async function keepDecision(
  db: Database,
  tenant_id: string,
  approval_id: string,
  change: {
    readonly state: ApprovalState
    readonly decisions: readonly StoredDecision[]
    readonly use_until: Date | null
    readonly ended_at: Date | null
  },
): Promise<void> {
  const { state, decisions, use_until, ended_at } = change
  await sql`
    UPDATE approvals SET state = ${state}, decisions = ${JSON.stringify(decisions)}::jsonb, use_until = ${use_until},
      ended_at = ${ended_at}
    WHERE tenant_id = ${tenant_id} AND approval_id = ${approval_id}::uuid AND state = 'PENDING'`.execute(db)
}

export async function markUsed(
  db: Database,
  tenant_id: string,
  approval_id: string,
  use: { readonly record_id: string; readonly used_key: string | null; readonly at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE approvals SET state = 'USED', used_by = ${use.record_id}::uuid, used_key = ${use.used_key},
      ended_at = ${use.at}
    WHERE tenant_id = ${tenant_id} AND approval_id = ${approval_id}::uuid AND state = 'APPROVED'`.execute(db)
  return numAffectedRows === 1n
}

export async function unmarkUsed(
  db: Database,
  tenant_id: string,
  approval_id: string,
  record_id: string,
): Promise<void> {
  await sql`
    UPDATE approvals SET state = 'APPROVED', used_by = NULL, used_key = NULL, ended_at = NULL
    WHERE tenant_id = ${tenant_id} AND approval_id = ${approval_id}::uuid AND state = 'USED'
      AND used_by = ${record_id}::uuid`.execute(db)
}

export async function markExpired(
  db: Database,
  tenant_id: string,
  approval_id: string,
  at: Date,
  reason: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE approvals SET state = 'EXPIRED', ended_at = ${at}, ended_reason = ${reason}
    WHERE tenant_id = ${tenant_id} AND approval_id = ${approval_id}::uuid
      AND state IN ('PENDING', 'APPROVED')`.execute(db)
  return numAffectedRows === 1n
}

export interface ApprovalQuestion extends Bounds {
  readonly state?: ApprovalState | undefined
  /** Those this identity can decide by name or role, or has asked for itself. */
  readonly did: string
  readonly kin: readonly string[]
  readonly roles: readonly string[]
  readonly side: 'to_decide' | 'requested'
}

/** Newest first. */
export async function listApprovals(
  db: Database,
  tenant_id: string,
  question: ApprovalQuestion,
): Promise<ApprovalRow[]> {
  const { state, did, kin, roles, side } = question
  const mine =
    side === 'requested'
      ? sql`caller_did = ${did}`
      : sql`(decider_dids @> ${[did]}::text[] OR decider_roles && ${[...roles]}::text[]) AND NOT caller_kin && ${[...kin]}::text[]`
  const page = pageOf(question, sql`requested_at`, sql`approval_id::text`, [
    mine,
    ...(state === undefined ? [] : [sql`state = ${state}`]),
  ])
  return sql<ApprovalRow>`
    SELECT ${columns} FROM approvals WHERE tenant_id = ${tenant_id} AND ${page}`.all(db)
}

export interface DueApproval {
  readonly tenant_id: string
  readonly approval_id: string
  readonly caller_did: string
  readonly correlation_id: string
  readonly protocol: string
  readonly operation: string
  readonly state: ApprovalState
}

/** Those whose time is over. As the engine's role. */
export async function findDue(db: Database, now: Date, limit: number): Promise<DueApproval[]> {
  return sql<DueApproval>`
    SELECT tenant_id, approval_id, caller_did, correlation_id, protocol, operation, state FROM approvals
    WHERE state IN ('PENDING', 'APPROVED') AND coalesce(use_until, decide_until) <= ${now}
    ORDER BY coalesce(use_until, decide_until) LIMIT ${limit}`.all(db)
}

/** As the engine's role. */
export async function forgetEnded(db: Database, before: Date, limit: number): Promise<void> {
  await sql`
    DELETE FROM approvals WHERE (tenant_id, approval_id) IN (
      SELECT tenant_id, approval_id FROM approvals WHERE ended_at < ${before} LIMIT ${limit})`.execute(db)
}
