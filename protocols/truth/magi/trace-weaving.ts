// Builds the graph of a trace. Edges against the order of the chain are dropped and reported.
import { type AuditRecord, isNote } from '@svc/contract/audit/audit-record'
import { endsRequest } from '../../awareness/replay/api.ts'
import { clausesOf } from './but-for-rules.ts'
import {
  type LinkBasis,
  type Material,
  type Relation,
  recordNode,
  type TraceEdge,
  type TraceGraph,
  type TraceNode,
} from './trace-node.ts'
import { followed, grantsDelegatedBy, type Named, namedBy, nodeOfRef } from './trace-nouns.ts'
import { type ChainPlace, inChainOrder } from './trace-order.ts'

const followed_max = 256

/** The input for drawing edges. */
interface Loom {
  readonly material: Material
  readonly nodes: Map<string, TraceNode>
  readonly records: ReadonlyMap<string, AuditRecord>
  readonly named: ReadonlyMap<string, Named>
  /** The record that made a thing. */
  readonly makers: ReadonlyMap<string, AuditRecord>
  readonly edges: Map<string, TraceEdge>
}

export function weave(material: Material): TraceGraph {
  const unique = new Map(material.records.map((record) => [record.record_hash, record]))
  const records = [...unique.values()].sort((a, b) => compareText(a.tenant_id, b.tenant_id) || a.seq - b.seq)
  const named = new Map(records.map((record) => [record.record_hash, namedBy(record)]))
  const loom: Loom = {
    material,
    nodes: new Map(),
    records: new Map(records.map((record) => [recordNode(record.record_hash), record])),
    named,
    makers: makersOf(records, named, material),
    edges: new Map(),
  }
  for (const record of records) addActivity(loom, record)
  for (const record of records) drawUses(loom, record)
  for (const [ref, maker] of loom.makers) drawMaking(loom, ref, maker)
  for (const { ref, cites } of material.contents) drawDerivation(loom, ref, cites)
  for (const request of requestsOf(records)) drawRequest(loom, request)
  drawFollowing(loom, records)
  const { edges, dropped } = inChainOrder([...loom.edges.values()], (id) => placeOf(loom, id))
  const nodes = [...loom.nodes.values()]
  const clauses = clausesOf(nodes, edges, unique, material)
  return { nodes, edges, dropped, clauses, acts: actsOf(records) }
}

function placeOf({ records, makers }: Loom, id: string): ChainPlace | undefined {
  const record = records.get(id) ?? makers.get(id)
  return record && { tenant_id: record.tenant_id, seq: record.seq, is_record: records.has(id) }
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The first record that states it made a thing or, for content, the first of its call that names it. */
function makersOf(
  records: readonly AuditRecord[],
  named: ReadonlyMap<string, Named>,
  { contents, tenant_id }: Material,
): Map<string, AuditRecord> {
  const makers = new Map<string, AuditRecord>()
  const brought = new Map(contents.map((content) => [content.ref, content]))
  for (const record of records) {
    const { made, used } = named.get(record.record_hash)!
    for (const ref of made) if (!makers.has(ref) && !brought.has(ref)) makers.set(ref, record)
    if (record.tenant_id !== tenant_id) continue
    for (const ref of [...used, ...made]) {
      if (makers.has(ref) || brought.get(ref)?.correlation_id !== record.correlation_id) continue
      makers.set(ref, record)
    }
  }
  const by_id = new Map(records.map((record) => [record.id, record]))
  for (const { ref, record_id } of contents) {
    const [maker, named_record] = [makers.get(ref), by_id.get(record_id)]
    if (named_record && (!maker || named_record.seq < maker.seq)) makers.set(ref, named_record)
  }
  const grants = new Set([...named.values()].flatMap(({ grant }) => grant ?? []))
  for (const record of records) {
    for (const grant of grantsDelegatedBy(record))
      if (grants.has(grant) && !makers.has(grant)) makers.set(grant, record)
  }
  return makers
}

function addActivity({ nodes, edges }: Loom, record: AuditRecord): void {
  const { record_hash, tenant_id, seq, event_type, protocol, operation, outcome, timestamp: at } = record
  const id = recordNode(record_hash)
  const act = protocol === undefined ? event_type : `${event_type} ${protocol}.${operation ?? ''}`
  nodes.set(id, {
    id,
    type: 'Activity',
    label: `${act} #${seq}`,
    record_hash,
    tenant_id,
    seq,
    event_type,
    ...(protocol !== undefined && { protocol }),
    ...(operation !== undefined && { operation }),
    outcome,
    at,
    ...(outcome !== 'success' && typeof record.meta.reason === 'string' && { reason: record.meta.reason }),
  })
  const agent = record.caller_did
  nodes.set(agent, { id: agent, type: 'Agent', label: agent })
  draw(edges, id, agent, 'actedOnBehalfOf', 'recorded')
  const { human_root } = (record.meta.scene ?? {}) as { human_root?: unknown }
  if (isNote(record) || typeof human_root !== 'string' || human_root === agent) return
  nodes.set(human_root, { id: human_root, type: 'Agent', label: human_root })
  draw(edges, agent, human_root, 'actedOnBehalfOf', 'recorded')
}

function draw(
  edges: Map<string, TraceEdge>,
  from: string,
  to: string,
  relation: Relation,
  basis: LinkBasis,
): void {
  const name = `${from} ${relation} ${to}`
  // Recorded links are drawn first and take precedence over inferred ones.
  if (from !== to && !edges.has(name)) edges.set(name, { from, to, relation, basis })
}

function drawUses(loom: Loom, record: AuditRecord): void {
  const { material, named } = loom
  const { used, refused_by, grant } = named.get(record.record_hash)!
  const forbidding = material.forbidding[record.record_hash] ?? []
  const from_input = material.inputs[String(record.meta.input_hash)] ?? []
  const denying = new Set([...forbidding, ...refused_by])
  for (const ref of denying) drawUse(loom, record, ref, 'refusedBy', 'recorded')
  for (const ref of material.possible[record.record_hash] ?? [])
    if (!denying.has(ref)) drawUse(loom, record, ref, 'mayBeRefusedBy', 'possible')
  for (const ref of [...used, ...(grant ? [grant] : [])])
    if (!denying.has(ref)) drawUse(loom, record, ref, 'used', 'recorded')
  for (const ref of from_input) drawUse(loom, record, ref, 'used', 'content_hash')
  for (const hash of material.crowding[record.record_hash]?.of ?? [])
    drawUse(loom, record, `max://record/${hash}`, 'used', 'recorded')
  const hashes = hashesNamed(record)
  for (const hash of hashes) drawUse(loom, record, `max://record/${hash}`, 'used', 'content_hash')
  // It links a pair: the other side's record was informed by this side's.
  if (record.event_type === 'CrossingRecorded' && hashes.length === 2)
    draw(loom.edges, recordNode(hashes[0]!), recordNode(hashes[1]!), 'wasInformedBy', 'content_hash')
}

/** The counterpart's hash in a record kept in two chains. */
function hashesNamed(record: AuditRecord): string[] {
  if (isNote(record)) return []
  const { counterpart, record_hash } = record.meta as {
    counterpart?: { record_hash?: unknown }
    record_hash?: unknown
  }
  return [counterpart?.record_hash, record_hash].filter(
    (hash): hash is string => typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash),
  )
}

function drawUse(
  loom: Loom,
  record: AuditRecord,
  ref: string,
  relation: 'used' | 'refusedBy' | 'mayBeRefusedBy',
  basis: LinkBasis,
): void {
  const [from, to] = [recordNode(record.record_hash), nodeOfRef(ref)]
  const cause = loom.records.get(to) ?? loom.makers.get(ref)
  if (cause?.record_hash === record.record_hash) return
  const is_record = to !== ref
  const shown_relation = is_record ? 'wasInformedBy' : relation
  addNode(loom, ref, to)
  draw(loom.edges, from, to, shown_relation, basis)
}

/** A record that was not read stays opaque: only its hash is known. */
function addNode({ nodes }: Loom, ref: string, id: string): void {
  if (nodes.has(id)) return
  const record_hash = id === ref ? undefined : id.slice(id.indexOf(':') + 1)
  nodes.set(
    id,
    record_hash === undefined
      ? { id, type: 'Entity', label: ref }
      : { id, type: 'Activity', label: 'a record that may not be read', record_hash, opaque: true },
  )
}

function drawMaking(loom: Loom, ref: string, maker: AuditRecord): void {
  const id = nodeOfRef(ref)
  if (id !== ref) return
  addNode(loom, ref, id)
  draw(loom.edges, id, recordNode(maker.record_hash), 'wasGeneratedBy', 'recorded')
}

function drawDerivation(loom: Loom, ref: string, cites: readonly string[]): void {
  addNode(loom, ref, ref)
  for (const cited of cites) {
    const to = nodeOfRef(cited)
    addNode(loom, cited, to)
    draw(loom.edges, ref, to, 'wasDerivedFrom', 'content_hash')
  }
}

function requestsOf(records: readonly AuditRecord[]): AuditRecord[][] {
  const name = ({ tenant_id, correlation_id }: AuditRecord) => `${tenant_id} ${correlation_id}`
  return [...Map.groupBy(records, name).values()]
}

function isEnding(record: AuditRecord): boolean {
  return endsRequest(record) || (record.meta.dry_run === true && !isNote(record))
}

function depthOf({ meta }: AuditRecord): number {
  return typeof meta.depth === 'number' ? meta.depth : 0
}

/** Within a request: events belong to their call, inner calls to outer ones; else only order is known. */
function drawRequest({ edges }: Loom, request: readonly AuditRecord[]): void {
  const inform = (one: AuditRecord, other: AuditRecord, basis: LinkBasis) => {
    const [later, earlier] = one.seq > other.seq ? [one, other] : [other, one]
    draw(edges, recordNode(later.record_hash), recordNode(earlier.record_hash), 'wasInformedBy', basis)
  }
  const calls = request.filter(isEnding)
  for (const [place, call] of calls.entries()) {
    const outer = calls.slice(place + 1).find((other) => depthOf(other) < depthOf(call))
    if (outer) inform(outer, call, 'recorded')
    const before = calls.slice(0, place).findLast((other) => depthOf(other) === depthOf(call))
    if (before) inform(call, before, 'temporal')
  }
  for (const [place, record] of request.entries()) {
    if (isEnding(record)) continue
    if (isNote(record)) {
      if (place > 0) inform(record, request[place - 1]!, 'temporal')
      continue
    }
    const call = callOf(record, calls)
    if (call) inform(record, call, 'recorded')
  }
}

/** An event has the names, the caller and the time of its call. */
function callOf(event: AuditRecord, calls: readonly AuditRecord[]): AuditRecord | undefined {
  const own = calls.filter(
    ({ protocol, operation, timestamp, caller_did }) =>
      protocol === event.protocol &&
      operation === event.operation &&
      timestamp === event.timestamp &&
      caller_did === event.caller_did,
  )
  const distance = ({ seq }: AuditRecord) => Math.abs(seq - event.seq)
  return own.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** A tally follows from votes, an active treaty from signatures. */
function drawFollowing({ edges, named }: Loom, records: readonly AuditRecord[]): void {
  const about = new Map<string, AuditRecord[]>()
  for (const record of records) {
    const { used, made } = named.get(record.record_hash)!
    for (const ref of [...used, ...made]) {
      const record_about = about.get(ref)
      if (record_about) record_about.push(record)
      else about.set(ref, [record])
    }
  }
  for (const record_about of about.values()) {
    for (const record of record_about) {
      const types = followed(record.event_type)
      if (types.length === 0) continue
      const before = record_about.filter(
        ({ event_type, tenant_id, seq }) =>
          types.includes(event_type) && tenant_id === record.tenant_id && seq < record.seq,
      )
      for (const { record_hash } of before.slice(-followed_max))
        draw(edges, recordNode(record.record_hash), recordNode(record_hash), 'wasInformedBy', 'recorded')
    }
  }
}

/** The records of one call are one activity; if many calls share an id, each record is its own. */
function actsOf(records: readonly AuditRecord[]): Record<string, string> {
  const acts: Record<string, string> = {}
  for (const request of requestsOf(records)) {
    if (request.filter((record) => isEnding(record) && depthOf(record) === 0).length !== 1) continue
    for (const record of request) {
      if (isNote(record)) continue
      acts[recordNode(record.record_hash)] = `${record.tenant_id} ${record.correlation_id}`
    }
  }
  return acts
}
