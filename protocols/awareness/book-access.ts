// Who may write what into the book, and see what of it.

import { findRecords } from '@svc/audit/records'
import type { AuditRecord } from '@svc/contract/audit-record'
import { isEngineOwned } from '@svc/contract/event'
import { meetsLevel } from '@svc/contract/identity'
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

export function requireOwnTenant(tenant_id: string | undefined, context: OperationContext): void {
  if (tenant_id === undefined || tenant_id === context.tenant_id) return
  throw refuse(
    'policy_denied',
    'The payload names another tenant than the call; ask under the tenant you mean.',
    { reason: 'payload tenant does not match context tenant' },
  )
}

/** Anything that narrows the question; asking for everything is refused, not answered slowly. */
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

/** One's own calls are free to ask about; another agent's need a verified identity. */
export function requireRightToAsk(caller_did: string, context: OperationContext): void {
  if (caller_did === context.caller.did) return
  requireLineage("Explaining another agent's call", context)
}

/** Every record of one request, oldest first. */
export async function recordsOf(correlation_id: string, context: OperationContext): Promise<AuditRecord[]> {
  await context.book.settled()
  const filter = { correlation_ids: [correlation_id], limit: records_of_correlation_max }
  const records = await findRecords(context.db, context.tenant_id, filter)
  if (records.length === 0) throw notFound('request', correlation_id)
  return records
}

/** Kept inputs of the caller's own calls. Other people's stay closed until charters and arbiters exist to open them. */
export async function inputsOf(
  records: readonly AuditRecord[],
  context: OperationContext,
): Promise<Record<string, unknown>> {
  requireLineage('Reading recorded inputs', context)
  const own = records.filter(({ caller_did }) => caller_did === context.caller.did)
  const hashes = own.map(({ meta }) => meta.input_hash)
  const known = hashes.filter((hash): hash is string => typeof hash === 'string')
  return known.length ? context.book.openInputs(known) : {}
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
