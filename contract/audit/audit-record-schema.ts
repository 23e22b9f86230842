// Schemas of an audit record. Separate from its text functions: the writer thread loads those without any schema.
import { Type } from 'typebox'
import { AnyObject, Closed, described, HexHash, Outcome, TenantId, Timestamp, Uuid } from '../schema.ts'

/** The body that is hashed. `seq` is gap-free from 1 within a tenant's chain. */
export const AuditBody = Closed({
  id: described(Uuid, 'Names the record.'),
  seq: Type.Integer({ minimum: 1, description: "Place in the tenant's chain, counted from 1 without gaps." }),
  event_type: Type.String({
    description: 'What was recorded, e.g. ProtocolInvocation, Error or a domain event.',
  }),
  correlation_id: described(Uuid, 'Ties the record to its call, retries and nested calls.'),
  timestamp: described(Timestamp, 'When it happened.'),
  tenant_id: described(TenantId, 'Organization whose log it is in.'),
  caller_did: Type.String({ description: 'Who made the call that was recorded.' }),
  protocol: Type.Optional(
    Type.String({
      description: 'Id of the protocol that was called; absent where the record is of no call.',
    }),
  ),
  operation: Type.Optional(Type.String({ description: 'Operation of the protocol that was called.' })),
  outcome: described(Outcome, 'success; refused: a rule said no; error: it failed.'),
  latency_ms: Type.Number({
    minimum: 0,
    description: 'Milliseconds from receiving the call to its outcome.',
  }),
  meta: described(AnyObject, 'Details of the event: names, sizes and commitments, never content.'),
})

export const AuditRecord = Closed({
  ...AuditBody.properties,
  previous_hash: described(HexHash, 'Hash of the record before it; zeros for the first.'),
  record_hash: described(HexHash, 'sha256 of previous_hash and this record.'),
})
