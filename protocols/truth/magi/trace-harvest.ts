// The state of a trace, and how it grows: records, requests, and the origin of things.
import { correlationsNaming, findRecords } from '@svc/audit/query/records'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { readContent, readContents } from '../../cognition/content/api.ts'
import { hiddenFrom } from '../claims/api.ts'
import type { Foreign } from './trace-foreign.ts'
import type { Crowd, TracedContent } from './trace-node.ts'
import { type Maker, makerOf, refsIn } from './trace-nouns.ts'
import { findByHash, hashIn } from './trace-root.ts'

const requests_per_read = 100
const records_of_request_max = 1_000
const makers_max = 8
/** Each may be large, and is opened here. */
const contents_per_read = 20
const looked_up_max = 5_000

export interface Wanted {
  readonly direction: 'causes' | 'effects' | 'both'
  readonly max_depth: number
  readonly max_nodes: number
  readonly include_foreign: boolean
  readonly tokens_max: number
}

/** What is known, and what was already searched for. */
export interface Harvest {
  readonly context: OperationContext<
    'audit_log' | 'charter' | 'policies' | 'served' | 'telemetry' | 'tokens' | 'treaties' | 'vault'
  >
  readonly wanted: Wanted
  readonly records: Map<string, AuditRecord>
  readonly requests: Set<string>
  readonly refs: Set<string>
  readonly contents: Map<string, TracedContent>
  readonly inputs: Record<string, readonly string[]>
  readonly forbidding: Record<string, readonly string[]>
  readonly possible: Record<string, readonly string[]>
  readonly crowding: Record<string, Crowd>
  readonly ballots: Record<string, Crowd>
  readonly foreign: Foreign
  readonly truncated_by: Set<'nodes' | 'tokens'>
  tokens_in: number
  followed: number
}

/** Adds new records, within the limits on nodes and tokens. Text that is read is billed. */
export async function take(harvest: Harvest, candidates: readonly AuditRecord[]): Promise<AuditRecord[]> {
  const { records, wanted, context, truncated_by } = harvest
  const fresh: AuditRecord[] = []
  for (const record of candidates) {
    if (records.has(record.record_hash)) continue
    if (records.size >= wanted.max_nodes) {
      truncated_by.add('nodes')
      break
    }
    records.set(record.record_hash, record)
    fresh.push(record)
  }
  if (fresh.length === 0) return fresh
  harvest.tokens_in += await context.tokens.count(fresh.map(wordsOf))
  if (harvest.tokens_in > wanted.tokens_max) truncated_by.add('tokens')
  return fresh
}

function wordsOf({ event_type, protocol, operation, outcome, meta }: AuditRecord): string {
  return [event_type, protocol, operation, outcome, meta.reason].filter(Boolean).join(' ')
}

export async function takeRequests(harvest: Harvest, ids: readonly string[]): Promise<AuditRecord[]> {
  const { context, requests } = harvest
  const unread = [...new Set(ids)].filter((id) => !requests.has(id))
  const fresh: AuditRecord[] = []
  for (let at = 0; at < unread.length && harvest.truncated_by.size === 0; at += requests_per_read) {
    const correlation_ids = unread.slice(at, at + requests_per_read)
    for (const id of correlation_ids) requests.add(id)
    const filter = { correlation_ids, limit: records_of_request_max }
    const records = await findRecords(context.db, context.tenant_id, filter)
    if (records.length === filter.limit) harvest.truncated_by.add('nodes')
    fresh.push(...(await take(harvest, records)))
  }
  return fresh
}

/** Finds the origin of each thing: content by its row, the rest by the event that created it. */
export async function lookUp(harvest: Harvest, wanted_refs: readonly string[]): Promise<AuditRecord[]> {
  const { context } = harvest
  let unread = fit(harvest, wanted_refs)
  const new_records: AuditRecord[] = []
  while (unread.length > 0 && harvest.truncated_by.size === 0) {
    const contents = await readTraced(harvest, unread)
    const brought = contents.map(({ correlation_id }) => correlation_id)
    new_records.push(...(await takeRequests(harvest, brought)))
    const content_refs = new Set(contents.map(({ ref }) => ref))
    const origins = unread
      .filter((ref) => !content_refs.has(ref))
      .map((ref) => ({ ref, maker: makerOf(ref) }))
    const ids = await requestsNaming(
      harvest,
      origins.flatMap(({ maker }) => maker ?? []),
      makers_max,
    )
    for (const { ref, maker } of origins) {
      const record = hashIn(ref) === undefined ? undefined : await findByHash(ref, context)
      if (record && record.tenant_id === context.tenant_id)
        new_records.push(...(await take(harvest, [record])))
      else if (maker) new_records.push(...(await takeRequests(harvest, ids.get(maker)!)))
    }
    unread = fit(
      harvest,
      contents.flatMap(({ cites }) => cites),
    )
  }
  return new_records
}

export function fit({ refs, truncated_by }: Harvest, wanted_refs: readonly string[]): string[] {
  const unread: string[] = []
  for (const ref of wanted_refs) {
    if (refs.has(ref) || ref.startsWith('rule:')) continue
    if (refs.size >= looked_up_max) {
      truncated_by.add('nodes')
      break
    }
    refs.add(ref)
    unread.push(ref)
  }
  return unread
}

/** The first version created a thing; later ones changed it. */
export async function readTraced(harvest: Harvest, refs: readonly string[]): Promise<TracedContent[]> {
  const { context, contents } = harvest
  const traced_contents: TracedContent[] = []
  for (let at = 0; at < refs.length; at += contents_per_read) {
    const page = refs.slice(at, at + contents_per_read)
    const hidden = await hiddenFrom(context, page)
    for (const [ref, newest] of await readContents(context, page)) {
      const first = newest.version === 1 ? newest : await readContent(context, ref, { version: 1 })
      const { correlation_id, record_id } = first ?? newest
      const cites = hidden.has(ref) ? [] : refsIn(newest.body).filter((cited) => cited !== ref)
      const content = { ref, correlation_id, record_id, cites }
      contents.set(ref, content)
      traced_contents.push(content)
    }
  }
  return traced_contents
}

export async function takeMakers(
  harvest: Harvest,
  makers: readonly Maker[],
  limit: number,
): Promise<AuditRecord[]> {
  const ids = await requestsNaming(harvest, makers, limit)
  const records: AuditRecord[] = []
  for (const maker of makers) records.push(...(await takeRequests(harvest, ids.get(maker)!)))
  return records
}

/** Those with the same event types are searched for together: each search may read the whole log. */
async function requestsNaming(
  { context: { db, tenant_id } }: Harvest,
  makers: readonly Maker[],
  limit: number,
): Promise<Map<Maker, string[]>> {
  const ids = new Map<Maker, string[]>()
  for (const group of Map.groupBy(makers, ({ event_types }) => event_types.join()).values()) {
    const names = group.map(({ name }) => name)
    const requests = await correlationsNaming(db, tenant_id, group[0]!.event_types, names, limit)
    for (const [place, maker] of group.entries()) ids.set(maker, requests[place]!)
  }
  return ids
}
