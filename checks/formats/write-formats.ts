// Writes an example of every stored format, once for each release: `node checks/formats/write-formats.ts 0.11`. Later builds must
// read it, so a folder of a published release is never written again.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import { fileStore } from '@svc/adapters/log-archive/file-store'
import { pageStore } from '@svc/audit/archive/page-store'
import { turnSealer } from '@svc/audit/inputs/retained-input'
import { encodeFrame } from '@svc/audit/journal/frame'
import { openDirectory, segmentPath } from '@svc/audit/journal/journal-directory'
import {
  asOwner,
  entryOf,
  exportLines,
  newFolder,
  openTestAuditLog,
  rotateTestKey,
  test_root_keys,
} from '@svc/audit/test-audit-log'
import { entryText } from '@svc/contract/audit/audit-record'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { migrations } from '@svc/service/assembly/migrations'
import { testDatabase } from '../rehearsal/test-database.ts'

const [release] = process.argv.slice(2)
if (!release) throw new Error('Name the release: node checks/formats/write-formats.ts 0.11')
const folder = join(import.meta.dirname, release)
const database = await testDatabase()
const audit_log = await openTestAuditLog(database.url, await newFolder())
try {
  write('migrations.json', Object.fromEntries(migrations.map(({ name, sql }) => [name, sha256Hex(sql)])))
  await writeLog()
  await writePage()
  writeJournal()
} finally {
  await audit_log.close()
  await database.close()
}

/** An export with a change of keys, and a receipt. */
async function writeLog(): Promise<void> {
  await audit_log.ready('short')
  const entry = entryOf('short')
  audit_log.record(entry)
  const receipt = await audit_log.receipt('short', entry.correlation_id, entry.id)
  await rotateTestKey(database.url, 'short')
  audit_log.record(entryOf('short'))
  await audit_log.flush()
  const lines = await exportLines(database.url, 'short')
  write('export.jsonl', `${lines.join('\n')}\n`)
  write('receipt.json', { receipt, public_keys: JSON.parse(lines[0]!).keys.map(keyOf) })
}

function keyOf({ public_key }: { public_key: string }): string {
  return public_key
}

/** A full page as PostgreSQL and the archive have it. Its records differ little, so that it stays small. */
async function writePage(): Promise<void> {
  await audit_log.ready('long')
  for (let seq = 1; seq <= 256; seq++) {
    const id = `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`
    audit_log.record(entryOf('long', { id, correlation_id: id }))
  }
  await audit_log.flush()
  const rows = (table: string) =>
    asOwner(database.url, async (client) => {
      const { rows } = await client.query(
        `SELECT to_jsonb(t) AS row FROM ${table} t WHERE tenant_id = 'long'`,
      )
      return rows.map(({ row }) => row)
    })
  const [page] = await rows('audit_pages')
  write('page.json', { page, terms: await rows('audit_terms') })
  const pages = pageStore(fileStore(join(folder, 'archive'), system_clock))
  await pages.prepare(async () => false)
  const bytes = Buffer.from(page.bytes.slice(2), 'hex')
  await pages.put({ sha256: page.sha256.slice(2), bytes: bytes.length }, bytes)
}

function writeJournal(): void {
  const dir = join(folder, 'journal')
  const journal_id = openDirectory(dir)
  const commitment = 'c'.repeat(64)
  const input = { tenant_id: 'waiting', commitment, text: '{"retained":true}' }
  const entry = entryOf('waiting', { meta: { input_hash: commitment } })
  const frames = [
    encodeFrame([entryOf('waiting'), entryOf('waiting')].map(entryText).join('\n')),
    encodeFrame(entryText(entry), turnSealer(test_root_keys, journal_id)([input])),
  ]
  writeFileSync(segmentPath(dir, 1), Buffer.concat(frames))
}

function write(name: string, content: unknown): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 1)}\n`)
  console.log(`${name}: ${readFileSync(path).length} bytes`)
}
