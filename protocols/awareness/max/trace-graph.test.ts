import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import fc from 'fast-check'
import { asProv, type Graph, traceGraph } from './trace-graph.ts'

const correlation_id = '22222222-2222-4222-8222-222222222222'

function recordOf(seq: number, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: `11111111-1111-4111-8111-${String(seq).padStart(12, '0')}`,
    seq,
    event_type: 'ProtocolInvocation',
    correlation_id,
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id: 'acme',
    caller_did: `did:oas:acme:agent:${'a'.repeat(64)}`,
    protocol: 'MAX',
    operation: 'audit_query',
    outcome: 'success',
    latency_ms: 1,
    meta: { grant: 'svc.max.*', caller_kind: 'Agent', caller_level: 'L1' },
    previous_hash: '0'.repeat(64),
    record_hash: seq.toString(16).padStart(64, '0'),
    ...more,
  }
}
const ids = ({ nodes }: Graph) => nodes.map(({ id }) => id.replace(/[0-9a-f]{60}/, '…')).sort()
const lines = ({ edges }: Graph) => edges.map(({ from, rel, to }) => `${from} ${rel} ${to}`)
const refused = recordOf(2, {
  event_type: 'SecurityViolation',
  outcome: 'refused',
  meta: { code: 'capability_denied', stage: 4, denying_policy: 'conformance L2', treaty_id: 'sha256:ab' },
})

test('a request with its records, its caller and what decided it', () => {
  const graph = traceGraph(correlation_id, [recordOf(1), refused], 8)
  assert.deepEqual(
    graph.nodes.map(({ type, label }) => `${type} ${label}`).sort(),
    [
      `agent did:oas:acme:agent:${'a'.repeat(64)}`,
      'policy conformance L2',
      'policy svc.max.*',
      'record ProtocolInvocation #1',
      'record SecurityViolation #2',
      `request ${correlation_id}`,
      'stage Capability',
      'treaty sha256:ab',
    ].sort(),
  )
  const edges = lines(graph)
  assert.ok(edges.includes(`record:${refused.record_hash} refusedBy stage:4`))
  assert.ok(edges.includes(`record:${refused.record_hash} refusedBy policy:conformance L2`))
  assert.ok(edges.includes(`record:${refused.record_hash} authorizedBy treaty:sha256:ab`))
  assert.ok(edges.includes(`record:${recordOf(1).record_hash} authorizedBy policy:svc.max.*`))
})

test('a node holds its record exactly as in the audit log', () => {
  const node = traceGraph(correlation_id, [refused], 8).nodes.find(({ type }) => type === 'record')
  assert.deepEqual(node?.data, refused)
})

test('depth limits the distance from the request', () => {
  const records = [recordOf(1), refused]
  assert.deepEqual(ids(traceGraph(correlation_id, records, 0)), [`request:${correlation_id}`])
  const near = traceGraph(correlation_id, records, 1)
  assert.deepEqual([...new Set(near.nodes.map(({ type }) => type))].sort(), ['agent', 'record', 'request'])
  for (const { from, to } of near.edges) {
    assert.ok(near.nodes.some(({ id }) => id === from) && near.nodes.some(({ id }) => id === to))
  }
  assert.ok(traceGraph(correlation_id, records, 2).nodes.some(({ type }) => type === 'stage'))
})

test('without records there is only the request', () => {
  assert.deepEqual(traceGraph(correlation_id, [], 8).edges, [])
  assert.equal(traceGraph(correlation_id, [], 8).nodes.length, 1)
})

const someRecord = fc
  .record({
    seq: fc.integer({ min: 1, max: 30 }),
    outcome: fc.constantFrom('success' as const, 'refused' as const, 'error' as const),
    caller: fc.constantFrom('a', 'b'),
    meta: fc.record(
      {
        stage: fc.nat(8),
        grant: fc.constantFrom('svc.max.*', 'svc.*.*'),
        treaty_id: fc.constant('sha256:ab'),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ seq, outcome, caller, meta }) =>
    recordOf(seq, { outcome, meta, caller_did: `did:oas:acme:agent:${caller.repeat(64)}` }),
  )

test('for any records, every edge joins known nodes, none is duplicated, and the graph is acyclic', () => {
  fc.assert(
    fc.property(fc.array(someRecord, { maxLength: 12 }), fc.integer({ min: 0, max: 4 }), (records, depth) => {
      const graph = traceGraph(correlation_id, records, depth)
      const node_ids = new Set(graph.nodes.map(({ id }) => id))
      assert.equal(node_ids.size, graph.nodes.length)
      assert.equal(new Set(lines(graph)).size, graph.edges.length)
      for (const { from, to } of graph.edges) assert.ok(node_ids.has(from) && node_ids.has(to))
      assert.ok(isAcyclic(graph))
    }),
  )
})

function isAcyclic({ nodes, edges }: Graph): boolean {
  let left = nodes.map(({ id }) => id)
  for (let round = 0; round <= nodes.length; round++) {
    left = left.filter((id) => edges.some(({ from, to }) => from === id && left.includes(to)))
  }
  return left.length === 0
}

/** The names of both ends of each relation in PROV-JSON. */
const prov_ends: Record<string, [string, string]> = {
  wasGeneratedBy: ['prov:entity', 'prov:activity'],
  wasAssociatedWith: ['prov:activity', 'prov:agent'],
  wasInfluencedBy: ['prov:influencee', 'prov:influencer'],
}

test('in PROV-JSON every relation joins allowed types', () => {
  const dry = recordOf(3, { meta: { stage: 7, dry_run: true } })
  const document = asProv(traceGraph(correlation_id, [recordOf(1), refused, dry], 8))
  const kinds = ['entity', 'activity', 'agent'] as const
  const kindOf = (id: string) => kinds.find((kind) => Object.hasOwn(document[kind] as object, id))
  let relations = 0
  for (const [relation, members] of Object.entries(document)) {
    if (relation === 'prefix' || kinds.includes(relation as never)) continue
    const ends = prov_ends[relation]
    assert.ok(ends, `${relation} is not used as PROV means it`)
    for (const member of Object.values(members as Record<string, Record<string, string>>)) {
      relations++
      for (const end of ends) {
        const kind = kindOf(member[end]!)
        assert.ok(kind, `${relation} points at nothing`)
        if (relation !== 'wasInfluencedBy') assert.equal(end, `prov:${kind}`)
      }
    }
  }
  assert.equal(relations, traceGraph(correlation_id, [recordOf(1), refused, dry], 8).edges.length)
})
