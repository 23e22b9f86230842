// A tenant's audit log, as far as a protocol may use it.

import type { AuditEntry, AuditRecord } from '../audit/audit-record.ts'

/** A record with the proof that the signed audit log contains it. */
export interface Receipt {
  readonly record: AuditRecord
  /** RFC 6962 inclusion path, leaf to root, in hex. */
  readonly inclusion_path: readonly string[]
  readonly tree_size: number
  /** C2SP signed note over the tree of this size. */
  readonly checkpoint: string
}

/** This tenant's audit log, as far as a protocol may use it. */
export interface TenantAuditLog {
  /** Waits, at most one second, until everything this replica has answered is committed. */
  settled(): Promise<void>
  /** Signs with the tenant's audit key: EdDSA, base64url; `key_id` identifies the public key in the audit log. */
  sign(bytes: Uint8Array): Promise<{ key_id: string; public_key: string; signature: string }>
  /** Opens retained inputs by their commitments; `redacted` where the key is gone. */
  openInputs(input_hashes: readonly string[]): Promise<Record<string, unknown>>
  /** Seals a chain for ever and destroys its key; refused unless the organization is dissolved. Idempotent. */
  seal(order: SealOrder): Promise<ChainSeal>
}

/** The head of the chain; a successor may also read it, from its own tenant. */
export type SealOrder = Pick<
  AuditEntry,
  'id' | 'correlation_id' | 'timestamp' | 'tenant_id' | 'caller_did' | 'meta'
> & {
  /** Refused where the chain has another head: 64 hex. */
  readonly expected_head?: string | undefined
}

/** The end of a chain, provable by the last checkpoint alone. */
export interface ChainSeal {
  readonly tenant_id: string
  readonly final_seq: number
  readonly final_hash: string
  readonly root: string
  /** C2SP signed note over the whole tree. */
  readonly checkpoint: string
  readonly key_id: string
  /** base64url */
  readonly public_key: string
}
