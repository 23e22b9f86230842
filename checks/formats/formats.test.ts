// What an older release stored is read by this one: a folder for each release, written by it (write-formats.ts).
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { fileStore } from '@svc/adapters/log-archive/file-store'
import { migrate } from '@svc/adapters/store/migrate'
import { pageStore } from '@svc/audit/archive/page-store'
import { openInput } from '@svc/audit/inputs/retained-input'
import { openDirectory } from '@svc/audit/journal/journal-directory'
import { openBodies } from '@svc/audit/pages/bodies'
import { wrongSummaries } from '@svc/audit/pages/check-pages'
import { readRecords } from '@svc/audit/pages/read-records'
import { queryOf } from '@svc/audit/query/query'
import { RootKeys } from '@svc/audit/sealing/root-keys'
import { asOwner, newFolder, openTestAuditLog, test_root_keys, verifyChain } from '@svc/audit/test-audit-log'
import { recordHash } from '@svc/contract/audit/audit-record'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Migration, takesAway } from '@svc/database/migration'
import { verifyExport } from '@svc/sdk/verify/export'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { migrations } from '@svc/service/assembly/migrations'
import { emptyTestDatabase, testDatabase } from '../rehearsal/test-database.ts'

/** Of an installation that began with 0.11, whose master key sealed directly. */
const root_keys = new RootKeys({ ...test_root_keys.ring, first_key: Buffer.alloc(32, 7) })
/** What takes something away says which engines go on, so that those of the release before can be started again. */
function undeclared(all: readonly Migration[], landed: readonly string[]): string[] {
  return all
    .filter((one) => !landed.includes(one.name) && takesAway(one) && one.requires === undefined)
    .map(({ name }) => name)
}

const releases = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
)

for (const { name: release } of releases) {
  const folder = join(import.meta.dirname, release)
  const text = (name: string) => readFileSync(join(folder, name), 'utf8')
  const landed = JSON.parse(text('migrations.json')) as Record<string, string>
  const { page, terms } = JSON.parse(text('page.json'))

  describe(`formats of ${release}`, () => {
    test('no migration of the release was edited', () => {
      const hashes = new Map(migrations.map(({ name, sql }) => [name, sha256Hex(sql)]))
      const edited = Object.entries(landed).filter(([name, hash]) => hashes.get(name) !== hash)
      assert.deepEqual(edited, [], 'write another migration; a landed one is never edited (CONTRIBUTING.md)')
    })

    test('a database of the release takes the later migrations, and its pages are read', async () => {
      const database = await emptyTestDatabase()
      try {
        const of_release = migrations.filter(({ name }) => name in landed)
        await migrate(database.url, of_release)
        await asOwner(database.url, async (client) => {
          await client.query('INSERT INTO audit_pages SELECT * FROM jsonb_populate_record(NULL::audit_pages, $1)', [page]) // biome-ignore format: one statement
          await client.query('INSERT INTO audit_terms SELECT * FROM jsonb_populate_recordset(NULL::audit_terms, $1)', [JSON.stringify(terms)]) // biome-ignore format: one statement
        })
        assert.equal((await migrate(database.url, migrations)).length, migrations.length - of_release.length)
        await asOwner(database.url, async (client) => {
          const records = await readRecords(queryOf(client), 'long', [{ from_seq: 1, to_seq: 256 }])
          assert.equal(records.length, 256)
          for (const { previous_hash, body, record_hash } of records)
            assert.equal(recordHash(previous_hash, body!), record_hash)
          assert.deepEqual(await wrongSummaries(queryOf(client), 'long', records), [])
        })
      } finally {
        await database.close()
      }
    })

    test('an object of the archive', async () => {
      const pages = pageStore(fileStore(join(folder, 'archive'), system_clock))
      assert.equal(await pages.isArchive(), true)
      const bytes = await pages.get({ sha256: page.sha256.slice(2), bytes: page.part_ends.at(-1) })
      assert.equal(openBodies(bytes!.subarray(0, page.part_ends[0]), page.format, 64).length, 64)
    })

    test('an export and a receipt', async () => {
      const lines = text('export.jsonl').trimEnd().split('\n')
      const { receipt, public_keys } = JSON.parse(text('receipt.json'))
      const verdict = await verifyExport(lines, {
        trustedKeys: public_keys,
        checkpoints: [receipt.checkpoint],
      })
      assert.deepEqual([verdict.verified, verdict.records], [true, 3])
      assert.deepEqual(await verifyReceipt(receipt, public_keys), { ok: true })
    })

    test('a journal is committed, with its retained input', async () => {
      const database = await testDatabase()
      const dir = await newFolder()
      await cp(join(folder, 'journal'), dir, { recursive: true })
      const audit_log = await openTestAuditLog(database.url, dir, { root_keys })
      try {
        await audit_log.flush()
        const { ok, records } = await verifyChain(database.url, 'waiting')
        assert.deepEqual([ok, records], [true, 3])
        const { rows } = await asOwner(database.url, (client) => client.query('SELECT * FROM audit_inputs'))
        assert.equal(openInput(root_keys, rows[0]), '{"retained":true}')
      } finally {
        await audit_log.close()
        await database.close()
      }
    })
  })
}

test('a migration after the newest release says which engines go on if it takes something away', () => {
  const newest = join(import.meta.dirname, releases.at(-1)!.name, 'migrations.json')
  const landed = Object.keys(JSON.parse(readFileSync(newest, 'utf8')))
  assert.deepEqual(undeclared(migrations, landed), [], 'name in `requires` what engines must know to go on')
  const planted = [
    'ALTER TABLE notes DROP COLUMN body',
    'DROP TABLE notes',
    'ALTER TABLE notes RENAME TO texts',
    'ALTER TABLE notes ALTER COLUMN body SET NOT NULL',
    'ALTER TABLE notes ALTER COLUMN body TYPE integer',
    'REVOKE SELECT ON notes FROM svc_app',
    'ALTER TABLE notes ADD COLUMN body text; CREATE INDEX one ON notes (body); DROP INDEX two',
  ].map((sql, n) => ({ name: `planted-${n}`, sql }))
  const open = planted.at(-1)!
  const declared = { name: 'declared', sql: 'DROP TABLE notes', requires: 'planted-0' }
  assert.deepEqual(
    undeclared([...migrations, ...planted, declared], landed),
    planted.filter((one) => one !== open).map(({ name }) => name),
  )
})

test('formats of a newer release are refused, and say so', async () => {
  const dir = await newFolder()
  await cp(join(import.meta.dirname, releases.at(-1)!.name), dir, { recursive: true })
  writeFileSync(join(dir, 'journal/id'), '00000000-0000-4000-8000-000000000000\nformat 2\n')
  assert.throws(() => openDirectory(join(dir, 'journal')), /was written by a newer version in another format/)
  writeFileSync(join(dir, 'archive/svc-log-archive'), 'svc-log-archive/2: pages in another way.\n')
  const pages = pageStore(fileStore(join(dir, 'archive'), system_clock))
  await assert.rejects(pages.isArchive(), /is an archive of format 2: use a newer version/)
  assert.throws(() => openBodies(Buffer.of(), 2, 1), /cannot read audit pages of format 2/)
  const { reason } = await verifyExport(['{"format":"svc-audit-export/2"}'])
  assert.equal(reason, 'the first line does not say svc-audit-export/1')
})
