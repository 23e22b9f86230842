// One line of the book. The hashed body is canonical JSON, so `printf '%s%s' "$previous" "$body" | sha256sum` checks a link.
import type { Static } from 'typebox'
import { canonicalJson, sha256Hex } from '../signing/canonical-json.ts'
import type * as schema from './audit-record-schema.ts'

export const genesis_hash = '0'.repeat(64)

export type AuditBody = Static<typeof schema.AuditBody>
export type AuditRecord = Static<typeof schema.AuditRecord>

/** A record before its place in the chain is known. */
export type AuditEntry = Omit<AuditBody, 'seq'>

/**
 * A caller's own note: a custom event, or an Error that ends no call. What it says stands under `meta.supplied`.
 * Notes written before there was that member are known by a mark, and may say anything beside it.
 */
export function isNote({ event_type, meta }: Pick<AuditEntry, 'event_type' | 'meta'>): boolean {
  if (event_type.startsWith('custom.') || meta.appended === true) return true
  return event_type === 'Error' && (meta.code === undefined || meta.original_event_type !== undefined)
}

/** The record in which a call ended, or a dry run that asked how it would end. */
export function endsCall(record: Pick<AuditEntry, 'event_type' | 'meta'>): boolean {
  const { event_type, meta } = record
  if (isNote(record)) return false
  return event_type === 'ProtocolInvocation' || meta.code !== undefined || meta.dry_run === true
}

/** The canonical body of an entry, lacking only its seq. The keys stand in canonical order: this runs once per dispatch. */
export function entryText(entry: AuditEntry): string {
  return canonicalJson({
    caller_did: entry.caller_did.toWellFormed(),
    correlation_id: entry.correlation_id,
    event_type: entry.event_type.toWellFormed(),
    id: entry.id,
    latency_ms: entry.latency_ms,
    meta: entry.meta,
    // A caller may put a lone surrogate into a name; it has no canonical form, and its refusal must still be recorded.
    operation: entry.operation?.toWellFormed(),
    outcome: entry.outcome,
    protocol: entry.protocol?.toWellFormed(),
    tenant_id: entry.tenant_id,
    timestamp: entry.timestamp,
  })
}

const seq_goes_before = ',"tenant_id":"'

/** Puts the seq where canonical order wants it. Nothing after it can hold the same text: tenant ids and times have closed forms. */
export function bodyText(entry_text: string, seq: number): string {
  const at = entry_text.lastIndexOf(seq_goes_before)
  return `${entry_text.slice(0, at)},"seq":${seq}${entry_text.slice(at)}`
}

export function recordHash(previous_hash: string, body_text: string): string {
  return sha256Hex(previous_hash + body_text)
}
