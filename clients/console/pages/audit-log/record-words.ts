// A record as lists show it: which ones end a call, what was called, and what was metered.
import type { AuditRecord } from '@svc/sdk'

/** A record charges in quanta, whole parts of a dollar. */
const quanta_per_usd = 1e19

/** The record that says how a call ended; notes and what a call did besides are records of their own. */
export function endsCall({ event_type, meta }: AuditRecord): boolean {
  if (event_type.startsWith('custom.') || meta.appended === true) return false
  return event_type === 'ProtocolInvocation' || meta.code !== undefined
}

export function callText({ protocol, operation, event_type }: AuditRecord): string {
  return protocol ? `${protocol} ${operation ?? ''}`.trim() : event_type
}

/** The reading of the log by this console is a call too; figures leave it out. */
export function isReading({ protocol, operation }: AuditRecord): boolean {
  return protocol === 'MAX' && operation === 'audit_query'
}

/** What a call was charged, from the exact amount in its record. */
export function spentUsd({ meta }: AuditRecord): number {
  const quanta = Number(Object(meta.usage).quanta ?? 0)
  return Number.isFinite(quanta) ? quanta / quanta_per_usd : 0
}

export function reasonOf({ meta }: AuditRecord): string {
  return String(meta.reason ?? meta.code ?? '')
}
