// Who may write to the audit log, and which records each caller may read.

import { findRecords, headOf, type RecordFilter } from '@svc/audit/query/records'
import { replayRecords } from '@svc/audit/query/replay'
import { isWholeAuditLogOpen } from '@svc/audit/query/shared-reading'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { isEngineOwned } from '@svc/contract/audit/event'
import { meetsLevel } from '@svc/contract/identity/identity'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'

const meta_bytes_max = 64 * 1024
const records_of_correlation_max = 1000

export function requireFreeTag(event_type: string): void {
  if (event_type === 'Error' || !isEngineOwned(event_type)) return
  throw refuse(
    'policy_denied',
    `Event type ${event_type} is written by the service alone; use custom.<name> for your own records.`,
    { reason: 'reserved event type', denying_policy: 'engine-owned event types' },
  )
}

export function requireSmallMeta(meta: Record<string, unknown>): void {
  if (Buffer.byteLength(JSON.stringify(meta)) <= meta_bytes_max) return
  throw refuse(
    'invalid_payload',
    `meta may hold ${meta_bytes_max} bytes; put large content elsewhere and record its hash.`,
    {
      reason: 'too_large',
      faults: [{ pointer: '/meta', message: `is larger than ${meta_bytes_max} bytes` }],
    },
  )
}

/** At least one selector is required; an unfiltered query is refused. */
const selectors = [
  'correlation_id',
  'correlation_ids',
  'event_type',
  'protocol',
  'operation',
  'outcome',
  'caller_did',
  'from',
  'to',
  'after_seq',
  'before_seq',
] as const

export function requireSelector(input: Partial<Record<(typeof selectors)[number], unknown>>): void {
  if (selectors.some((selector) => input[selector] !== undefined)) return
  throw refuse('invalid_payload', `Name at least one of ${selectors.join(', ')}.`, { reason: 'no_selector' })
}

export function requireMoments(moments: { from?: string; to?: string }, pointer = ''): void {
  for (const name of ['from', 'to'] as const) {
    const text = moments[name]
    if (text === undefined || isMoment(text)) continue
    throw refuse('invalid_payload', `${name} is ${text}, a moment that does not exist; name a real one.`, {
      reason: 'no_such_moment',
      faults: [{ pointer: `${pointer}/${name}`, message: 'is no moment that exists' }],
    })
  }
}

/** Callers may query their own calls freely; another agent's calls require a verified identity. */
export function requireRightToAsk(caller_did: string, context: OperationContext): void {
  if (caller_did === context.caller.did) return
  requireLineage("Explaining another agent's call", context)
}

/** Every record of one request, oldest first. */
export async function recordsOf(
  correlation_id: string,
  context: OperationContext<'audit_log'>,
): Promise<AuditRecord[]> {
  await context.audit_log.settled()
  const filter = { correlation_ids: [correlation_id], limit: records_of_correlation_max }
  const records = await findRecords(context.db, context.tenant_id, filter)
  if (records.length === 0) throw notFound('request', correlation_id)
  return records
}

/** Records of another tenant's log are verified one by one while reading, so its pages are smaller. */
const shared_records_max = 200

interface Page {
  readonly records: readonly AuditRecord[]
  /** Set if more records may follow. */
  readonly next_after_seq?: number | undefined
  /** The same for newest-first order. */
  readonly next_before_seq?: number | undefined
  /** Set for another tenant's log: records between are hidden, so each one is verified while reading. */
  readonly verified?: { readonly ok: boolean; readonly first_bad_seq?: number }
}

/** Row-level security decides: all of the own log; of another's, shared calls and what was disclosed. */
export async function readAuditLog(
  owner: string,
  filter: RecordFilter,
  context: OperationContext,
): Promise<Page> {
  const { db, tenant_id } = context
  if (owner === tenant_id) return pageOf(await findRecords(db, owner, filter), filter)
  if (!filter.correlation_ids && !(await isWholeAuditLogOpen(db, { owner_tenant: owner, tenant_id })))
    throw unnamed()
  const limit = Math.min(filter.limit, shared_records_max)
  const replayed_records = await replayRecords(db, owner, { ...filter, limit })
  const bad = replayed_records.find(({ hash_ok, signature_ok }) => !hash_ok || !signature_ok)
  const verified = bad ? { ok: false, first_bad_seq: bad.record.seq } : { ok: true }
  return {
    ...pageOf(
      replayed_records.map(({ record }) => record),
      { ...filter, limit },
    ),
    verified,
  }
}

function pageOf(records: readonly AuditRecord[], { limit, newest_first }: RecordFilter): Page {
  const next = records.length === limit ? records.at(-1)!.seq : undefined
  return { records, [newest_first ? 'next_before_seq' : 'next_after_seq']: next }
}

/** The head of each chain that was read. */
export async function headsOf(tenants: readonly string[], { db }: Pick<OperationContext, 'db'>) {
  const heads: Record<string, string> = {}
  for (const tenant_id of new Set(tenants)) heads[tenant_id] = (await headOf(db, tenant_id)).hash
  return heads
}

/** The same answer for a tenant that does not exist, so that the two cannot be distinguished. */
function unnamed() {
  return refuse(
    'invalid_payload',
    "In another organization's audit log you see only what both took part in; name its correlation_id.",
    {
      reason: 'no_selector',
      faults: [{ pointer: '/correlation_id', message: 'is needed beside tenant_id' }],
    },
  )
}

const partners_max = 8

/** Records of the same request in other organizations' logs, as far as they disclose them. */
export async function partnersRecordsOf(
  correlation_id: string,
  own: readonly AuditRecord[],
  context: OperationContext,
): Promise<AuditRecord[]> {
  const named = own.flatMap(({ meta }) => [
    meta.target_tenant,
    meta.caller_tenant,
    meta.from_tenant,
    (meta.counterpart as { tenant_id?: unknown } | undefined)?.tenant_id,
  ])
  const others = new Set(named.filter((name): name is string => typeof name === 'string'))
  others.delete(context.tenant_id)
  const shared_records: AuditRecord[] = []
  for (const tenant_id of [...others].slice(0, partners_max)) {
    const filter = { correlation_ids: [correlation_id], limit: shared_records_max }
    shared_records.push(...(await readAuditLog(tenant_id, filter, context)).records)
  }
  return shared_records
}

/** Retained inputs: one's own; for a charter member the organization's. Never of another tenant's log. */
export async function inputsOf(
  records: readonly AuditRecord[],
  context: OperationContext<'audit_log' | 'charter'>,
): Promise<Record<string, unknown>> {
  requireLineage('Reading recorded inputs', context)
  const { did } = context.caller
  const is_member = await context.charter.has(did)
  const open = records.filter(({ caller_did }) => is_member || caller_did === did)
  const hashes = open.map(({ meta }) => meta.input_hash)
  const known_hashes = hashes.filter((hash): hash is string => typeof hash === 'string')
  return known_hashes.length ? context.audit_log.openInputs(known_hashes) : {}
}

function requireLineage(what: string, context: OperationContext): void {
  if (meetsLevel(context.caller, 'L1')) return
  throw refuse(
    'policy_denied',
    `${what} needs a verified lineage (L1); prove it with MACS verify_response.`,
    {
      reason: 'verified lineage required',
      denying_policy: 'conformance L1',
    },
  )
}

type Asked = Omit<RecordFilter, 'limit' | 'correlation_ids' | 'event_types'> & {
  correlation_id?: string
  correlation_ids?: string[]
  event_type?: string[]
}

export function filterOf(input: Asked, limit: number): RecordFilter {
  const { correlation_id, correlation_ids, event_type, ...rest } = input
  const ids = [...(correlation_ids ?? []), ...(correlation_id ? [correlation_id] : [])]
  const newest_first = rest.before_seq !== undefined
  const correlations = ids.length ? ids : undefined
  return { ...rest, correlation_ids: correlations, event_types: event_type, newest_first, limit }
}
