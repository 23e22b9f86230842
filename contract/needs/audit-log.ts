// A tenant's audit log, as far as a protocol may use it.

import type { AuditEntry, AuditRecord } from '../audit/audit-record.ts'

/** A record with the proof that it stands in the signed book. */
export interface Receipt {
  readonly record: AuditRecord
  /** RFC 6962 inclusion path, leaf to root, in hex. */
  readonly inclusion_path: readonly string[]
  readonly tree_size: number
  /** C2SP signed note over the tree of this size. */
  readonly checkpoint: string
}

/** This tenant's audit book, as far as a protocol may use it. */
export interface TenantAuditLog {
  /** Waits, one second at most, until what this replica has answered is committed. */
  settled(): Promise<void>
  /** Signs with the tenant's audit key: EdDSA, base64url; `key_id` names the public key in the book. */
  sign(bytes: Uint8Array): Promise<{ key_id: string; public_key: string; signature: string }>
  /** Opens kept inputs by their commitments; `redacted` where the key is gone. */
  openInputs(input_hashes: readonly string[]): Promise<Record<string, unknown>>
  /** Ends a chain for ever and destroys its key; refused where the organization is not wound up. Twice is once. */
  seal(order: SealOrder): Promise<ChainSeal>
}

/** What the last record says; also a successor may ask for it, from its own tenant. */
export type SealOrder = Pick<
  AuditEntry,
  'id' | 'correlation_id' | 'timestamp' | 'tenant_id' | 'caller_did' | 'meta'
> & {
  /** Refused where the chain stands elsewhere: 64 hex. */
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
