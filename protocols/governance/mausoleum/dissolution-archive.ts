// A sealed audit log as one file, stored in chunks; it can be verified without this service.
import { createHash } from 'node:crypto'
import { exportChain } from '@svc/audit/query/export'
import type { Database } from '@svc/contract/database'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { readSeal, sealEntry, sealRef } from './chain-seal.ts'
import type { Dissolution } from './dissolution.ts'
import { tellOf } from './dissolution-changes.ts'

const chunk_bytes = 1024 * 1024
const chunks_max = 1_000_000

/** The archive's address is the hash of this. */
export interface Manifest {
  readonly v: 1
  readonly format: 'svc-archive/1'
  readonly tenant_id: string
  readonly dissolution_id: string
  readonly successor_did: string
  readonly records: number
  readonly final_seq: number
  readonly final_hash: string
  readonly mars_ref: string
  /** The export, as `svc-engine verify` reads it. */
  readonly file: { readonly name: 'audit-log.jsonl'; readonly bytes: number; readonly sha256: string }
}

interface Archiving {
  readonly db: Database
  readonly dissolution: Dissolution
  readonly operator_tenant_id: string
  readonly now: Date
  newId(): string
}

export async function archiveAuditLog(archiving: Archiving): Promise<Record<string, unknown>> {
  const { db, dissolution, operator_tenant_id, now } = archiving
  const { tenant_id, dissolution_id, schedule, successor_tenant } = dissolution
  const seal = await readSeal(db, tenant_id)
  if (!seal) throw new Error(`the chain of ${tenant_id} is marked as sealed but has no seal`)
  const file = await keepFile(db, tenant_id)
  const { final_seq, final_hash } = seal
  const mars_ref = sealRef(sealEntry(operator_tenant_id, dissolution, seal))
  const manifest: Manifest = {
    v: 1,
    format: 'svc-archive/1',
    tenant_id,
    dissolution_id,
    successor_did: schedule.successor_did,
    records: final_seq,
    final_seq,
    final_hash,
    mars_ref,
    file: { name: 'audit-log.jsonl', ...file },
  }
  const hash = contentHash(manifest)
  await sql`
    INSERT INTO archives (tenant_id, archive_hash, manifest, archived_at)
    VALUES (${tenant_id}, ${hash}, ${JSON.stringify(manifest)}, ${now})`.execute(db)
  const archive = { hash, bytes: file.bytes, records: final_seq }
  const meta = { tenant_id, dissolution_id, archive, final_hash, mars_ref }
  await tellOf(archiving, 'OrganizationArchived', meta, [operator_tenant_id, successor_tenant])
  return { archive }
}

/** Line by line, so that a long audit log never fills the memory. */
async function keepFile(db: Database, tenant_id: string): Promise<{ bytes: number; sha256: string }> {
  const digest = createHash('sha256')
  let pending: string[] = []
  let [buffered, bytes, place] = [0, 0, 0]
  const flush = async () => {
    const chunk = Buffer.from(pending.join(''))
    digest.update(chunk)
    bytes += chunk.length
    if (place >= chunks_max) throw new Error(`the audit log of ${tenant_id} is larger than an archive may be`)
    await sql`
      INSERT INTO archive_chunks (tenant_id, place, bytes) VALUES (${tenant_id}, ${place++}, ${chunk})`.execute(
      db,
    )
    pending = []
    buffered = 0
  }
  for await (const line of exportChain(db, tenant_id)) {
    pending.push(`${line}\n`)
    buffered += line.length + 1
    if (buffered >= chunk_bytes) await flush()
  }
  if (buffered > 0) await flush()
  return { bytes, sha256: digest.digest('hex') }
}

export interface StoredArchive {
  readonly hash: string
  readonly manifest: Manifest
}

export async function findArchive(db: Database, tenant_id: string): Promise<StoredArchive | undefined> {
  return sql<StoredArchive>`
    SELECT archive_hash AS hash, manifest FROM archives WHERE tenant_id = ${tenant_id}`.first(db)
}

/** Streams the file chunk by chunk. */
export async function* readArchive(db: Database, tenant_id: string): AsyncGenerator<Buffer> {
  for (let place = 0; place < chunks_max; place++) {
    const row = await sql<{ bytes: Buffer }>`
      SELECT bytes FROM archive_chunks WHERE tenant_id = ${tenant_id} AND place = ${place}`.first(db)
    if (!row) return
    yield row.bytes
  }
}
