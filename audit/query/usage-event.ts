// The usage in one audit record. Shared by the projection and reconcile, so that both read the same.

import type { AuditBody } from '@svc/contract/audit/audit-record'
import { chain_links_max } from '@svc/contract/authority/delegation-depth'
import type { UsageEvent } from '@svc/contract/money/usage'
import { uuid_form } from '@svc/contract/text-form'
import { columnText, momentOf } from '../pages/columns.ts'

/** Usage reported by an external service: its record says where, when and under which id. */
export interface Reported {
  readonly event_id: string
  readonly protocol: string
  readonly operation: string
  readonly occurred_at: string
  readonly origin?: string
}

const counts = ['ms', 'tokens_in', 'tokens_out', 'uwh'] as const
const quanta_form = /^(0|[1-9]\d{0,36})$/
/** A chain, its first delegator, and the key of the call. */
const links_max = chain_links_max + 2
const int_max = 2_147_483_647

/** Undefined if the record meters nothing. Unreadable ones must not stop the writer; reconcile reports it. */
export function usageEventOf(body: AuditBody): UsageEvent | undefined {
  if (body.outcome !== 'success') return undefined
  const reported = body.event_type === 'UsageMetered' ? reportedIn(body) : undefined
  if (body.event_type !== 'ProtocolInvocation' && !reported) return undefined
  const usage = body.meta.usage as Record<string, unknown> | undefined
  if (!usage || !isUsage(usage)) return undefined
  const named = reported ?? body
  if (!named.protocol || !named.operation || !body.caller_did) return undefined
  return {
    tenant_id: body.tenant_id,
    seq: body.seq,
    event_id: reported?.event_id ?? body.id,
    at_ms: momentOf(reported?.occurred_at ?? body.timestamp),
    recorded_ms: momentOf(body.timestamp),
    protocol: columnText(named.protocol),
    operation: columnText(named.operation),
    caller_did: columnText(body.caller_did),
    grant_name: textOf(body.meta.grant),
    origin: textOf(reported?.origin ?? body.meta.origin),
    envelope_id: textOf(body.meta.envelope),
    treaty_root: textOf(body.meta.treaty_root),
    grant_chain: reported ? [] : chainIn(body),
    ms: usage.ms,
    tokens_in: usage.tokens_in,
    tokens_out: usage.tokens_out,
    uwh: usage.uwh,
    bps: usage.bps,
    rate: usage.rate,
    quanta: BigInt(usage.quanta),
  }
}

interface Usage {
  readonly ms: number
  readonly tokens_in: number
  readonly tokens_out: number
  readonly uwh: number
  readonly bps: readonly [number, number, number]
  readonly rate: number
  readonly quanta: string
}

function isUsage(usage: object): usage is Usage {
  const { bps, quanta, rate } = usage as Partial<Usage>
  return (
    counts.every((count) => isCount((usage as Partial<Usage>)[count], Number.MAX_SAFE_INTEGER)) &&
    Array.isArray(bps) &&
    bps.length === 3 &&
    bps.every((one) => isCount(one, int_max)) &&
    isCount(rate, int_max) &&
    typeof quanta === 'string' &&
    quanta_form.test(quanta)
  )
}

function isCount(value: unknown, max: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max
}

/** Records that another organization wrote into this log meter nothing here. */
function reportedIn({ meta }: AuditBody): Reported | undefined {
  const reported = meta.reported as Partial<Reported> | undefined
  if (!reported || meta.from_tenant !== undefined) return undefined
  const { event_id, protocol, operation, occurred_at } = reported
  const named = [event_id, protocol, operation, occurred_at].every((part) => typeof part === 'string')
  return named && uuid_form.test(event_id!) ? (reported as Reported) : undefined
}

/** Bounded again: what else a log may hold must not stop the writer. */
function chainIn({ meta: { grant_chain: chain } }: AuditBody): readonly string[] {
  if (!Array.isArray(chain) || chain.length > links_max) return []
  return chain.filter((link) => typeof link === 'string').map(columnText)
}

/** Empty for none, as the column expects. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? columnText(value) : ''
}
