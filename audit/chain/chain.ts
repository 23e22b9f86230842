// A tenant's chain as a value: each entry gets its seq, its link to the previous one, and its leaf in the tree.
import {
  type AuditBody,
  type AuditEntry,
  bodyText,
  genesis_hash,
  recordHash,
} from '@svc/contract/audit/audit-record'
import { appendLeaf, type Frontier, leafHash, type StoredNode } from '../tree/merkle.ts'

/** The head of a chain. Extending it changes it in place. */
export interface Chain {
  seq: number
  head_hash: string
  readonly frontier: Frontier
  sealed: boolean
}

export interface PendingEntry {
  readonly text: string
  readonly entry: AuditEntry
}

/** A record with its place; `body` is the hashed text, `fields` its content. */
export interface CommittedRecord {
  readonly tenant_id: string
  readonly seq: number
  readonly body: string
  readonly fields: AuditBody
  readonly previous_hash: string
  readonly record_hash: string
}

export function emptyChain(): Chain {
  return { seq: 0, head_hash: genesis_hash, frontier: [], sealed: false }
}

export function extendChain(
  chain: Chain,
  pending: PendingEntry,
  keep: (node: StoredNode) => void,
): CommittedRecord {
  const { tenant_id } = pending.entry
  if (chain.sealed) throw new Error(`the chain of ${tenant_id} is sealed and takes no append`)
  const previous_hash = chain.head_hash
  const seq = chain.seq + 1
  const body = bodyText(pending.text, seq)
  const record_hash = recordHash(previous_hash, body)
  appendLeaf(chain.frontier, chain.seq, leafHash(Buffer.from(record_hash, 'hex')), keep)
  chain.seq = seq
  chain.head_hash = record_hash
  chain.sealed = pending.entry.event_type === sealing_event
  return { tenant_id, seq, body, fields: { ...pending.entry, seq }, previous_hash, record_hash }
}

const sealing_event = 'ChainSealed'

/** Records about an organization after its chain was sealed go to the operator's chain. */
export function redirectSealed(
  pending: readonly PendingEntry[],
  sealed_tenants: ReadonlySet<string>,
  rewrite: (entry: AuditEntry) => PendingEntry,
): readonly PendingEntry[] {
  const closed = new Set(sealed_tenants)
  return pending.map((item) => {
    const { tenant_id, event_type } = item.entry
    if (closed.has(tenant_id)) return rewrite(item.entry)
    if (event_type === sealing_event) closed.add(tenant_id)
    return item
  })
}
