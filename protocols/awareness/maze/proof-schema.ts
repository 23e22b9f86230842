// Input and output of MAZE prove: the answer and a public key suffice to verify it.
import { Closed, described, HexHash, ListOf, OneOf, Text, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

export const segment_records_max = 1000
const proof_nodes_max = 128

const Size = Type.Integer({ minimum: 0, description: 'A number of records, counted from the first.' })
const Seq = Type.Integer({ minimum: 1, description: 'The place of a record, from 1.' })

const Node = Type.String({
  pattern: '^[A-Za-z0-9+/]{43}=$',
  description: 'A hash of 32 bytes, base64.',
})

const Leaf = Closed(
  {
    record_hash: described(HexHash, 'Hash of the record.'),
    canonical_commitment: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'sha256 of the hash before it and the canonical text stored now; another than record_hash where it was written over.',
    }),
  },
  { description: 'The 32 bytes of record_hash are the data of the leaf.' },
)

export const ProofInput = Closed({
  kind: described(
    OneOf('inclusion', 'consistency', 'segment'),
    'inclusion of a record; consistency of two sizes; segment: the hashes of a range.',
  ),
  record_hash: Type.Optional(described(HexHash, 'Record to prove, by its hash; for inclusion.')),
  correlation_id: Type.Optional(described(Uuid, 'Record to prove, by its request; for inclusion.')),
  tree_size: Type.Optional(Size),
  first: Type.Optional(Size),
  second: Type.Optional(Size),
  from_seq: Type.Optional(Seq),
  to_seq: Type.Optional(Seq),
})
export type ProofInput = Static<typeof ProofInput>

export const ProofOutput = Closed({
  kind: described(OneOf('inclusion', 'consistency', 'segment'), 'What is proved, as asked.'),
  leaf_index: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Of the record, or of the first of a segment.' }),
  ),
  tree_size: Size,
  root_hash: described(HexHash, 'Root of the tree of tree_size records.'),
  proof: described(ListOf(Node, 0, proof_nodes_max), 'RFC 9162 nodes that lead to root_hash.'),
  leaf: Type.Optional(Leaf),
  first_size: Type.Optional(Size),
  first_root: Type.Optional(described(HexHash, 'Root of the tree of first_size records; for consistency.')),
  segment: Type.Optional(
    described(
      ListOf(Closed({ seq: Seq, ...Leaf.properties }), 1, segment_records_max),
      'Hashes of the records asked for, in order.',
    ),
  ),
  previous_hash: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Of the record before the segment, proved with it; 64 zeros where there is none.',
    }),
  ),
  checkpoint: Type.Optional(
    Text(16_384, {
      description: 'C2SP signed note over this tree or a larger one; none while there are no records.',
    }),
  ),
  checkpoint_proof: Type.Optional(
    described(
      ListOf(Node, 0, proof_nodes_max),
      'Consistency of this tree with that of the checkpoint, where that is larger.',
    ),
  ),
  verify: Closed(
    {
      algorithm: Type.Literal('RFC9162-SHA256', {
        description: 'RFC 9162 with SHA-256: leaves are hashed after a byte 0, nodes after a byte 1.',
      }),
    },
    { description: 'How to verify the proof.' },
  ),
})
export type ProofOutput = Static<typeof ProofOutput>
