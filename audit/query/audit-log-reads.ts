// What the audit log looks up for the engine: a record with its proof, and retained inputs.
import { sign } from 'node:crypto'
import type { PlacedRecord, RecordName } from '@svc/contract/audit/audit-event'
import type { AuditBody, AuditRecord } from '@svc/contract/audit/audit-record'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Receipt, TenantAuditLog } from '@svc/contract/needs/audit-log'
import { currentKeys } from '../chain/keys.ts'
import { openInput } from '../inputs/retained-input.ts'
import { inclusionProof } from '../tree/tree-store.ts'
import type { Query } from './client-query.ts'

const redacted = 'redacted'

interface RecordRow {
  readonly seq: string
  readonly body: string
  readonly record_hash: string
  readonly previous_hash: string | null
}

/** A committed record by its id, in the first chain that has it; the correlation id makes it a fast lookup. */
export async function findRecord(
  query: Query,
  tenant_ids: readonly string[],
  name: RecordName,
): Promise<AuditRecord | undefined> {
  for (const tenant_id of tenant_ids) {
    const record = await findRecordOf(query, tenant_id, name)
    if (record) return record
  }
  return undefined
}

async function findRecordOf(
  query: Query,
  tenant_id: string,
  { correlation_id, record_id }: Pick<RecordName, 'correlation_id' | 'record_id'>,
): Promise<AuditRecord | undefined> {
  const rows = await query<RecordRow>(
    `SELECT r.seq, r.body, encode(r.record_hash, 'hex') AS record_hash, (
       SELECT encode(p.record_hash, 'hex') FROM audit_records p WHERE p.tenant_id = r.tenant_id AND p.seq = r.seq - 1
     ) AS previous_hash
     FROM audit_records r
     WHERE r.tenant_id = $1 AND r.correlation_id = $2 AND strpos(r.body, $3) > 0 ORDER BY r.seq + 0`,
    [tenant_id, correlation_id, `"id":"${record_id}"`],
  )
  return rows.map(recordOf).find((record) => record.id === record_id)
}

function recordOf(row: RecordRow): AuditRecord {
  const fields = JSON.parse(row.body) as AuditBody
  return { ...fields, previous_hash: row.previous_hash ?? genesis_hash, record_hash: row.record_hash }
}

/** A record in the first signed tree that contains it, which never changes. */
export async function placeOf(query: Query, record: AuditRecord): Promise<PlacedRecord> {
  const [tree] = await query<{ size: string; chain_head: string }>(
    `SELECT c.size, encode(r.record_hash, 'hex') AS chain_head FROM audit_checkpoints c
     JOIN audit_records r ON r.tenant_id = c.tenant_id AND r.seq = c.size
     WHERE c.tenant_id = $1 AND c.size >= $2 ORDER BY c.size LIMIT 1`,
    [record.tenant_id, record.seq],
  )
  if (!tree) throw new Error(`no checkpoint covers record ${record.seq} of ${record.tenant_id}`)
  return { record, tree_size: Number(tree.size), chain_head: tree.chain_head }
}

/** Proves a record against the first checkpoint that covers it: the one its own batch signed. */
export async function proveRecord(query: Query, record: AuditRecord): Promise<Receipt> {
  const rows = await query<{ size: string; note: string }>(
    `SELECT size, note FROM audit_checkpoints WHERE tenant_id = $1 AND size >= $2 ORDER BY size LIMIT 1`,
    [record.tenant_id, record.seq],
  )
  const checkpoint = rows[0]
  if (!checkpoint) throw new Error(`no checkpoint covers record ${record.seq} of ${record.tenant_id}`)
  const tree_size = Number(checkpoint.size)
  const inclusion_path = await inclusionProof(query, record.tenant_id, record.seq - 1, tree_size)
  return { record, inclusion_path, tree_size, checkpoint: checkpoint.note }
}

/** What a protocol may do with its tenant's keys: sign, and open retained inputs. */
export function tenantReads(
  query: Query,
  master_key: Uint8Array,
  tenant_id: string,
): Pick<TenantAuditLog, 'sign' | 'openInputs'> {
  return {
    async sign(bytes) {
      const key = (await currentKeys(query, master_key, [tenant_id])).get(tenant_id)
      if (!key) throw new Error(`${tenant_id} has no audit key in use`)
      const signature = sign(null, bytes, key.private_key).toString('base64url')
      return { key_id: key.key_id, public_key: key.public_key.toString('base64url'), signature }
    },
    openInputs: (input_hashes) => openInputs(query, master_key, tenant_id, input_hashes),
  }
}

interface InputRow {
  readonly input_hash: string
  readonly sealed: Buffer
  readonly wrapped_key: Buffer | null
}

/** Retained inputs by commitment; those not retained are omitted, those whose key is gone read `redacted`. */
async function openInputs(
  query: Query,
  master_key: Uint8Array,
  tenant_id: string,
  input_hashes: readonly string[],
): Promise<Record<string, unknown>> {
  const rows = await query<InputRow>(
    'SELECT input_hash, sealed, wrapped_key FROM audit_inputs WHERE tenant_id = $1 AND input_hash = ANY($2)',
    [tenant_id, input_hashes],
  )
  return Object.fromEntries(
    rows.map(({ input_hash, sealed, wrapped_key }) => {
      if (!wrapped_key) return [input_hash, redacted]
      return [input_hash, jsonOrText(openInput(master_key, { tenant_id, input_hash, sealed, wrapped_key }))]
    }),
  )
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
