// The types of answers, and the checks that reject foreign JSON.
import type { AnswerHeaders } from './answer-headers.ts'
import { badAnswer, fieldsOf, type RefusalBody } from './errors.ts'

/** The metered usage of a call. */
export interface Usage {
  tokens_in: number
  tokens_out: number
  seconds: number
  watt_hours: number
  /** A decimal string, to avoid rounding. */
  amount_usd: string
  /** Time spent waiting for others, for instance for mail: not charged. Absent if the call did not wait. */
  waiting_seconds?: number
}

/** One record of the audit log. */
export interface AuditRecord {
  id: string
  /** Its position in the tenant's chain, from 1 without gaps. */
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

/** Metadata of a call. */
export interface AnswerMetadata {
  correlation_id: string
  protocol: string
  version: string
  operation: string
  /** The newest record hash of your tenant's chain known to this engine. */
  audit_head: string | null
  audit_record_id: string
  usage: Usage
  /** True if this is the stored answer to an earlier call with the same idempotency key. */
  replayed: boolean
  /** Present if `waitForAudit` was set and the record was committed in time. */
  receipt?: Receipt
}

/** The output of an operation, with metadata of the call. */
export interface Answer<Output = unknown> {
  output: Output
  metadata: AnswerMetadata
  /** Trace and rate limit from the answer's headers. */
  headers: AnswerHeaders
}

/** The result of a dry run, stage by stage. */
export interface DryRun {
  verdict: 'allowed' | 'refused'
  stages: { stage: number; name: string; verdict: string; knew: Record<string, unknown> }[]
  /** The error the real call would be refused with. */
  error: RefusalBody | null
  /** The correlation id under which the dry run is recorded. */
  correlation_id: string
}

/** The caller's identity and permissions. */
export interface Whoami {
  agent_did: string
  tenant_id: string
  tier: string
  /** The kind of credential, such as `api_key`. */
  credential: string
  /** The engine's MCP address; null if it serves none. */
  mcp_url?: string | null
  identity: {
    entity_kind: string
    name?: string
    conformance_level: string
    lineage_verified: boolean
    /** Links between the identity and its root; absent in engines before 0.11. */
    lineage_depth?: number
    /** Its parent. */
    creator_did?: string
    human_root_did?: string
    revoked: boolean
  }
  operations: {
    protocol: string
    operation: string
    /** The protocol version; absent in engines before 0.9. */
    version?: string
    capability: string
    /** Absent in engines before 0.11. */
    effect?: 'read' | 'write'
    /** `depends` if the input of a call decides. */
    may: 'yes' | 'no' | 'depends'
    reason?: string
    why_not?: string
  }[]
}

/** A parsed body with its headers. */
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
