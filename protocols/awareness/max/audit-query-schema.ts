// Input and output of MAX audit_query.
import { AuditRecord } from '@svc/contract/audit/audit-record-schema'
import {
  AnyObject,
  Closed,
  Did,
  described,
  Hash,
  HexHash,
  ListOf,
  Outcome,
  TenantId,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { Type } from 'typebox'
import { ChainKey, InclusionProof, SignedNote } from './audit-log-evidence.ts'

export const AuditQueryInput = Closed({
  correlation_id: Type.Optional(described(Uuid, 'Only records of this request.')),
  correlation_ids: Type.Optional(described(ListOf(Uuid, 1, 100), 'Only records of these requests.')),
  include_inputs: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also return retained inputs: of your own calls, or of all for charter members.',
    }),
  ),
  tenant_id: Type.Optional(described(TenantId, 'Whose log is read; default your own.')),
  event_type: Type.Optional(described(ListOf(Text(80), 1, 32), 'Only records of one of these types.')),
  protocol: Type.Optional(Text(64, { description: 'Only calls of this protocol.' })),
  operation: Type.Optional(Text(128, { description: 'Only calls of this operation.' })),
  outcome: Type.Optional(described(Outcome, 'Only records with this outcome.')),
  caller_did: Type.Optional(described(Did, 'Only calls of this identity.')),
  from: Type.Optional(described(Timestamp, 'Only records from this time on.')),
  to: Type.Optional(described(Timestamp, 'Only records before this time.')),
  after_seq: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only records after this one, the oldest first.' }),
  ),
  before_seq: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only records before this one, the newest first.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Records per page.' }),
  ),
  verify: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Recompute the hashes and signatures of the returned records.',
    }),
  ),
  proof_report: Type.Optional(
    described(Hash, 'Adds a path from each record to the tree of this compliance report.'),
  ),
  include_checkpoints: Type.Optional(wanted('Adds keys, and the notes signed at a record of the page.')),
  include_proofs: Type.Optional(wanted('Adds a path from each record to a signed note.')),
})

export const AuditQueryOutput = Closed({
  records: described(ListOf(AuditRecord, 0, 1000), 'Matching records in order of seq.'),
  inputs: Type.Optional(described(AnyObject, 'Retained inputs by input_hash; only with include_inputs.')),
  head: described(HexHash, 'Hash of the newest record of the log.'),
  next_after_seq: Type.Optional(
    Type.Integer({
      description: 'Pass it as after_seq for the next page; absent where no more follow.',
    }),
  ),
  next_before_seq: Type.Optional(
    Type.Integer({
      description: 'Pass it as before_seq for the next page; absent where no more follow.',
    }),
  ),
  verified: Type.Optional(
    Closed(
      {
        ok: Type.Boolean({ description: 'Every returned record matches its hash and signature.' }),
        first_bad_seq: Type.Optional(Type.Integer({ description: 'First record that did not verify.' })),
      },
      { description: "Result of the check; with verify, and always for another tenant's log." },
    ),
  ),
  proofs: Type.Optional(
    described(
      ListOf(InclusionProof, 0, 1000),
      'Inclusion path of each record; with include_proofs or proof_report.',
    ),
  ),
  keys: Type.Optional(
    described(
      ListOf(ChainKey, 0, 10_000),
      'Public keys that signed the log; with include_checkpoints or include_proofs.',
    ),
  ),
  checkpoints: Type.Optional(described(ListOf(SignedNote, 0, 1000), 'Signed notes that cover the records.')),
  newest_checkpoint: Type.Optional(described(SignedNote, 'Newest signed note of the whole log.')),
})

function wanted(description: string) {
  return Type.Boolean({ default: false, description })
}
