// The wire shapes of POST /v1/dispatch.
import { type Static, Type } from 'typebox'
import { AuditRecord } from './audit/audit-record-schema.ts'
import { InvokeContext } from './invoke-context.ts'
import { AnyObject, Closed, HexHash, ListOf, Uuid } from './schema.ts'

/** Printable ASCII: names are written to records and logs, where nothing may be invisible. */
function printable(length_max: number, description: string) {
  return Type.String({ pattern: '^[\\x20-\\x7e]+$', minLength: 1, maxLength: length_max, description })
}

/** HandleRequestInput. Names are loose on purpose: one that does not exist is a 404 with a hint, not a 400. */
export const HandleRequestInput = Closed({
  protocol: printable(64, 'Protocol id, e.g. MAX.'),
  version: printable(64, 'v1.0.0, or v1 for the best of that major.'),
  operation: printable(128, 'Operation name within the protocol.'),
  input: Type.Unknown({ description: "The operation's payload; its schema is published per operation." }),
  tenant_id: printable(63, 'The target tenant.'),
  idempotency_key: Type.Optional(printable(255, 'Retry key of a state-changing operation.')),
  invoke_context: Type.Optional(Type.Partial(InvokeContext, { additionalProperties: false })),
})
export type HandleRequestInput = Static<typeof HandleRequestInput>

export const Usage = Closed({
  tokens_in: Type.Integer(),
  tokens_out: Type.Integer(),
  seconds: Type.Number(),
  watt_hours: Type.Number(),
  amount_usd: Type.String(),
  /** Of the call's time, what it waited for others: not charged. Absent where it did not wait. */
  waiting_seconds: Type.Optional(Type.Number()),
})
export type Usage = Static<typeof Usage>

export const AuditReceipt = Closed({
  record: AuditRecord,
  inclusion_path: ListOf(HexHash, 0, 64),
  tree_size: Type.Integer(),
  checkpoint: Type.String(),
})

export const AnswerMetadata = Closed({
  correlation_id: Uuid,
  protocol: Type.String(),
  version: Type.String(),
  operation: Type.String(),
  audit_head: Type.Union([HexHash, Type.Null()]),
  audit_record_id: Uuid,
  usage: Usage,
  replayed: Type.Boolean(),
  receipt: Type.Optional(AuditReceipt),
})
export type AnswerMetadata = Static<typeof AnswerMetadata>

export const Answer = Closed({ output: Type.Unknown(), metadata: AnswerMetadata })
export type Answer = Static<typeof Answer>

export const ErrorBody = Closed({
  error: Closed({
    code: Type.String(),
    message: Type.String(),
    reason: Type.Union([Type.String(), Type.Null()]),
    stage: Type.Union([Type.Integer({ minimum: 0, maximum: 8 }), Type.Null()]),
    correlation_id: Uuid,
    retryable: Type.Boolean(),
    retry_after_ms: Type.Union([Type.Integer(), Type.Null()]),
    details: AnyObject,
    audit_head: Type.Union([HexHash, Type.Null()]),
  }),
})
export type ErrorBody = Static<typeof ErrorBody>
