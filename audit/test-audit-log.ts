// Shared by the tests of this folder: an audit log on its own database, and entries for it.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditEntry, AuditRecord } from '@svc/contract/audit/audit-record'
import { type ExportOptions, type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import { Client } from 'pg'
import type { AuditLog } from './audit-log.ts'
import type { AuditLogOptions } from './audit-log-options.ts'
import { type Rotation, rotateKey } from './chain/rotate.ts'
import { openAuditLog } from './open-audit-log.ts'
import { exportChain } from './query/export.ts'
import type { RootKeys } from './sealing/root-keys.ts'
import { testRootKeys } from './sealing/test-root-keys.ts'

export const test_root_keys = testRootKeys()

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Deleted with the test process. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audit-log-'))
  folders.push(folder)
  return join(folder, 'audit')
}

export function openTestAuditLog(
  db_url: string,
  dir: string,
  options: Partial<AuditLogOptions> = {},
): Promise<AuditLog> {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  return openAuditLog({ db_url, dir, root_keys: test_root_keys, onUnknownEvent() {}, log, ...options })
}

export function entryOf(tenant_id: string, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: randomUUID(),
    event_type: 'ProtocolInvocation',
    correlation_id: randomUUID(),
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id,
    caller_did: `did:oas:${tenant_id}:agent:${'a'.repeat(64)}`,
    protocol: 'MAX',
    operation: 'audit_query',
    outcome: 'success',
    latency_ms: 1.25,
    meta: { input_hash: 'b'.repeat(64) },
    ...more,
  }
}

/** Records an entry and waits until it is committed. */
export async function recorded(audit_log: AuditLog, entry: AuditEntry): Promise<AuditRecord> {
  audit_log.record(entry)
  const { tenant_id, id: record_id, correlation_id } = entry
  return (await audit_log.committed({ tenant_id, record_id, correlation_id })).record
}

/** As the owner of the database: sees everything and may do what the triggers allow. */
export async function asOwner<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export async function exportLines(url: string, tenant_id: string, span = {}): Promise<string[]> {
  return asOwner(url, (client) => Array.fromAsync(exportChain(client, tenant_id, span)))
}

export async function verifyChain(
  url: string,
  tenant_id: string,
  options?: ExportOptions,
): Promise<ExportVerdict> {
  return verifyExport(await exportLines(url, tenant_id), options)
}

/** Rotates a tenant's audit key as an operator would. */
export async function rotateTestKey(
  url: string,
  tenant_id: string,
  root_keys: RootKeys = test_root_keys,
): Promise<Rotation> {
  const { id, correlation_id, timestamp, caller_did } = entryOf(tenant_id)
  const order = { id, correlation_id, timestamp, tenant_id, caller_did, meta: { os_user: 'tester' } }
  return asOwner(url, (client) => rotateKey(client, root_keys, order))
}

/** The ids of a chain's records in order. */
export async function recordIds(url: string, tenant_id: string): Promise<string[]> {
  const lines = await exportLines(url, tenant_id)
  return lines.map((line) => JSON.parse(line).record?.id).filter((id) => id !== undefined)
}
