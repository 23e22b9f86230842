// Reads the chain for mining: a window up to one head, in pages, with a record limit.
import { findRecords, headOf } from '@svc/audit/query/records'
import { type AuditRecord, isNote } from '@svc/contract/audit/audit-record'
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import {
  endsRequest,
  isDeniedByOwnRule,
  type RecordedScene,
  recordedScene,
} from '../../awareness/replay/api.ts'
import type { Seen } from './pattern.ts'
import { featuresOf, isDecidedRefusal, stepOf } from './pattern.ts'

const page_records = 1_000
const day_ms = 86_400_000

export interface ScanScope {
  readonly protocols?: readonly string[] | undefined
  readonly caller_did?: string | undefined
}

export interface Scan {
  readonly seen: readonly Seen[]
  /** Without duplicates; `Seen.scene` is an index into it. */
  readonly scenes: readonly RecordedScene[]
  readonly head: string
  readonly from: string
  /** The window contains older records that were not read. */
  readonly is_cut: boolean
}

/** Decisions are private to the organization, even if a treaty allows calls. */
export function requireOwn({ caller, tenant_id }: OperationContext): void {
  if (parseDid(caller.did)?.namespace === tenant_id) return
  throw refuse(
    'policy_denied',
    `You do not belong to ${tenant_id}; search for precedents in your own organization.`,
    {
      reason: 'not your organization',
    },
  )
}

/** Only this tenant's own chain, up to its head at the start. */
export async function scanChain(
  context: OperationContext<'audit_log'>,
  window_days: number,
  scope: ScanScope,
  records_max: number,
): Promise<Scan> {
  const { db, tenant_id, now, signal } = context
  await context.audit_log.settled()
  const head = await headOf(db, tenant_id)
  const window_from = new Date(Date.parse(now) - window_days * day_ms).toISOString()
  const first_after = Math.max(0, head.seq - records_max)
  const filter = { from: window_from, caller_did: scope.caller_did, limit: page_records }
  const reader = new ChainReader(scope.protocols?.map((protocol) => protocol.toUpperCase()))
  let [after_seq, is_more] = [first_after, true]
  while (is_more) {
    signal.throwIfAborted()
    const page = await findRecords(db, tenant_id, { ...filter, after_seq })
    for (const record of page) if (record.seq <= head.seq) reader.read(record)
    after_seq = page.at(-1)?.seq ?? after_seq
    is_more = page.length === page_records && after_seq < head.seq
  }
  const is_cut = first_after > 0 && (await reachesBack(context, window_from, first_after))
  const oldest = reader.seen[0]
  return {
    seen: reader.seen,
    scenes: reader.scenes,
    head: head.hash,
    from: is_cut && oldest ? new Date(oldest.at_ms).toISOString() : window_from,
    is_cut,
  }
}

/** Whether the record before the first one read is in the window, too. */
async function reachesBack({ db, tenant_id }: OperationContext, from: string, seq: number): Promise<boolean> {
  const records = await findRecords(db, tenant_id, { after_seq: seq - 1, limit: 1 })
  return records[0] !== undefined && Date.parse(records[0].timestamp) >= Date.parse(from)
}

class ChainReader {
  readonly seen: Seen[] = []
  readonly scenes: RecordedScene[] = []
  readonly #places = new Map<string, number>()
  readonly #protocols: readonly string[] | undefined

  constructor(protocols: readonly string[] | undefined) {
    this.#protocols = protocols
  }

  /** Skips callers' own notes: they could fabricate a precedent. */
  read(record: AuditRecord): void {
    const { seq, record_hash, correlation_id, caller_did, meta } = record
    if (isNote(record) || meta.dry_run === true) return
    if (this.#protocols && !this.#protocols.includes(record.protocol?.toUpperCase() ?? '')) return
    const at_ms = Date.parse(record.timestamp)
    const event = { seq, record_hash, at_ms, correlation_id, caller_did, step: stepOf(record) }
    this.seen.push(endsRequest(record) ? { ...event, ...this.#caseOf(record) } : event)
  }

  #caseOf(record: AuditRecord): Pick<Seen, 'features' | 'scene' | 'is_by_rule' | 'is_decided'> {
    return {
      features: featuresOf(record),
      scene: this.#sceneOf(record),
      is_by_rule: isDeniedByOwnRule(record),
      is_decided: isDecidedRefusal(record),
    }
  }

  /** Repeated calls look the same to policies on any day, so they share one scene. */
  #sceneOf(record: AuditRecord): number | undefined {
    const recorded_scene = recordedScene(record)
    if (!recorded_scene) return undefined
    const { principal, resource, context } = recorded_scene.scene
    const amount = context.amount_micro_usd?.toString()
    const key = JSON.stringify([
      principal,
      resource,
      { ...context, amount_micro_usd: amount },
      recorded_scene.unknown.length,
    ])
    const place = this.#places.get(key)
    if (place !== undefined) return place
    this.#places.set(key, this.scenes.length)
    return this.scenes.push(recorded_scene) - 1
  }
}
