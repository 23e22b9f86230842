// A request as a graph built from its records only. W3C PROV-DM terms; acyclic: effects point at causes.
import { type AuditRecord, isNote } from '@svc/contract/audit/audit-record'
import { stages } from '@svc/contract/stage'

export interface Node {
  readonly id: string
  readonly type: 'request' | 'stage' | 'record' | 'agent' | 'policy' | 'treaty'
  readonly label: string
  readonly at?: string
  readonly data: Record<string, unknown>
}

export interface Edge {
  readonly from: string
  readonly to: string
  readonly rel:
    | 'used'
    | 'wasGeneratedBy'
    | 'wasAssociatedWith'
    | 'authorizedBy'
    | 'wasInformedBy'
    | 'refusedBy'
}

export interface Graph {
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
}

/** The whole graph, cut at `depth` steps from the request. */
export function traceGraph(correlation_id: string, records: readonly AuditRecord[], depth: number): Graph {
  const nodes = new Map<string, Node>()
  const edges: Edge[] = []
  const request = `request:${correlation_id}`
  nodes.set(request, {
    id: request,
    type: 'request',
    label: correlation_id,
    at: records[0]?.timestamp,
    data: {},
  })
  for (const record of records) addRecord(record, request, nodes, edges)
  for (const record of records) addCounterpart(record, nodes, edges)
  return within(depth, request, nodes, edges)
}

function addRecord(record: AuditRecord, request: string, nodes: Map<string, Node>, edges: Edge[]): void {
  const id = `record:${record.record_hash}`
  const { meta, ...rest } = record
  nodes.set(id, {
    id,
    type: 'record',
    label: `${record.event_type} #${record.seq}`,
    at: record.timestamp,
    data: { ...rest, meta },
  })
  edges.push({ from: id, to: request, rel: 'wasGeneratedBy' })
  const agent = `agent:${record.caller_did}`
  nodes.set(agent, {
    id: agent,
    type: 'agent',
    label: record.caller_did,
    data: { kind: meta.caller_kind, level: meta.caller_level },
  })
  edges.push({ from: request, to: agent, rel: 'wasAssociatedWith' })
  if (isNote(record)) return
  if (typeof meta.stage === 'number') {
    const stage = `stage:${meta.stage}`
    nodes.set(stage, {
      id: stage,
      type: 'stage',
      label: stages[meta.stage]?.title ?? 'unknown',
      data: { stage: meta.stage },
    })
    edges.push({ from: id, to: stage, rel: record.outcome === 'success' ? 'wasInformedBy' : 'refusedBy' })
  }
  for (const [key, type] of [
    ['treaty_id', 'treaty'],
    ['denying_policy', 'policy'],
    ['grant', 'policy'],
    ['grant_ref', meta.grant_source === 'treaty' ? 'treaty' : 'policy'],
  ] as const) {
    const value = meta[key]
    if (typeof value !== 'string') continue
    const other = `${type}:${value}`
    nodes.set(other, { id: other, type, label: value, data: {} })
    edges.push({ from: id, to: other, rel: key === 'denying_policy' ? 'refusedBy' : 'authorizedBy' })
  }
}

/** Two organizations record one call: each chain's record names the other's hash. */
function addCounterpart(record: AuditRecord, nodes: Map<string, Node>, edges: Edge[]): void {
  const { counterpart } = record.meta as { counterpart?: { record_hash?: unknown } }
  const to = `record:${String(counterpart?.record_hash)}`
  if (!isNote(record) && nodes.has(to))
    edges.push({ from: `record:${record.record_hash}`, to, rel: 'wasInformedBy' })
}

function within(depth: number, start: string, nodes: Map<string, Node>, edges: readonly Edge[]): Graph {
  let reached = new Set([start])
  for (let step = 0; step < depth; step++) {
    const next = new Set(reached)
    for (const { from, to } of edges) {
      if (reached.has(from)) next.add(to)
      if (reached.has(to)) next.add(from)
    }
    reached = next
  }
  const unique = new Map(edges.map((edge) => [`${edge.from}|${edge.rel}|${edge.to}`, edge]))
  return {
    nodes: [...nodes.values()].filter(({ id }) => reached.has(id)),
    edges: [...unique.values()].filter(({ from, to }) => reached.has(from) && reached.has(to)),
  }
}

/** The same graph as PROV-JSON. */
export function asProv({ nodes, edges }: Graph): Record<string, unknown> {
  const kind = {
    request: 'activity',
    stage: 'activity',
    record: 'entity',
    agent: 'agent',
    policy: 'entity',
    treaty: 'entity',
  } as const
  const document: Record<string, Record<string, unknown>> = {
    prefix: { svc: 'urn:svc:' },
    entity: {},
    activity: {},
    agent: {},
  }
  for (const node of nodes) document[kind[node.type]]![`svc:${node.id}`] = { 'prov:label': node.label }
  edges.forEach(({ from, to, rel }, index) => {
    // PROV has no relation for a grant or a refusal: these are influences, distinguished by their role.
    const relation = rel === 'wasGeneratedBy' || rel === 'wasAssociatedWith' ? rel : 'wasInfluencedBy'
    document[relation] ??= {}
    document[relation][`_:e${index}`] = {
      ...ends(relation, `svc:${from}`, `svc:${to}`),
      ...(relation === rel ? {} : { 'prov:role': rel }),
    }
  })
  return document
}

function ends(relation: string, from: string, to: string): Record<string, string> {
  if (relation === 'wasGeneratedBy') return { 'prov:entity': from, 'prov:activity': to }
  if (relation === 'wasAssociatedWith') return { 'prov:activity': from, 'prov:agent': to }
  return { 'prov:influencee': from, 'prov:influencer': to }
}
