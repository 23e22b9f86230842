// What may be written into a chain. An invalid entry is repaired into an Error record, never dropped.
import { randomUUID } from 'node:crypto'
import { type AuditEntry, entryText } from '@svc/contract/audit/audit-record'
import { isKnownEvent } from '@svc/contract/audit/event'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { tenant_id_pattern, timestamp_pattern, uuid_pattern } from '@svc/contract/text-form'
import type { PendingEntry } from './chain.ts'

/** Longer entries lose their meta: a record holds references and sizes, not content. */
const entry_chars_max = 256 * 1024

const uuid_form = new RegExp(uuid_pattern)
const tenant_form = new RegExp(tenant_id_pattern)
const timestamp_form = new RegExp(timestamp_pattern)
const outcomes: readonly string[] = ['success', 'refused', 'error']

export function isUuid(text: string): boolean {
  return uuid_form.test(text)
}

/** The entry and its text, ready for the chain. Throws only where there is no tenant to record it for. */
export function acceptEntry(entry: AuditEntry): PendingEntry & { unknown_event: boolean } {
  if (!tenant_form.test(entry.tenant_id)) {
    throw new Error(`a record names the tenant ${JSON.stringify(entry.tenant_id)}, which is no tenant id`)
  }
  const unknown_event = !isKnownEvent(entry.event_type)
  const named = unknown_event ? withoutUnknownTag(entry) : entry
  const fault = faultOf(named)
  // Untrusted text that cannot be stored must not cost the record the engine's own facts.
  if (fault === undefined) {
    const written = tryWriting(named) ?? tryWriting(withoutSupplied(named))
    if (written) return { ...written, unknown_event }
  }
  const repaired = repair(named, fault ?? 'meta')
  return { entry: repaired, text: entryText(repaired), unknown_event }
}

/** Undefined where it is too long, or its meta has no canonical form. */
function tryWriting(entry: AuditEntry): PendingEntry | undefined {
  try {
    const text = entryText(entry)
    return text.length <= entry_chars_max ? { entry, text } : undefined
  } catch {
    return undefined
  }
}

/** Handlers' transactions write outbox rows, so their text is checked, down to the tenant. */
export function readOutboxEntry(tenant_id: string, text: string): PendingEntry & { unknown_event: boolean } {
  try {
    const entry = JSON.parse(text) as AuditEntry
    if (entry.tenant_id === tenant_id && entryText(entry) === text) return acceptEntry(entry)
  } catch {
    // Falls through: an unreadable row is recorded as such.
  }
  return acceptEntry(unreadable(tenant_id, text))
}

function faultOf(entry: AuditEntry): string | undefined {
  if (!uuid_form.test(entry.id)) return 'id'
  if (!uuid_form.test(entry.correlation_id)) return 'correlation_id'
  if (!timestamp_form.test(entry.timestamp)) return 'timestamp'
  if (!outcomes.includes(entry.outcome)) return 'outcome'
  if (!(Number.isFinite(entry.latency_ms) && entry.latency_ms >= 0)) return 'latency_ms'
  return undefined
}

function withoutUnknownTag(entry: AuditEntry): AuditEntry {
  const original_event_type = String(entry.event_type).toWellFormed()
  const supplied = { ...Object(entry.meta.supplied), original_event_type }
  return { ...entry, event_type: 'Error', meta: { ...entry.meta, supplied } }
}

function withoutSupplied(entry: AuditEntry): AuditEntry {
  const { supplied, ...meta } = entry.meta
  return supplied === undefined ? entry : { ...entry, meta: { ...meta, supplied: { unrecordable: true } } }
}

function repair(entry: AuditEntry, fault: string): AuditEntry {
  return {
    ...entry,
    id: uuid_form.test(entry.id) ? entry.id : randomUUID(),
    correlation_id: uuid_form.test(entry.correlation_id) ? entry.correlation_id : randomUUID(),
    timestamp: timestamp_form.test(entry.timestamp) ? entry.timestamp : '1970-01-01T00:00:00Z',
    outcome: outcomes.includes(entry.outcome) ? entry.outcome : 'error',
    latency_ms: entry.latency_ms >= 0 && Number.isFinite(entry.latency_ms) ? entry.latency_ms : 0,
    event_type: 'Error',
    meta: { original_event_type: entry.event_type, ...keepable(entry.meta), unrecordable: fault },
  }
}

function keepable(meta: Record<string, unknown>): Record<string, unknown> {
  try {
    return canonicalJson(meta).length < entry_chars_max / 2 ? meta : {}
  } catch {
    return {}
  }
}

function unreadable(tenant_id: string, text: string): AuditEntry {
  return {
    id: randomUUID(),
    event_type: 'Error',
    correlation_id: randomUUID(),
    timestamp: '1970-01-01T00:00:00Z',
    tenant_id,
    caller_did: 'engine',
    outcome: 'error',
    latency_ms: 0,
    meta: { unrecordable: 'outbox entry', entry_sha256: sha256Hex(text), entry_chars: text.length },
  }
}
