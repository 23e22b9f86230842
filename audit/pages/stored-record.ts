// A stored record as its readers see it. Its text is authoritative; what cannot be read is returned so that it fails to verify.
import { type AuditBody, type AuditRecord, recordHash } from '@svc/contract/audit/audit-record'
import * as schema from '@svc/contract/audit/audit-record-schema'
import type { StoredRecord } from './read-records.ts'

const no_id = '00000000-0000-4000-8000-000000000000'

/** Of records that a search has read already: a text is parsed once. */
const parsed = new WeakMap<StoredRecord, AuditBody>()

export function keepParsed(stored: StoredRecord, body: AuditBody): void {
  parsed.set(stored, body)
}

export function recordOf(stored: StoredRecord): AuditRecord {
  const { seq, previous_hash, record_hash } = stored
  // Its place is where it is stored: a body that claims another is returned there, and does not verify.
  return { ...(parsed.get(stored) ?? bodyOf(stored) ?? whatIsLeft(stored)), seq, previous_hash, record_hash }
}

/** Whether its text has its hash, follows the previous record, and names its own place. */
export function isSound(stored: StoredRecord, previous_hash = stored.previous_hash): boolean {
  const { tenant_id, seq, body, record_hash } = stored
  if (body === undefined || recordHash(previous_hash, body) !== record_hash) return false
  const fields = bodyOf(stored)
  return fields !== undefined && fields.seq === seq && fields.tenant_id === tenant_id
}

/** Undefined where its text was overwritten with something that is no record. */
export function bodyOf({ body }: Pick<StoredRecord, 'body'>): AuditBody | undefined {
  try {
    const value = JSON.parse(body ?? '')
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

function whatIsLeft({ tenant_id, page_at }: StoredRecord): Omit<AuditBody, 'seq'> {
  return {
    id: no_id,
    event_type: 'Error',
    correlation_id: no_id,
    timestamp: page_at.toISOString(),
    tenant_id,
    caller_did: '',
    outcome: 'error',
    latency_ms: 0,
    meta: { unreadable: true },
  }
}
