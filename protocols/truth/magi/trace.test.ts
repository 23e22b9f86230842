import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AuditRecord, genesis_hash } from '@svc/contract/audit/audit-record'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { conditionsOf, holds, rootCauses } from './but-for.ts'
import { narrate } from './narrative.ts'
import { checked } from './narrative-proposal.ts'
import { compute, type TraceTask } from './trace-job.ts'
import { type Clause, type Material, recordNode, type TracedContent, type TraceGraph } from './trace-node.ts'
import { reachFrom } from './trace-order.ts'
import { crowdFor } from './trace-rejudging.ts'
import { stretchesOf } from './trace-verification.ts'
import { weave } from './trace-weaving.ts'

const did = (name: string) => `did:oas:acme:agent:${sha256Hex(name)}`

function record(seq: number, more: Partial<AuditRecord>): AuditRecord {
  const tenant_id = more.tenant_id ?? 'acme'
  const record_hash = sha256Hex(`${tenant_id} ${seq}`)
  return {
    id: `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`,
    seq,
    event_type: 'ProtocolInvocation',
    correlation_id: `00000000-0000-4000-9000-${String(seq).padStart(12, '0')}`,
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id,
    caller_did: did('ann'),
    protocol: 'TRIAL',
    operation: 'echo',
    outcome: 'success',
    latency_ms: 1,
    meta: {},
    previous_hash: genesis_hash,
    record_hash,
    ...more,
  }
}

const nothing = { contents: [], inputs: {}, forbidding: {}, possible: {}, crowding: {}, ballots: {} }
const materialOf = (records: readonly AuditRecord[], more: Partial<Material> = {}): Material => ({
  tenant_id: 'acme',
  records,
  ...nothing,
  ...more,
})
const taskOf = (material: Material, target: string, more: Partial<TraceTask> = {}): TraceTask => ({
  material,
  target,
  direction: 'causes',
  max_depth: 64,
  max_nodes: 10_000,
  counterfactual: [],
  work_max: 1_000_000,
  ...more,
})

/** Arbitrary audit records, honest or altered, with few names so that they collide. */
const thing = fc.constantFrom(
  'mind://cell/a',
  'mind://cell/b',
  'maxim://r@1',
  'mace://verdict/v',
  'maven://claim/c',
)
const event_types = [
  'ProtocolInvocation',
  'PolicyAuthored',
  'MotionTallied',
  'PositionRecorded',
  'MotionConvened',
]
const books = fc
  .array(
    fc.record({
      tenant_id: fc.constantFrom('acme', 'acme', 'globex'),
      event_type: fc.constantFrom(...event_types),
      request: fc.nat(5),
      refs: fc.array(thing, { maxLength: 3 }),
      refused: fc.boolean(),
      appended: fc.boolean(),
      motion: fc.boolean(),
      counterpart: fc.option(fc.nat(11)),
      depth: fc.nat(2),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) =>
    rows.map((row, index) =>
      record(index + 1, {
        tenant_id: row.tenant_id,
        event_type: row.event_type,
        correlation_id: `00000000-0000-4000-9000-00000000000${row.request}`,
        outcome: row.refused ? 'refused' : 'success',
        meta: {
          refs: row.refs,
          depth: row.depth,
          ...(row.appended && { appended: true }),
          ...(row.refused && { code: 'policy_denied', denying_policy: row.refs[0] }),
          ...(row.motion && { motion_id: 'm' }),
          ...(row.event_type === 'PolicyAuthored' && { policy_id: 'r', version: '1' }),
          ...(row.counterpart !== null && { counterpart: { record_hash: hashAt(rows, row.counterpart) } }),
        },
      }),
    ),
  )
const hashAt = (rows: readonly { tenant_id: string }[], place: number) =>
  sha256Hex(`${rows[place % rows.length]!.tenant_id} ${(place % rows.length) + 1}`)
const contents = fc.array(
  fc.record({
    ref: fc.constantFrom('mind://cell/a', 'mind://cell/b', 'maven://claim/c'),
    correlation_id: fc.nat(5).map((request) => `00000000-0000-4000-9000-00000000000${request}`),
    record_id: fc.nat(12).map((seq) => `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`),
    cites: fc.array(thing, { maxLength: 2 }),
  }),
  { maxLength: 3 },
)

/** Traces of calls: each uses earlier things, reports one it made, or is refused by some of them. */
const acts = fc
  .array(fc.record({ uses: fc.array(fc.nat(9), { maxLength: 3 }), refused: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((rows) => {
    const cell = (index: number) => `mind://cell/${index}`
    const records: AuditRecord[] = []
    const traced_contents: TracedContent[] = []
    const forbidding: Record<string, string[]> = {}
    for (const [index, { uses, refused }] of rows.entries()) {
      const cites = [...new Set(uses.filter((used) => used < index))].map(cell)
      const { correlation_id } = record(100 + index, {})
      const seq = records.length + 1
      if (refused) {
        const meta = { code: 'policy_denied', denying_policy: 'maxim://r@1' }
        const call = record(seq, { correlation_id, outcome: 'refused', meta })
        records.push(call)
        if (cites.length > 0) forbidding[call.record_hash] = cites
        continue
      }
      const call = record(seq + 1, { correlation_id })
      records.push(
        record(seq, { correlation_id, event_type: 'ClaimAttested', meta: { ref: cell(index), cites } }),
        call,
      )
      traced_contents.push({ ref: cell(index), correlation_id, record_id: call.id, cites })
    }
    return { records, kept: traced_contents, forbidding }
  })

function isAcyclic({ edges }: Pick<TraceGraph, 'edges'>): boolean {
  let left = [...edges]
  for (;;) {
    const causes = new Set(left.map(({ from }) => from))
    const open = left.filter(({ to }) => causes.has(to))
    if (open.length === left.length) return left.length === 0
    left = open
  }
}

describe('a trace', () => {
  it('is acyclic and never contradicts the order of the chain, for any audit log', () => {
    fc.assert(
      fc.property(books, contents, (records, stored) => {
        const graph = weave(materialOf(records, { contents: stored }))
        assert.ok(isAcyclic(graph))
        const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
        const causes = Map.groupBy(graph.edges, ({ from }) => from)
        for (const { id, tenant_id, seq } of graph.nodes) {
          const { distance } = reachFrom(id, (at) => (causes.get(at) ?? []).map(({ to }) => to), 99, 999)
          for (const cause of distance.keys()) {
            const other = nodes.get(cause)!
            if (cause === id || tenant_id === undefined || other.tenant_id !== tenant_id) continue
            assert.ok(other.seq! < seq!, `#${seq} after #${other.seq}`)
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  it('has the same root causes without a record it does not reach', () => {
    fc.assert(
      fc.property(acts, fc.nat(), ({ records, kept, forbidding }, chosen) => {
        const target = recordNode(records[chosen % records.length]!.record_hash)
        const rootsOf = (left: readonly AuditRecord[]) =>
          compute(taskOf(materialOf(left, { contents: kept, forbidding }), target))
        const whole = rootsOf(records)
        const reached = new Set(whole.nodes.map(({ id }) => id))
        for (const { record_hash } of records) {
          if (reached.has(recordNode(record_hash))) continue
          const left = rootsOf(records.filter((one) => one.record_hash !== record_hash))
          assert.deepEqual(left.root_causes, whole.root_causes)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('respects its limits and reports which one cut it', () => {
    const chain = Array.from({ length: 40 }, (_, index) =>
      record(index + 1, {
        meta: index === 0 ? {} : { ref: `max://record/${sha256Hex(`acme ${index}`)}` },
      }),
    )
    const target = recordNode(chain.at(-1)!.record_hash)
    const deep = compute(taskOf(materialOf(chain), target, { max_depth: 5 }))
    assert.deepEqual([deep.truncated_by, deep.nodes.length], [['depth'], 7])
    const few = compute(taskOf(materialOf(chain), target, { max_nodes: 9 }))
    assert.deepEqual([few.truncated_by, few.nodes.length], [['nodes'], 9])
    const ahead = compute(
      taskOf(materialOf(chain), recordNode(chain[0]!.record_hash), { direction: 'effects' }),
    )
    assert.deepEqual([ahead.critical_path.at(-1), ahead.critical_path.length], [target, 40])
    assert.deepEqual([ahead.truncated_by, ahead.root_causes], [[], []])
  })

  it('drops uses before creation, and reports them', () => {
    const used = record(1, { meta: { ref: 'mind://cell/a' } })
    const made = record(2, { meta: { ref: 'mind://cell/a' } })
    const cell = { ref: 'mind://cell/a', correlation_id: made.correlation_id, record_id: made.id, cites: [] }
    const { edges, dropped } = weave(materialOf([used, made], { contents: [cell] }))
    assert.deepEqual(
      dropped.map(({ from, to, why }) => [from, to, why]),
      [[recordNode(used.record_hash), 'mind://cell/a', '#2 came after #1']],
    )
    assert.ok(edges.some(({ from, relation }) => from === 'mind://cell/a' && relation === 'wasGeneratedBy'))
  })

  it('gives links by time alone a confidence of one half', () => {
    const correlation_id = record(9, {}).correlation_id
    const calls = [record(1, { correlation_id }), record(2, { correlation_id })]
    const trace_result = compute(taskOf(materialOf(calls), recordNode(calls[1]!.record_hash)))
    assert.equal(trace_result.confidence, 0.5)
    assert.deepEqual(trace_result.root_causes, [])
  })
})

const named = (index: number) => `n${index}`
const graphs = fc.integer({ min: 2, max: 7 }).chain((size) =>
  fc
    .array(
      fc.array(
        fc.record({
          of: fc.uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: 3 }),
          any: fc.boolean(),
        }),
        {
          maxLength: 2,
        },
      ),
      { minLength: size, maxLength: size },
    )
    .map((rules): TraceGraph => {
      const clauses: Record<string, Clause[]> = {}
      for (const [index, own] of rules.entries()) {
        const kept_causes = own.flatMap(({ of, any }) => {
          const below = of.filter((cause) => cause > index).map(named)
          return below.length ? [{ least: any ? 1 : below.length, of: below, replayed: true, rule: 'r' }] : []
        })
        if (kept_causes.length) clauses[named(index)] = kept_causes
      }
      return { nodes: [], edges: [], dropped: [], clauses, acts: {} }
    }),
)

/** By definition: the smallest set without effect of its own, with which the cause is decisive. */
function naiveContingency(graph: TraceGraph, cause: string): number | undefined {
  const conditions = conditionsOf(graph, 'n0')
  const others = conditions.order.filter((node) => node !== cause && node !== 'n0')
  const free = { done: 0, max: Number.POSITIVE_INFINITY }
  let least: number | undefined
  for (let mask = 0; mask < 2 ** others.length; mask++) {
    const chosen = others.filter((_, bit) => mask & (1 << bit))
    if (chosen.length > 3 || chosen.length >= (least ?? 4)) continue
    if (holds(conditions, chosen, 'all', free) && !holds(conditions, [...chosen, cause], 'all', free))
      least = chosen.length
  }
  return least
}

describe('but-for', () => {
  it('finds the smallest contingency, and with it the responsibility of each cause', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const causes = rootCauses(graph, 'n0', { done: 0, max: 1_000_000 })
        for (const { node, responsibility, necessity } of causes) {
          const k = naiveContingency(graph, node)!
          assert.equal(responsibility, 1 / (1 + k), node)
          assert.equal(necessity, k === 0)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('shares a refusal among the rules that forbid it', () => {
    const refused = record(5, {
      outcome: 'refused',
      event_type: 'SecurityViolation',
      meta: { code: 'policy_denied', stage: 4, denying_policy: 'maxim://a@1', reason: 'no' },
    })
    const forbidding = { [refused.record_hash]: ['maxim://a@1', 'maxim://b@1', 'maxim://c@1'] }
    const target = recordNode(refused.record_hash)
    const { root_causes } = compute(taskOf(materialOf([refused], { forbidding }), target))
    assert.deepEqual(
      root_causes.map(({ node, necessity, responsibility, basis }) => [
        node,
        necessity,
        responsibility,
        basis,
      ]),
      ['maxim://a@1', 'maxim://b@1', 'maxim://c@1'].map((node) => [node, false, 1 / 3, 'replayed']),
    )
  })

  it('calls none of several sources necessary, however many there are', () => {
    for (const sources of [2, 3, 6]) {
      const cells = Array.from({ length: sources }, (_, index) => `mind://cell/${index}`)
      const made = cells.map((ref, index) => record(index + 1, { meta: { ref } }))
      const claim = 'maven://claim/c'
      const attested = record(20, { event_type: 'ClaimAttested', meta: { ref: claim, cites: cells } })
      const contentOf = (ref: string, { correlation_id, id }: AuditRecord, cites: string[]) => ({
        ref,
        correlation_id,
        record_id: id,
        cites,
      })
      const contents = [
        ...cells.map((ref, index) => contentOf(ref, made[index]!, [])),
        contentOf(claim, attested, cells),
      ]
      const { root_causes } = compute(taskOf(materialOf([...made, attested], { contents }), claim))
      const shares = root_causes
        .filter(({ node }) => cells.includes(node))
        .map(({ necessity, responsibility, basis }) => [necessity, responsibility, basis])
      assert.deepEqual(
        shares,
        cells.map(() => [false, 1 / sources, 'assumed']),
      )
    }
  })

  it('replays a rate limit: the number of earlier calls it took', () => {
    const calls = [0, 100, 200].map((at_ms) => ({ at_ms, record_hash: sha256Hex(String(at_ms)) }))
    const bucket = { capacity: 3, refill_per_s: 1 }
    assert.deepEqual(crowdFor(calls, 300, bucket), {
      of: calls.map(({ record_hash }) => record_hash),
      least: 3,
    })
    assert.equal(crowdFor(calls, 1_300, bucket), undefined)
    assert.equal(crowdFor([], 0, bucket), undefined)
    const limited = record(9, {
      outcome: 'refused',
      event_type: 'RateLimitExceeded',
      meta: { code: 'rate_limited', stage: 3, reason: 'bucket empty' },
    })
    const before = [record(1, {}), record(2, {}), record(3, {})]
    const crowd = { of: before.map(({ record_hash }) => record_hash), least: 2 }
    const material = materialOf([...before, limited], { crowding: { [limited.record_hash]: crowd } })
    const { root_causes } = compute(taskOf(material, recordNode(limited.record_hash)))
    const shares = root_causes.map(({ responsibility, basis }) => [responsibility, basis])
    assert.deepEqual(shares, [[1, 'replayed'], ...before.map(() => [0.5, 'replayed'])])
  })
})

describe('the output of a trace', () => {
  it('cites records only, and model text is kept only if it cites the graph', () => {
    const [made, used] = [
      record(1, { meta: { ref: 'mind://cell/a' } }),
      record(2, { meta: { ref: 'mind://cell/a' } }),
    ]
    const cell = { ref: 'mind://cell/a', correlation_id: made.correlation_id, record_id: made.id, cites: [] }
    const target = recordNode(used.record_hash)
    const trace_result = compute(taskOf(materialOf([made, used], { contents: [cell] }), target))
    const sentences = narrate({ ...trace_result, target, direction: 'causes' })
    const hashes = [made.record_hash, used.record_hash]
    assert.ok(sentences.length >= 3)
    for (const { citations } of sentences) assert.ok(citations.every((hash) => hashes.includes(hash)))
    const good = { sentence: 'It used the cell.', citations: [target, 'mind://cell/a'] }
    const bad = [
      { sentence: 'Eve did it.', citations: ['record:eve'] },
      { sentence: 'Nobody knows.', citations: [] },
      { sentence: 7, citations: [target] },
      null,
    ]
    assert.deepEqual(checked({ sentences: [good, ...bad] }, trace_result.nodes), [
      { sentence: good.sentence, citations: [used.record_hash, 'mind://cell/a'] },
    ])
    assert.deepEqual(checked('no', trace_result.nodes), [])
  })

  it('verifies the chain segment by segment', () => {
    assert.deepEqual(stretchesOf([1, 2, 200, 5_000]), [
      [1, 200],
      [5_000, 5_000],
    ])
  })
})
