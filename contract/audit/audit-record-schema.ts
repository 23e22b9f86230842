// Schemas of an audit record. Separate from its text functions: the writer thread loads those without any schema.
import { Type } from 'typebox'
import { AnyObject, Closed, HexHash, Outcome, TenantId, Timestamp, Uuid } from '../schema.ts'

/** The body that is hashed. `seq` is gap-free from 1 within a tenant's chain. */
export const AuditBody = Closed({
  id: Uuid,
  seq: Type.Integer({ minimum: 1 }),
  event_type: Type.String(),
  correlation_id: Uuid,
  timestamp: Timestamp,
  tenant_id: TenantId,
  caller_did: Type.String(),
  protocol: Type.Optional(Type.String()),
  operation: Type.Optional(Type.String()),
  outcome: Outcome,
  latency_ms: Type.Number({ minimum: 0 }),
  meta: AnyObject,
})

export const AuditRecord = Closed({ ...AuditBody.properties, previous_hash: HexHash, record_hash: HexHash })
