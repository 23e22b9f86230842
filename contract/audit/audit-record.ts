// An audit record. The hashed body is canonical JSON, so `printf '%s%s' "$previous" "$body" | sha256sum` checks a link.
import type { Static } from 'typebox'
import { canonicalJson, sha256Hex } from '../signing/canonical-json.ts'
import type * as schema from './audit-record-schema.ts'

export const genesis_hash = '0'.repeat(64)

export type AuditBody = Static<typeof schema.AuditBody>
export type AuditRecord = Static<typeof schema.AuditRecord>

/** A record before its place in the chain is known. */
export type AuditEntry = Omit<AuditBody, 'seq'>

/**
 * A caller's own note: a custom event, or an Error that ends no call. Its content is under `meta.supplied`. Older notes lack that member;
 * they carry a mark and may hold any other field.
 */
export function isNote({ event_type, meta }: Pick<AuditEntry, 'event_type' | 'meta'>): boolean {
  if (event_type.startsWith('custom.') || meta.appended === true) return true
  return event_type === 'Error' && (meta.code === undefined || meta.original_event_type !== undefined)
}

/** The record that ends a call or a dry run. */
export function endsCall(record: Pick<AuditEntry, 'event_type' | 'meta'>): boolean {
  const { event_type, meta } = record
  if (isNote(record)) return false
  return event_type === 'ProtocolInvocation' || meta.code !== undefined || meta.dry_run === true
}

/** The canonical body of an entry without its seq. The keys are written in canonical order because this runs once per dispatch. */
export function entryText(entry: AuditEntry): string {
  return canonicalJson({
    caller_did: entry.caller_did.toWellFormed(),
    correlation_id: entry.correlation_id,
    event_type: entry.event_type.toWellFormed(),
    id: entry.id,
    latency_ms: entry.latency_ms,
    meta: entry.meta,
    // A lone surrogate in a name has no canonical form, and the refusal must still be recorded.
    operation: entry.operation?.toWellFormed(),
    outcome: entry.outcome,
    protocol: entry.protocol?.toWellFormed(),
    tenant_id: entry.tenant_id,
    timestamp: entry.timestamp,
  })
}

const seq_goes_before = ',"tenant_id":"'

/** Inserts the seq at its canonical position. Nothing after it can contain the same text: tenant ids and times have closed forms. */
export function bodyText(entry_text: string, seq: number): string {
  const at = entry_text.lastIndexOf(seq_goes_before)
  return `${entry_text.slice(0, at)},"seq":${seq}${entry_text.slice(at)}`
}

export function recordHash(previous_hash: string, body_text: string): string {
  return sha256Hex(previous_hash + body_text)
}
