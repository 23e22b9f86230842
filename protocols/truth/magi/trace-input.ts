// Input and output of a trace.
import { Closed, HexHash, ListOf, OneOf, Outcome, TenantId, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { relations } from './trace-node.ts'

const nodes_max = 10_000

export const TraceInput = Closed({
  root: Type.String({
    pattern: '^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|[a-z]+://[A-Za-z0-9:._/@-]{1,240})$',
    maxLength: 256,
    description: 'What to trace: a correlation id, a record hash, or a reference.',
  }),
  direction: Type.Optional(
    Type.Enum(['causes', 'effects', 'both'], { default: 'causes', description: 'Direction of the trace.' }),
  ),
  max_depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, default: 16 })),
  max_nodes: Type.Optional(Type.Integer({ minimum: 1, maximum: nodes_max, default: 2_000 })),
  question: Type.Optional(
    Text(8_192, { description: 'Read by a model, if one is configured; its sentences are unverified.' }),
  ),
  counterfactual: Type.Optional(
    Type.Array(HexHash, {
      maxItems: 10,
      uniqueItems: true,
      description: 'Records to remove, each alone and all together: would the outcome differ?',
    }),
  ),
  include_foreign: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Includes records of the same requests at partners of an active treaty.',
    }),
  ),
  budget: Type.Optional(
    Closed({
      tokens: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      deadline_ms: Type.Integer({ minimum: 100, maximum: 600_000 }),
    }),
  ),
})
export type TraceInput = Static<typeof TraceInput>

const NodeId = Type.String({ maxLength: 512 })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Count = Type.Integer({ minimum: 0 })
const Relation = OneOf(...relations)

const Node = Closed({
  id: NodeId,
  type: OneOf('Activity', 'Entity', 'Agent'),
  label: Type.String(),
  record_hash: Type.Optional(HexHash),
  tenant_id: Type.Optional(TenantId),
  seq: Type.Optional(Count),
  event_type: Type.Optional(Type.String()),
  protocol: Type.Optional(Type.String()),
  operation: Type.Optional(Type.String()),
  outcome: Type.Optional(Outcome),
  at: Type.Optional(Timestamp),
  reason: Type.Optional(Type.String()),
  opaque: Type.Optional(Type.Boolean({ description: 'A record you may not read: only its hash is shown.' })),
})

const RootCause = Closed({
  node: NodeId,
  necessity: Type.Boolean({ description: 'Whether the outcome would differ without this alone.' }),
  responsibility: Type.Number({
    minimum: 0,
    maximum: 1,
    description: '1/(1+k), where k others must be removed first for this one to decide.',
  }),
  basis: Type.Enum(['replayed', 'assumed'], {
    description: 'Replayed: confirmed by rerunning deterministic rules. Assumed: some step cannot be rerun.',
  }),
  reason: Type.String(),
  contingency: ListOf(NodeId, 0, 3),
})

export const TraceOutput = Closed({
  trace_ref: Type.String({ pattern: '^magi://trace/[0-9a-f]{64}$' }),
  target: NodeId,
  nodes: ListOf(Node, 0, nodes_max),
  edges: ListOf(Closed({ from: NodeId, to: NodeId, relation: Relation, confidence: Share }), 0, 40_000),
  dropped: Type.Array(Closed({ from: NodeId, to: NodeId, relation: Relation, why: Type.String() }), {
    maxItems: 1_000,
    description: 'Links that contradict the order of the chain.',
  }),
  root_causes: ListOf(RootCause, 0, 100),
  critical_path: ListOf(NodeId, 0, nodes_max),
  counterfactuals: ListOf(
    Closed({
      removed: ListOf(HexHash, 1, 10),
      found: Type.Boolean(),
      changed: Type.Boolean(),
      basis: OneOf('replayed', 'assumed'),
    }),
    0,
    11,
  ),
  verification: Closed({
    chain_ok: Type.Boolean(),
    signatures_ok: Type.Boolean(),
    records: Count,
    signatures_checked: Count,
    first_bad: Type.Optional(
      Closed({
        tenant_id: TenantId,
        seq: Count,
        record_hash: Type.Union([HexHash, Type.Null()], { description: 'Null if missing.' }),
      }),
    ),
  }),
  narrative: ListOf(
    Closed({
      sentence: Type.String(),
      citations: ListOf(Type.String({ maxLength: 512 }), 1, 16),
      verified: Type.Boolean({ description: 'False if a model proposed it.' }),
    }),
    0,
    100,
  ),
  truncated: Type.Boolean(),
  truncated_by: ListOf(OneOf('depth', 'nodes', 'tokens', 'work'), 0, 4),
  confidence: Share,
  usage: Closed({ tokens_in: Count, tokens_out: Count, work: Count }),
})
export type TraceOutput = Static<typeof TraceOutput>
