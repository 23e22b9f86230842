// Shared by tests: a signed log of several pages, and an archive in a folder whose calls can be made to fail.
import { system_clock } from '@svc/adapters/clock/system'
import { fileStore } from '@svc/adapters/log-archive/file-store'
import { CachedArchive } from '@svc/adapters/log-archive/page-archive'
import { type ArchivedBatch, archiveBatch } from '@svc/audit/archive/archive-pages'
import { type ObjectStore, type PageStore, pageStore } from '@svc/audit/archive/page-store'
import { restorePages } from '@svc/audit/archive/restore-pages'
import { entryOf, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import type { Database } from '@svc/contract/database'
import { openTestStore, type TestStore } from '../rehearsal/test-store.ts'

export const tenant_id = 'archived'
export const record_count = 1_400
export const full_pages = 5
export const begin_ms = Date.parse('2026-11-15T10:00:00Z')
const future = new Date('2100-01-01T00:00:00Z')

export const callers = Array.from({ length: 6 }, (_, n) => `did:oas:archived:agent:${`${n}`.repeat(64)}`)

/** Replaces one of its calls for a test. */
export interface Faults {
  put?: ObjectStore['put'] | undefined
  get?: ObjectStore['get'] | undefined
}

export interface ArchiveScene extends TestStore {
  readonly folder: string
  readonly objects: ObjectStore
  readonly faults: Faults
  readonly pages: PageStore
  /** As an engine that just started: nothing is cached. */
  fresh<Result>(work: (db: Database) => Promise<Result>): Promise<Result>
  archiveAll(): Promise<ArchivedBatch>
  restoreAll(): Promise<number>
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** In a folder unless another store is given. */
export async function openArchiveScene(other?: ObjectStore): Promise<ArchiveScene> {
  const folder = await newFolder()
  const objects = other ?? fileStore(folder, system_clock)
  const faults: Faults = {}
  const pages = pageStore({
    place: 'a folder of this test',
    put: (name, bytes) => (faults.put ?? objects.put)(name, bytes),
    get: (name, bytes_max) => (faults.get ?? objects.get)(name, bytes_max),
  })
  let archive = new CachedArchive({ pages, log: quiet })
  const scene = await openTestStore({ page_archive: { read: (page) => archive.read(page) } })
  await writeLog(scene.database.url)
  await pages.prepare(async () => false)
  return {
    ...scene,
    folder,
    objects,
    faults,
    pages,
    async fresh(work) {
      archive = new CachedArchive({ pages, log: quiet, answer_ms_max: 5_000 })
      return await scene.as(tenant_id, work)
    },
    archiveAll: () => archiveBatch(scene.store.engine, pages, { older_than: future, claim_s: 0 }),
    async restoreAll() {
      let count = 0
      for await (const batch of restorePages(scene.store.engine, pages, {})) count += batch.pages
      return count
    },
  }
}

/** Through the real writer, so that everything is signed. */
async function writeLog(url: string): Promise<void> {
  const audit_log = await openTestAuditLog(url, await newFolder())
  await audit_log.ready(tenant_id)
  for (let n = 0; n < record_count; n++) audit_log.record(entryAt(n))
  await audit_log.flush()
  await audit_log.close()
}

function entryAt(n: number) {
  const late_ms = n % 97 === 0 ? 3_600_000 : 0
  return entryOf(tenant_id, {
    id: uuidOf(n),
    correlation_id: correlationOf(n),
    timestamp: new Date(begin_ms + n * 1_000 - late_ms).toISOString(),
    event_type: n === 700 ? 'custom.rare' : n % 5 === 0 ? 'TreatySigned' : 'ProtocolInvocation',
    outcome: (['success', 'success', 'refused', 'error'] as const)[n % 4]!,
    caller_did: callers[(n * n) % callers.length]!,
    protocol: ['MAX', 'MOAT', 'MIND'][n % 3]!,
    operation: ['audit_query', 'sign', 'recall', 'odd\nname'][n % 4]!,
  })
}

/** Three records of each request. */
export function correlationOf(n: number): string {
  return uuidOf(1_000_000 + Math.floor(n / 3))
}

function uuidOf(n: number): string {
  const hex = Buffer.from(`${n * 7_919}`)
    .toString('hex')
    .padEnd(20, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${n.toString(16).padStart(12, '0')}`
}
