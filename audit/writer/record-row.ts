// A record in its table: the hashed text, and the columns that find and count it.
import { type AuditBody, type AuditRecord, genesis_hash, recordHash } from '@svc/contract/audit/audit-record'
import * as schema from '@svc/contract/audit/audit-record-schema'
import { sql } from '@svc/database/sql'
import { columnMoment, columnText } from './columns.ts'

export interface RecordRow {
  readonly tenant_id: string
  readonly seq: string
  readonly body: string
  readonly record_hash: Buffer
  readonly correlation_id: string
  readonly event_type: string
  readonly protocol: string | null
  readonly operation: string | null
  readonly outcome: string
  readonly caller_did: string
  readonly at: Date
}

export interface LinkedRow extends RecordRow {
  /** Of the previous record; null where that is missing, or where this is the first. */
  readonly previous_hash: Buffer | null
}

/** Of `audit_records r`. */
export const row_columns = sql.raw(
  `r.tenant_id, r.seq, r.body, r.record_hash, r.correlation_id, r.event_type, r.protocol, r.operation, r.outcome,
   r.caller_did, r.at`,
)
export const linked_columns = sql`${row_columns},
  (SELECT p.record_hash FROM audit_records p WHERE p.tenant_id = r.tenant_id AND p.seq = r.seq - 1) AS previous_hash`

const no_id = '00000000-0000-4000-8000-000000000000'

export function recordOf(row: LinkedRow): AuditRecord {
  return {
    ...(bodyOf(row) ?? whatIsLeft(row)),
    // Its row decides its place: a body that claims another is returned there, and does not verify.
    seq: Number(row.seq),
    previous_hash: previousHash(row),
    record_hash: row.record_hash.toString('hex'),
  }
}

/** Whether a row's text has its hash, follows the previous record, and matches its columns. */
export function isSound(row: RecordRow, previous_hash: string): boolean {
  if (recordHash(previous_hash, row.body) !== row.record_hash.toString('hex')) return false
  const body = bodyOf(row)
  return (
    body !== undefined &&
    body.seq === Number(row.seq) &&
    body.tenant_id === row.tenant_id &&
    body.correlation_id === row.correlation_id &&
    body.event_type === row.event_type &&
    columnText(body.protocol) === (row.protocol ?? '') &&
    columnText(body.operation) === (row.operation ?? '') &&
    body.outcome === row.outcome &&
    columnText(body.caller_did) === row.caller_did &&
    isAt(row.at, columnMoment(body.timestamp))
  )
}

function isAt(at: Date, moment: string): boolean {
  return at.getTime() === (moment === 'epoch' ? 0 : Date.parse(moment))
}

/** The first record follows the genesis hash; one whose predecessor is gone fails against it. */
export function previousHash({ previous_hash }: LinkedRow): string {
  return previous_hash?.toString('hex') ?? genesis_hash
}

function bodyOf({ body }: RecordRow): AuditBody | undefined {
  try {
    const value = JSON.parse(body)
    return isBody(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isBody(value: unknown): value is AuditBody {
  const is_object = (candidate: unknown) =>
    typeof candidate === 'object' && candidate !== null && !Array.isArray(candidate)
  if (!is_object(value)) return false
  return (
    is_object((value as AuditBody).meta) &&
    Object.keys(value as object).every((key) => key in schema.AuditBody.properties)
  )
}

/** The text was overwritten: the record is returned with what the columns still say, so that it fails to verify. */
function whatIsLeft({ tenant_id, correlation_id, caller_did, at }: RecordRow): Omit<AuditBody, 'seq'> {
  return {
    id: no_id,
    event_type: 'Error',
    correlation_id,
    timestamp: at.toISOString(),
    tenant_id,
    caller_did,
    outcome: 'error',
    latency_ms: 0,
    meta: { unreadable: true },
  }
}
