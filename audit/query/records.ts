// Reads the audit log. Runs inside the caller's tenant-scoped transaction, under row-level security.
import { type AuditRecord, genesis_hash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { hashAt } from '../pages/read-hashes.ts'
import type { StoredRecord } from '../pages/read-records.ts'
import { bodyOf, recordOf } from '../pages/stored-record.ts'
import { cosignedNote } from '../witness/cosigned-note.ts'
import { queryOf } from './query.ts'
import type { RecordFilter } from './record-filter.ts'
import { searchRecords } from './search.ts'

export type { RecordFilter }

/** In the order asked for, each with the hash of the record before it. */
export async function findRecords(
  db: Database,
  tenant_id: string,
  filter: RecordFilter,
): Promise<AuditRecord[]> {
  const matching: StoredRecord[] = []
  for await (const records of searchRecords(queryOf(db), tenant_id, filter)) {
    matching.push(...records)
    if (matching.length >= filter.limit) break
  }
  return matching.slice(0, filter.limit).map(recordOf)
}

export interface Head {
  readonly seq: number
  readonly hash: string
}

export async function headOf(db: Database, tenant_id: string): Promise<Head> {
  const row = await sql<{ seq: string; head_hash: Buffer }>`
    SELECT seq, head_hash FROM chain_heads WHERE tenant_id = ${tenant_id}`.first(db)
  return row ? { seq: Number(row.seq), hash: row.head_hash.toString('hex') } : { seq: 0, hash: genesis_hash }
}

export interface LogSize {
  readonly tenant_id: string
  readonly records: number
  /** The organization was dissolved: nothing is added any more. */
  readonly is_sealed: boolean
}

/** Of logs that have begun. */
export async function logSizes(db: Database, tenant_ids: readonly string[]): Promise<LogSize[]> {
  const rows = await sql<{ tenant_id: string; seq: string; sealed: boolean }>`
    SELECT tenant_id, seq, sealed FROM chain_heads WHERE tenant_id = ANY(${tenant_ids})`.all(db)
  return rows.map(({ tenant_id, seq, sealed }) => ({ tenant_id, records: Number(seq), is_sealed: sealed }))
}

export interface PublicKey {
  readonly key_id: string
  /** base64url, 32 bytes. */
  readonly public_key: string
  readonly from_seq: number
  readonly until_seq: number | null
}

/** The keys a tenant's checkpoints are signed with, newest first. */
export async function publicKeys(db: Database, tenant_id: string): Promise<PublicKey[]> {
  const rows = await sql<{
    key_id: string
    public_key: Buffer
    from_seq: string
    until_seq: string | null
  }>`
    SELECT key_id, public_key, from_seq, until_seq FROM audit_keys
    WHERE tenant_id = ${tenant_id} ORDER BY from_seq DESC`.all(db)
  return rows.map((row) => ({
    key_id: row.key_id,
    public_key: row.public_key.toString('base64url'),
    from_seq: Number(row.from_seq),
    until_seq: row.until_seq === null ? null : Number(row.until_seq),
  }))
}

export interface NewestCheckpoint {
  readonly size: number
  readonly root: string
  readonly note: string
  /** Hash of the last record it covers. */
  readonly head: string
}

export async function newestCheckpoint(
  db: Database,
  tenant_id: string,
): Promise<NewestCheckpoint | undefined> {
  const row = await sql<{ size: string; root: Buffer; note: string }>`
    SELECT c.size, c.root, ${sql.raw(cosignedNote('c'))} AS note FROM audit_checkpoints c
    WHERE c.tenant_id = ${tenant_id} ORDER BY c.size DESC LIMIT 1`.first(db)
  if (!row) return undefined
  const size = Number(row.size)
  const head = (await hashAt(queryOf(db), tenant_id, size)) ?? genesis_hash
  return { size, root: row.root.toString('hex'), note: row.note, head }
}

/** The note of the first checkpoint that covers a record; undefined until there is one. */
export async function checkpointCovering(
  db: Database,
  tenant_id: string,
  seq: number,
): Promise<string | undefined> {
  const row = await sql<{ note: string }>`
    SELECT note FROM audit_checkpoints WHERE tenant_id = ${tenant_id} AND size >= ${seq}
    ORDER BY size LIMIT 1`.first(db)
  return row?.note
}

/** For each name, the requests whose events of these kinds contain it, such as a contract; the newest first. One reading serves all names. */
export async function correlationsNaming(
  db: Database,
  tenant_id: string,
  event_types: readonly string[],
  names: readonly string[],
  limit: number,
): Promise<string[][]> {
  const searches = names.map((name) => ({ name, ids: new Set<string>() }))
  const filter = {
    event_types: event_types.filter((type) => type !== 'ProtocolInvocation'),
    newest_first: true,
  }
  for await (const records of searchRecords(queryOf(db), tenant_id, filter)) {
    const open = searches.filter(({ ids }) => ids.size < limit)
    if (open.length === 0) break
    for (const record of records) {
      const naming = open.filter(({ name }) => record.body?.includes(name))
      const body = naming.length > 0 ? bodyOf(record) : undefined
      if (body) for (const { ids } of naming) ids.add(body.correlation_id)
    }
  }
  return searches.map(({ ids }) => [...ids].slice(0, limit))
}
