// Input and output of a trace.
import {
  Closed,
  described,
  HexHash,
  ListOf,
  OneOf,
  Outcome,
  TenantId,
  Text,
  Timestamp,
} from '@svc/contract/schema'
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
  max_depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 64,
      default: 16,
      description: 'How many steps to go from the root.',
    }),
  ),
  max_nodes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: nodes_max,
      default: 2_000,
      description: 'The most nodes to include.',
    }),
  ),
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
    Closed(
      {
        tokens: Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Tokens for a model that reads the question.',
        }),
        deadline_ms: Type.Integer({
          minimum: 100,
          maximum: 600_000,
          description: 'Milliseconds after which the call ends with a timeout.',
        }),
      },
      { description: 'What the call may use at most; absent means the defaults.' },
    ),
  ),
})
export type TraceInput = Static<typeof TraceInput>

const NodeId = Type.String({ maxLength: 512 })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Count = Type.Integer({ minimum: 0 })
const Relation = OneOf(...relations)

const Node = Closed({
  id: described(NodeId, 'Names the node within this trace.'),
  type: described(
    OneOf('Activity', 'Entity', 'Agent'),
    'In words of W3C PROV: something done, a thing, or who acted.',
  ),
  label: Type.String({ description: 'Name to show.' }),
  record_hash: Type.Optional(described(HexHash, 'Record it stands for; absent where it is no record.')),
  tenant_id: Type.Optional(described(TenantId, 'Organization whose log has the record.')),
  seq: Type.Optional(described(Count, 'Place of the record in its chain.')),
  event_type: Type.Optional(Type.String({ description: 'What was recorded.' })),
  protocol: Type.Optional(Type.String({ description: 'Protocol that was called.' })),
  operation: Type.Optional(Type.String({ description: 'Operation that was called.' })),
  outcome: Type.Optional(described(Outcome, 'How the call ended.')),
  at: Type.Optional(described(Timestamp, 'When it was recorded.')),
  reason: Type.Optional(Type.String({ description: 'Why it was refused or failed, as recorded.' })),
  opaque: Type.Optional(Type.Boolean({ description: 'A record you may not read: only its hash is shown.' })),
})

const RootCause = Closed({
  node: described(NodeId, 'Node that is a cause.'),
  necessity: Type.Boolean({ description: 'Whether the outcome would differ without this alone.' }),
  responsibility: Type.Number({
    minimum: 0,
    maximum: 1,
    description: '1/(1+k), where k others must be removed first for this one to decide.',
  }),
  basis: Type.Enum(['replayed', 'assumed'], {
    description:
      'Replayed: confirmed by rerunning deterministic rules. Assumed: some step cannot be rerun; of several sources of it any one counts as enough.',
  }),
  reason: Type.String({ description: 'Why it counts as a cause, in a sentence.' }),
  contingency: described(
    ListOf(NodeId, 0, nodes_max),
    'Nodes that must be removed first for this one to decide.',
  ),
})

export const TraceOutput = Closed({
  trace_ref: Type.String({
    pattern: '^magi://trace/[0-9a-f]{64}$',
    description: 'Names this trace, for citations.',
  }),
  target: described(NodeId, 'Node that was traced.'),
  nodes: described(ListOf(Node, 0, nodes_max), 'What the trace found.'),
  edges: described(
    ListOf(
      Closed({
        from: described(NodeId, 'The effect.'),
        to: described(NodeId, 'The cause.'),
        relation: described(
          Relation,
          'Relation in words of W3C PROV, or refusedBy, or mayBeRefusedBy where a rule cannot be ruled out.',
        ),
        confidence: described(
          Share,
          '1 if recorded, 0.95 if bound by a hash, 0.5 if only the order in time speaks for it, or it cannot be ruled out.',
        ),
      }),
      0,
      40_000,
    ),
    'How the nodes depend on each other; effects point at causes.',
  ),
  dropped: Type.Array(
    Closed({
      from: described(NodeId, 'The effect.'),
      to: described(NodeId, 'The cause.'),
      relation: described(
        Relation,
        'Relation in words of W3C PROV, or refusedBy, or mayBeRefusedBy where a rule cannot be ruled out.',
      ),
      why: Type.String({ description: 'How it contradicts the order.' }),
    }),
    {
      maxItems: 1_000,
      description: 'Links that contradict the order of the chain.',
    },
  ),
  root_causes: described(
    ListOf(RootCause, 0, 100),
    'What the outcome depended on, the most responsible first.',
  ),
  critical_path: described(
    ListOf(NodeId, 0, nodes_max),
    'Nodes between the target and its main cause, or its farthest effect.',
  ),
  counterfactuals: described(
    ListOf(
      Closed({
        removed: described(ListOf(HexHash, 1, 10), 'Records left out.'),
        found: Type.Boolean({ description: 'Whether they are part of this trace.' }),
        changed: Type.Boolean({ description: 'Whether the outcome would have differed.' }),
        basis: described(
          OneOf('replayed', 'assumed'),
          'replayed: rules were run again; assumed: some step cannot be rerun.',
        ),
      }),
      0,
      11,
    ),
    'What would have happened without the records named in counterfactual.',
  ),
  verification: Closed(
    {
      chain_ok: Type.Boolean({ description: 'Every record matches its hash and the one before.' }),
      signatures_ok: Type.Boolean({ description: 'Every record that was checked is in a signed tree.' }),
      records: described(Count, 'Records that were verified.'),
      signatures_checked: described(Count, 'Signatures that were verified.'),
      first_bad: Type.Optional(
        Closed(
          {
            tenant_id: described(TenantId, 'Organization whose log has the record.'),
            seq: described(Count, 'Place of the record in its chain.'),
            record_hash: Type.Union([HexHash, Type.Null()], { description: 'Null if missing.' }),
          },
          { description: 'First record that did not verify; absent where all did.' },
        ),
      ),
    },
    { description: 'Whether the records that were read are genuine.' },
  ),
  narrative: described(
    ListOf(
      Closed({
        sentence: Type.String({ description: 'A statement about the trace.' }),
        citations: described(ListOf(Type.String({ maxLength: 512 }), 1, 16), 'Nodes it rests on.'),
        verified: Type.Boolean({ description: 'False if a model proposed it.' }),
      }),
      0,
      100,
    ),
    'The trace in sentences for people.',
  ),
  truncated: Type.Boolean({ description: 'Something was left out because of a limit.' }),
  truncated_by: described(
    ListOf(OneOf('depth', 'nodes', 'tokens', 'work'), 0, 4),
    'Which limits were reached.',
  ),
  confidence: described(Share, 'That of the weakest edge; 1 where there is none.'),
  usage: Closed(
    {
      tokens_in: described(Count, 'Tokens a model read; 0 without a model.'),
      tokens_out: described(Count, 'Tokens a model wrote; 0 without a model.'),
      work: described(Count, 'Steps of the search; not charged for.'),
    },
    { description: 'What the trace used.' },
  ),
})
export type TraceOutput = Static<typeof TraceOutput>
