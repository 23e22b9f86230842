// The shapes of what is answered, and the check each must pass: JSON of somebody else is no answer.
import type { AnswerHeaders } from './answer-headers.ts'
import { badAnswer, fieldsOf, type RefusalBody } from './errors.ts'

/** What a call costs, as the service metered it. */
export interface Usage {
  tokens_in: number
  tokens_out: number
  seconds: number
  watt_hours: number
  /** Decimal text, so that nothing is lost to rounding. */
  amount_usd: string
}

/** One record of the audit log. */
export interface AuditRecord {
  id: string
  /** Its place in the tenant's chain, from 1 without gaps. */
  seq: number
  event_type: string
  correlation_id: string
  timestamp: string
  tenant_id: string
  caller_did: string
  protocol?: string
  operation?: string
  outcome: string
  latency_ms: number
  meta: Record<string, unknown>
  previous_hash: string
  record_hash: string
}

/** Proof that the record of a call is in the audit log. Anyone can check it offline. */
export interface Receipt {
  record: AuditRecord
  inclusion_path: string[]
  tree_size: number
  /** The signed head of the audit log that the path leads to. */
  checkpoint: string
}

/** What an answer says about the call itself. */
export interface AnswerMetadata {
  correlation_id: string
  protocol: string
  version: string
  operation: string
  /** The newest record hash of your tenant's chain that this engine knows. */
  audit_head: string | null
  audit_record_id: string
  usage: Usage
  /** True where this is the kept answer to an earlier call with the same idempotency key. */
  replayed: boolean
  /** Present where `waitForAudit` was asked for and the record was committed in time. */
  receipt?: Receipt
}

/** The output of an operation with what the service says about the call. */
export interface Answer<Output = unknown> {
  output: Output
  metadata: AnswerMetadata
  /** Trace and rate limit, as the answer's headers said them. */
  headers: AnswerHeaders
}

/** What a dry run found, stage by stage. */
export interface DryRun {
  verdict: 'allowed' | 'refused'
  stages: { stage: number; name: string; verdict: string; knew: Record<string, unknown> }[]
  /** What the real call would be refused with. */
  error: RefusalBody | null
  /** Under which the dry run itself is recorded. */
  correlation_id: string
}

/** Who the caller is, and what it may call. */
export interface Whoami {
  agent_did: string
  tenant_id: string
  tier: string
  /** How the caller proved who it is, such as `api_key`. */
  credential: string
  /** Where the engine serves MCP; null where it does not. */
  mcp_url?: string | null
  identity: {
    entity_kind: string
    name?: string
    conformance_level: string
    lineage_verified: boolean
    human_root_did?: string
    revoked: boolean
  }
  operations: {
    protocol: string
    operation: string
    /** The version this is about; engines before 0.9 do not say. */
    version?: string
    capability: string
    /** `depends` where only the input of a call decides. */
    may: 'yes' | 'no' | 'depends'
    reason?: string
    why_not?: string
  }[]
}

/** A parsed body, and what came beside it. */
export interface Reply {
  readonly body: unknown
  readonly headers: AnswerHeaders
  readonly api_url: string
}

export function answerOf<Output>(reply: Reply): Answer<Output> {
  const fields = fieldsOf(reply.body)
  if (!fields || !('output' in fields) || !fieldsOf(fields.metadata)) throw notAnAnswer(reply, 'an answer')
  const { output, metadata } = fields as unknown as Answer<Output>
  return { output, metadata, headers: reply.headers }
}

export function dryRunOf(reply: Reply): DryRun {
  const field = fieldsOf(fieldsOf(reply.body)?.dry_run)
  if (typeof field?.verdict !== 'string' || !Array.isArray(field.stages))
    throw notAnAnswer(reply, 'a dry run')
  const { correlation_id = reply.headers.correlation_id } = fieldsOf(fieldsOf(reply.body)?.metadata) ?? {}
  return { ...(field as unknown as DryRun), correlation_id: String(correlation_id) }
}

export function whoamiOf(reply: Reply): Whoami {
  const field = fieldsOf(reply.body)
  if (typeof field?.agent_did !== 'string' || !Array.isArray(field.operations))
    throw notAnAnswer(reply, 'a caller')
  return field as unknown as Whoami
}

function notAnAnswer({ api_url, headers }: Reply, what: string) {
  const message = `${api_url} answered with JSON that is not ${what} of svc; check apiUrl.`
  return badAnswer(message, {}, headers)
}
