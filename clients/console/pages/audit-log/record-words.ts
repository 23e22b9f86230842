// A record as lists show it: which ones end a call, what was called, and what was metered.
import type { AuditRecord, Whoami } from '@svc/sdk'

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

/** Pages of this console ask in the reader's name: what that read would otherwise fill the list of requests. */
export function isOwnRead(
  { caller_did, outcome, protocol, operation }: AuditRecord,
  { agent_did, operations }: Whoami,
): boolean {
  if (caller_did !== agent_did || outcome !== 'success') return false
  return operations.some(
    (one) => one.protocol === protocol && one.operation === operation && one.effect === 'read',
  )
}

/** What a call was charged, from the exact amount in its record. */
export function spentUsd({ meta }: AuditRecord): number {
  const quanta = Number(Object(meta.usage).quanta ?? 0)
  return Number.isFinite(quanta) ? quanta / quanta_per_usd : 0
}

export function reasonOf({ meta }: AuditRecord): string {
  return String(meta.reason ?? meta.code ?? '')
}
