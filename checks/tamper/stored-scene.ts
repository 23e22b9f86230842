// Shared by tests: two signed logs in PostgreSQL with an archive, everything that verifies them, and a way to undo what was forged.
import { Readable } from 'node:stream'
import { nameOperator } from '@svc/adapters/access/operator-tenant'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { exportChain } from '@svc/audit/query/export'
import { queryOf } from '@svc/audit/query/query'
import { findRecords, publicKeys } from '@svc/audit/query/records'
import { spanOf } from '@svc/audit/query/span'
import { asOwner, entryOf, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import { verifierKeyOfLog } from '@svc/audit/tree/checkpoint'
import { parseTile, readTile } from '@svc/audit/tree/tiles'
import type { Database } from '@svc/contract/database'
import { verifyRecords } from '@svc/protocols/awareness/max/audit-log-proofs'
import { judgeSpan } from '@svc/protocols/awareness/max/compliance-report'
import { verifyExport } from '@svc/sdk/verify/export'
import { admin } from '@svc/service/admin'
import type { Client } from 'pg'
import { type ArchiveScene, openArchiveScene, tenant_id } from '../log-archive/archive-scene.ts'
import { readCheckpoint, requireTree } from '../tiles/tile-reader.ts'
import type { Verifier } from './stored-forgeries.ts'

export const other_id = 'other'
const other_records = 300
const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }

/** Everything of which a log consists in the database. */
const tables = [
  'audit_pages',
  'audit_hot_pages',
  'audit_tail',
  'audit_terms',
  'audit_tree',
  'audit_checkpoints',
  'audit_keys',
  'chain_heads',
]

export interface StoredScene {
  readonly archive: ArchiveScene
  /** Whether each verifier calls the log of the test valid. */
  verdicts(): Promise<Record<Verifier, boolean>>
  /** With triggers off, and undone afterwards. */
  forged(forge: (client: Client) => Promise<unknown>, look: () => Promise<void>): Promise<void>
  check(): Promise<{ exit: number; text: string }>
}

export async function openStoredScene(): Promise<StoredScene> {
  const archive = await openArchiveScene()
  const { url } = archive.database
  const { engine } = archive.store
  await writeOther(url)
  await ensureTenant(engine, 'operator', 'The operator', 'sovereign')
  await nameOperator(engine, 'operator')
  // What a reader has from elsewhere: the key of the log.
  const [key] = await publicKeys(engine, tenant_id)
  const public_key = key!.public_key
  const check = () => runCheck(url, archive.folder)
  return {
    archive,
    check,
    verdicts: () =>
      archive.fresh(async (db) => ({
        report: (await reportOn(db)).ok,
        query: await isQuerySound(db),
        export: await isExportValid(db, public_key),
        tiles: await areTilesValid(db, public_key),
        check: (await check()).exit === 0,
      })),
    forged: (forge, look) => asOwner(url, (client) => undone(client, forge, look)),
  }
}

async function reportOn(db: Database) {
  const span = await spanOf(db, tenant_id, period.from, period.to)
  const signal = new AbortController().signal
  return await judgeSpan(period, span, { db, tenant_id, signal })
}

/** The records around those that are forged, with proofs. The proof of the last in a full page needs the tail. */
async function isQuerySound(db: Database): Promise<boolean> {
  for (const after_seq of [0, 256, 298, 1_279, 1_388]) {
    const records = await findRecords(db, tenant_id, { after_seq, limit: 4 })
    if (!(await verifyRecords(records, { db, tenant_id })).ok) return false
  }
  return true
}

async function isExportValid(db: Database, public_key: string): Promise<boolean> {
  const lines = await Array.fromAsync(exportChain(db, tenant_id))
  return (await verifyExport(lines, { trustedKeys: [public_key] })).verified
}

/** As a client that reads tiles, with the key it has from elsewhere. */
async function areTilesValid(db: Database, public_key: string): Promise<boolean> {
  const query = queryOf(db)
  const read = async (path: string) => {
    if (path !== 'checkpoint') {
      const tile = await readTile(query, tenant_id, parseTile(path.slice('tile/'.length))!)
      if (!tile) throw new Error(`the log has no ${path}`)
      return tile
    }
    const [newest] = await query<{ note: string }>(
      'SELECT note FROM audit_checkpoints WHERE tenant_id = $1 ORDER BY size DESC LIMIT 1',
      [tenant_id],
    )
    return Buffer.from(newest!.note)
  }
  try {
    const verifier_key = verifierKeyOfLog(tenant_id, Buffer.from(public_key, 'base64url'))
    await requireTree(read, await readCheckpoint(read, verifier_key))
    return true
  } catch {
    return false
  }
}

async function runCheck(url: string, folder: string): Promise<{ exit: number; text: string }> {
  const texts: string[] = []
  const terminal = { input: Readable.from([]), write: async (text: string) => void texts.push(text) }
  const env = { SVC_DB_URL: url, SVC_LOG_ARCHIVE: `file:${folder}` }
  const exit = await admin(['log', 'check'], env, terminal)
  return { exit, text: texts.join('') }
}

async function undone(
  client: Client,
  forge: (client: Client) => Promise<unknown>,
  look: () => Promise<void>,
): Promise<void> {
  await client.query('SET session_replication_role = replica')
  // unchecked sql: names from the list above
  for (const table of tables) await client.query(`CREATE TEMP TABLE saved_${table} AS SELECT * FROM ${table}`)
  try {
    await forge(client)
    await look()
  } finally {
    await client.query('SET session_replication_role = replica')
    // unchecked sql: names from the list above
    for (const table of tables)
      await client.query(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}`)
  }
}

async function writeOther(url: string): Promise<void> {
  const audit_log = await openTestAuditLog(url, await newFolder())
  await audit_log.ready(other_id)
  for (let n = 0; n < other_records; n++) audit_log.record(entryOf(other_id))
  await audit_log.flush()
  await audit_log.close()
}
