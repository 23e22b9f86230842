// What the audit log looks up for the engine: a record with its proof, and retained inputs.
import { sign } from 'node:crypto'
import type { PlacedRecord, RecordName } from '@svc/contract/audit/audit-event'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { Receipt, TenantAuditLog } from '@svc/contract/needs/audit-log'
import { currentKeys } from '../chain/keys.ts'
import { openInput } from '../inputs/retained-input.ts'
import { hashAt } from '../pages/read-hashes.ts'
import { recordOf } from '../pages/stored-record.ts'
import type { RootKeys } from '../sealing/root-keys.ts'
import { inclusionProof } from '../tree/tree-store.ts'
import type { Query } from './client-query.ts'
import { searchRecords } from './search.ts'

const redacted = 'redacted'

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
  const filter = { correlation_ids: [correlation_id], newest_first: true }
  for await (const records of searchRecords(query, tenant_id, filter)) {
    const record = records.map(recordOf).find(({ id }) => id === record_id)
    if (record) return record
  }
  return undefined
}

/** Proves a record against the first checkpoint that covers it: the one its own batch signed. */
export async function proveRecord(query: Query, record: AuditRecord): Promise<Receipt & PlacedRecord> {
  const { size: tree_size, note: checkpoint } = await firstCovering(query, record)
  const inclusion_path = await inclusionProof(query, record.tenant_id, record.seq - 1, tree_size)
  const chain_head = await hashAt(query, record.tenant_id, tree_size)
  if (chain_head === undefined) throw new Error(`record ${tree_size} of ${record.tenant_id} is missing`)
  return { record, inclusion_path, tree_size, checkpoint, chain_head }
}

async function firstCovering(query: Query, { tenant_id, seq }: AuditRecord) {
  const [row] = await query<{ size: string; note: string }>(
    'SELECT size, note FROM audit_checkpoints WHERE tenant_id = $1 AND size >= $2 ORDER BY size LIMIT 1',
    [tenant_id, seq],
  )
  if (!row) throw new Error(`no checkpoint covers record ${seq} of ${tenant_id}`)
  return { size: Number(row.size), note: row.note }
}

/** What a protocol may do with its tenant's keys: sign, and open retained inputs. */
export function tenantReads(
  query: Query,
  root_keys: RootKeys,
  tenant_id: string,
): Pick<TenantAuditLog, 'sign' | 'openInputs'> {
  return {
    async sign(bytes) {
      const key = (await currentKeys(query, root_keys, [tenant_id])).get(tenant_id)
      if (!key) throw new Error(`${tenant_id} has no audit key in use`)
      const signature = sign(null, bytes, key.private_key).toString('base64url')
      return { key_id: key.key_id, public_key: key.public_key.toString('base64url'), signature }
    },
    openInputs: (input_hashes) => openInputs(query, root_keys, tenant_id, input_hashes),
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
  root_keys: RootKeys,
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
      return [input_hash, jsonOrText(openInput(root_keys, { tenant_id, input_hash, sealed, wrapped_key }))]
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
