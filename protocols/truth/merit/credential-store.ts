// Issued credentials: holder, position of the status bits, and state.
import type { Bounds } from '@svc/contract/list-page'
import type { OperationContext } from '@svc/contract/operation-context'
import { pageOf } from '@svc/database/page-bounds'
import { type NotNull, sql } from '@svc/database/sql'

type Storing = Pick<OperationContext, 'db' | 'tenant_id'>

/** Reason and authority of a revocation or suspension. */
export interface Withdrawal {
  readonly reason: string
  readonly authority: string
  readonly by: string
}

export interface CredentialRow {
  readonly credential_id: string
  readonly subject_did: string
  readonly issuer_did: string
  readonly list_no: number
  readonly list_index: number
  readonly revoked_at: Date | null
  readonly revoked_by: Withdrawal | null
  readonly suspended_at: Date | null
  readonly suspended_until: Date | null
  readonly suspended_by: Withdrawal | null
  readonly is_suspended: boolean
}

const columns = sql.raw(`credential_id, subject_did, issuer_did, list_no, list_index, revoked_at, revoked_by,
  suspended_at, suspended_until, suspended_by, is_suspended`)

/** Serializes changes per organization, as lists are signed as a whole. */
export async function lockCredentials({ db, tenant_id }: Storing): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`merit|${tenant_id}`}, 0))`.execute(db)
}

export async function findCredential(
  { db, tenant_id }: Storing,
  credential_id: string,
): Promise<CredentialRow | undefined> {
  return sql<CredentialRow>`
    SELECT ${columns} FROM merit_credentials
    WHERE tenant_id = ${tenant_id} AND credential_id = ${credential_id}`.first(db)
}

export interface ListedCredential extends CredentialRow {
  readonly evaluation_ref: string
  readonly issued_at: Date
  readonly valid_until: Date
}

/** Newest first. */
export async function listCredentials(
  { db, tenant_id }: Storing,
  question: Bounds & {
    readonly credential_id?: string | undefined
    readonly subject_did?: string | undefined
  },
): Promise<ListedCredential[]> {
  const { credential_id, subject_did } = question
  const page = pageOf(question, sql`issued_at`, sql`credential_id`, [
    ...(credential_id === undefined ? [] : [sql`credential_id = ${credential_id}`]),
    ...(subject_did === undefined ? [] : [sql`subject_did = ${subject_did}`]),
  ])
  return sql<ListedCredential>`
    SELECT ${columns}, evaluation_ref, issued_at, valid_until FROM merit_credentials
    WHERE tenant_id = ${tenant_id} AND ${page}`.all(db)
}

export async function isPlaceTaken(
  { db, tenant_id }: Storing,
  list_no: number,
  list_index: number,
): Promise<boolean> {
  return sql`
    SELECT FROM merit_credentials
    WHERE tenant_id = ${tenant_id} AND list_no = ${list_no} AND list_index = ${list_index}`.exists(db)
}

export interface IssuedCredential {
  readonly credential_id: string
  readonly subject_did: string
  readonly issuer_did: string
  readonly evaluation_ref: string
  readonly list_no: number
  readonly list_index: number
  readonly valid_until: string
}

export async function insertCredential(
  { db, tenant_id, now }: OperationContext,
  issued: IssuedCredential,
): Promise<void> {
  const { credential_id, subject_did, issuer_did, evaluation_ref, list_no, list_index, valid_until } = issued
  await sql`
    INSERT INTO merit_credentials (tenant_id, credential_id, subject_did, issuer_did, evaluation_ref, list_no,
      list_index, issued_at, valid_until)
    VALUES (${tenant_id}, ${credential_id}, ${subject_did}, ${issuer_did}, ${evaluation_ref}, ${list_no},
      ${list_index}, ${now}, ${valid_until})`.execute(db)
}

export async function setRevoked(
  { db, tenant_id, now }: OperationContext,
  credential_id: string,
  by: Withdrawal,
): Promise<void> {
  await sql`
    UPDATE merit_credentials
    SET revoked_at = ${now}, revoked_by = ${JSON.stringify(by)}::jsonb, is_suspended = false
    WHERE tenant_id = ${tenant_id} AND credential_id = ${credential_id} AND revoked_at IS NULL`.execute(db)
}

export async function setSuspended(
  { db, tenant_id, now }: OperationContext,
  credential_id: string,
  until: string,
  by: Withdrawal,
): Promise<void> {
  await sql`
    UPDATE merit_credentials SET suspended_at = ${now}, suspended_until = ${until}, is_suspended = true,
      suspended_by = ${JSON.stringify(by)}::jsonb
    WHERE tenant_id = ${tenant_id} AND credential_id = ${credential_id} AND revoked_at IS NULL`.execute(db)
}

export interface Place {
  readonly list_no: number
  readonly list_index: number
}

/** Ends expired suspensions, oldest first; returns the positions whose bits must be cleared. */
export async function endSuspensions(
  { db, tenant_id, now }: OperationContext,
  ended_max: number,
): Promise<Place[]> {
  return sql<Place>`
    UPDATE merit_credentials SET is_suspended = false
    WHERE tenant_id = ${tenant_id} AND credential_id IN (
      SELECT credential_id FROM merit_credentials
      WHERE tenant_id = ${tenant_id} AND is_suspended AND suspended_until <= ${now} AND revoked_at IS NULL
      ORDER BY suspended_until LIMIT ${ended_max})
    RETURNING list_no, list_index`.all(db)
}

/** By position, when current suspensions end. */
export async function suspensionsIn(
  { db, tenant_id }: Storing,
  list_no: number,
  suspended_max: number,
): Promise<{ readonly list_index: number; readonly suspended_until: Date }[]> {
  return sql<{ list_index: number; suspended_until: NotNull<Date> }>`
    SELECT list_index, suspended_until FROM merit_credentials
    WHERE tenant_id = ${tenant_id} AND list_no = ${list_no} AND is_suspended
    ORDER BY suspended_until LIMIT ${suspended_max}`.all(db)
}
