// What one audit record adds to the history. Read by the writer for every record, so it loads no schema.
import { columnText, momentOf } from '@svc/audit/pages/columns'
import { usageEventOf } from '@svc/audit/query/usage-event'
import { type AuditBody, endsCall } from '@svc/contract/audit/audit-record'

export const name_fields = [
  'protocol',
  'operation',
  'caller_did',
  'envelope_id',
  'outcome',
  'code',
  'reason',
] as const
export type CallNames = Readonly<Record<(typeof name_fields)[number], string>>

export interface CountedCall {
  readonly tenant_id: string
  readonly at_ms: number
  readonly names: CallNames
  readonly calls: number
  readonly quanta: bigint
  /** Undefined where it was refused, or many are counted as one: then it says nothing of how long work takes. */
  readonly latency_ms: number | undefined
}

/** Undefined if the record ends no call of this organization and costs nothing. */
export function countedCallOf(body: AuditBody): CountedCall | undefined {
  const { meta, outcome, tenant_id } = body
  // A copy in the log of the called organization, or a record about a sealed one, is not a call of this one.
  if (meta.caller_tenant !== undefined || meta.sealed_tenant_id !== undefined) return undefined
  const is_call = endsCall(body) && meta.dry_run !== true
  const usage = usageEventOf(body)
  if (!is_call && !usage) return undefined
  const code = typeof meta.code === 'string' ? columnText(meta.code) : 'ok'
  const calls = is_call ? countIn(meta.count) : 0
  return {
    tenant_id,
    at_ms: usage?.at_ms ?? momentOf(body.timestamp),
    names: {
      protocol: usage?.protocol ?? columnText(body.protocol),
      operation: usage?.operation ?? columnText(body.operation),
      caller_did: columnText(body.caller_did),
      envelope_id: typeof meta.envelope === 'string' ? columnText(meta.envelope) : '',
      outcome,
      code,
      reason:
        typeof meta.reason === 'string'
          ? columnText(meta.reason).slice(0, reason_length_max).toWellFormed()
          : code,
    },
    calls,
    quanta: usage?.quanta ?? 0n,
    latency_ms: is_call && outcome !== 'refused' && meta.count === undefined ? body.latency_ms : undefined,
  }
}

const reason_length_max = 200

/** Of a flood of refusals only the first are recorded singly; the rest is a number. */
function countIn(count: unknown): number {
  return Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : 1
}
