// How each step was decided, as a condition on its causes. Replayed decisions are separate from assumed ones.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { covers } from '@svc/contract/authority/capability'
import { endsRequest } from '../../awareness/replay/api.ts'
import { type Clause, type Material, recordNode, type TraceEdge, type TraceNode } from './trace-node.ts'
import { namedBy } from './trace-nouns.ts'
import { byEffect } from './trace-order.ts'

/** Gates that depend on the record alone: re-evaluating them gives the same result. */
const gate_codes: ReadonlySet<unknown> = new Set([
  'capability_denied',
  'unauthenticated',
  'unknown_protocol',
  'unknown_version',
  'unknown_operation',
  'missing_capability',
  'invalid_payload',
])
const gate_reasons: ReadonlySet<unknown> = new Set([
  'verified lineage required',
  'conformance L2 required',
  'unresolved identity',
  'charter quorum required',
  'tenant runway exhausted',
])

export function clausesOf(
  nodes: readonly TraceNode[],
  edges: readonly TraceEdge[],
  records: ReadonlyMap<string, AuditRecord>,
  material: Material,
): Record<string, readonly Clause[]> {
  const causes = byEffect(edges)
  const clauses_by_node: Record<string, readonly Clause[]> = {}
  for (const { id, type, record_hash } of nodes) {
    // The actor does not explain the outcome, and mere succession decides nothing.
    const own = (causes.get(id) ?? []).filter(
      ({ relation, basis }) => relation !== 'actedOnBehalfOf' && basis !== 'temporal',
    )
    const record = record_hash === undefined ? undefined : records.get(record_hash)
    const clauses =
      type === 'Entity' ? clausesOfThing(own) : record ? clausesOfStep(record, own, records, material) : []
    if (clauses.length > 0) clauses_by_node[id] = clauses
  }
  return clauses_by_node
}

/** A thing exists if the record that made it does. */
function clausesOfThing(own: readonly TraceEdge[]): Clause[] {
  return [
    ...all(targets(own, 'wasGeneratedBy'), true, 'what was never made is not there'),
    ...anyOf(targets(own, 'wasDerivedFrom'), 'what it was derived from is assumed to have mattered'),
  ]
}

function clausesOfStep(
  record: AuditRecord,
  own: readonly TraceEdge[],
  records: ReadonlyMap<string, AuditRecord>,
  material: Material,
): Clause[] {
  const refusers = targets(own, 'refusedBy')
  if (refusers.length > 0) return clausesOfRefusal(record, refusers, targets(own, 'mayBeRefusedBy'), material)
  const used = targets(own, 'used')
  const informed = targets(own, 'wasInformedBy')
  const { verdict, authority, treaty_id } = record.meta
  const { grant } = namedBy(record)
  const gates = used.filter((id) => {
    if (id === grant) return isCovered(record)
    return id === verdict || id === authority || id === `moat://${String(treaty_id)}`
  })
  const votes = votesOf(record, informed, records, material)
  const own_call = informed.filter((id) => isCallOf(record, id, records) || isGate(id, records))
  const decided = new Set([...gates, ...own_call, ...passiveOf(used), ...ballotsOf(informed, records)])
  const contents = new Set(material.contents.map(({ ref }) => ref))
  const cited = used.filter((id) => !decided.has(id) && contents.has(id))
  const rest = [...used, ...informed].filter((id) => !decided.has(id) && !contents.has(id))
  return [
    ...all(gates, true, 'the gate of the time lets nothing through without it'),
    ...all(own_call, true, 'it is told by the very call'),
    ...(votes ? [votes] : []),
    ...anyOf(cited, 'what it rested on is assumed to have mattered'),
    ...all(rest, false, 'what it rested on is assumed to have mattered'),
  ]
}

/** One denial suffices: the refusal falls only with the last of them. */
function clausesOfRefusal(
  { record_hash, meta }: AuditRecord,
  refusers: string[],
  possible: readonly string[],
  material: Material,
): Clause[] {
  const crowd = material.crowding[record_hash]
  if (crowd) {
    const of = crowd.of.map(recordNode)
    const rule = 'the bucket of the time had room for fewer calls'
    return [
      { least: 1, of: refusers, replayed: true, rule },
      { least: crowd.least, of, replayed: true, rule },
    ]
  }
  const by_rules = material.forbidding[record_hash] !== undefined
  const replayed = by_rules || gate_codes.has(meta.code) || gate_reasons.has(meta.reason)
  const rule = by_rules
    ? 'the rules of the time, asked again without it, let the call through'
    : replayed
      ? 'the gate of the time decides by this alone'
      : possible.length > 0
        ? 'any one of the rules that may have forbidden it would have been enough'
        : 'what said no is assumed to have decided'
  return [{ least: 1, of: [...refusers, ...possible], replayed, rule }]
}

function isCovered({ meta }: AuditRecord): boolean {
  const { grant, capability } = meta
  return typeof grant === 'string' && typeof capability === 'string' && covers(grant, capability)
}

/** Policies can only forbid: a silent one did not cause a permission. */
function passiveOf(used: readonly string[]): string[] {
  return used.filter((id) => id.startsWith('maxim://set/'))
}

function recordAt(id: string, records: ReadonlyMap<string, AuditRecord>): AuditRecord | undefined {
  return records.get(id.slice(id.indexOf(':') + 1))
}

/** An event exists only with its call. */
function isCallOf(record: AuditRecord, id: string, records: ReadonlyMap<string, AuditRecord>): boolean {
  const other = recordAt(id, records)
  return (
    other !== undefined &&
    endsRequest(other) &&
    !endsRequest(record) &&
    other.tenant_id === record.tenant_id &&
    other.correlation_id === record.correlation_id &&
    other.protocol === record.protocol &&
    other.operation === record.operation
  )
}

function isGate(id: string, records: ReadonlyMap<string, AuditRecord>): boolean {
  return recordAt(id, records)?.meta.gate !== undefined
}

function ballotsOf(informed: readonly string[], records: ReadonlyMap<string, AuditRecord>): string[] {
  return informed.filter((id) => recordAt(id, records)?.event_type === 'PositionRecorded')
}

/** At least the required number of votes in favour. The council's counting is not replayed. */
function votesOf(
  { event_type, meta }: AuditRecord,
  informed: readonly string[],
  records: ReadonlyMap<string, AuditRecord>,
  { ballots }: Material,
): Clause | undefined {
  const crowd = event_type === 'MotionTallied' ? ballots[String(meta.verdict)] : undefined
  if (!crowd) return undefined
  const of = ballotsOf(informed, records).filter((id) =>
    crowd.of.includes(String(recordAt(id, records)?.meta.position_id)),
  )
  if (of.length < crowd.least) return undefined
  return {
    least: crowd.least,
    of,
    replayed: false,
    rule: 'so many votes in favour as are assumed to have been needed',
  }
}

function targets(edges: readonly TraceEdge[], relation: TraceEdge['relation']): string[] {
  return edges.filter((edge) => edge.relation === relation).map(({ to }) => to)
}

/** Each of several sources may have been enough alone, and none can be rerun: so none is called necessary. */
function anyOf(of: readonly string[], rule: string): Clause[] {
  if (of.length < 2) return all(of, false, rule)
  return [
    { least: 1, of, replayed: false, rule: `any one of ${of.length} sources is assumed to have been enough` },
  ]
}

function all(of: readonly string[], replayed: boolean, rule: string): Clause[] {
  return of.map((id) => ({ least: 1, of: [id], replayed, rule }))
}
