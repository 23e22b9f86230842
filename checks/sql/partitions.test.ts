// The partitions of docs/scaling.md, created as documented on a database with chains: nothing changes, and
// plans touch one partition.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  asOwner,
  entryOf,
  exportLines,
  newFolder,
  openTestAuditLog,
  verifyChain,
} from '@svc/audit/test-audit-log'
import { app_role, engine_role, tenant_setting } from '@svc/database/migration'
import type { Client, QueryArrayResult } from 'pg'
import { blocks } from '../documents/documents.ts'
import { outputFault } from '../documents/expected-output.ts'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'

const block = blocks.find(({ path, language }) => path === 'docs/scaling.md' && language === 'sql')
const tenants = ['acme', 'globex', 'initech']
const calls = 20
let database: TestDatabase
let seen_before: unknown[]
let exported_before: string[][]
/** As `psql -qAt` prints it. */
let output: string

before(async () => {
  database = await testDatabase()
  await write()
  exported_before = await exports()
  seen_before = await asOwner(database.url, facts)
  await asOwner(database.url, async (client) => {
    await client.query('BEGIN')
    // Several statements give several results, which the types do not say.
    const query = { text: block?.code ?? '', rowMode: 'array' as const }
    const results = (await client.query(query)) as unknown as QueryArrayResult[]
    output = results.flatMap(({ rows }) => rows.map((row) => row.join('|'))).join('\n')
    await client.query('COMMIT')
  })
})
after(() => database?.close())

async function write(): Promise<void> {
  const audit_log = await openTestAuditLog(database.url, await newFolder())
  for (const tenant_id of tenants) await audit_log.ready(tenant_id)
  for (let i = 0; i < calls; i++) for (const tenant_id of tenants) audit_log.record(entryOf(tenant_id))
  await audit_log.written()
  await audit_log.flush()
  await audit_log.close()
}

const exports = () => Promise.all(tenants.map((tenant_id) => exportLines(database.url, tenant_id)))

/** What must not change: rows, columns, constraints, indexes, privileges, policies and triggers. */
async function facts(client: Client): Promise<unknown[]> {
  const questions = [
    'SELECT tenant_id, seq, record_hash, body FROM audit_records ORDER BY tenant_id, seq',
    `SELECT attname, attnotnull, atttypid::regtype::text FROM pg_attribute
      WHERE attrelid = ANY($1::regclass[]) AND attnum > 0 ORDER BY attrelid::regclass::text, attnum`,
    `SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE conrelid = ANY($1::regclass[]) ORDER BY conname`,
    `SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index
      WHERE indrelid = ANY($1::regclass[]) ORDER BY 1`,
    `SELECT tablename, policyname, permissive, roles::text, cmd, qual, with_check FROM pg_policies
      WHERE tablename = ANY($1) ORDER BY 1, 2`,
    'SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = ANY($1::regclass[]) AND NOT tgisinternal ORDER BY 1',
    `SELECT relname, relrowsecurity, relforcerowsecurity, a.grantee::regrole::text AS who, a.privilege_type
      FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = ANY($1::regclass[]) ORDER BY 1, 4, 5`,
  ]
  const tables = ['audit_records', 'meter_events']
  const answers: unknown[] = []
  for (const question of questions) {
    const parameters = question.includes('$1') ? [tables] : []
    answers.push((await client.query(question, parameters)).rows)
  }
  return answers
}

test('the statements print what the page shows', () => {
  assert.equal(outputFault(block?.output ?? '', output), undefined)
})

test('both tables keep their rows, keys, indexes, privileges, policies and triggers', async () => {
  const seen_after = await asOwner(database.url, facts)
  for (const [i, answer] of seen_after.entries()) assert.deepEqual(answer, seen_before[i])
  await asOwner(database.url, async (client) => {
    const kinds = await client.query(
      "SELECT relkind FROM pg_class WHERE relname IN ('audit_records', 'meter_events') ORDER BY 1",
    )
    assert.deepEqual(
      kinds.rows.map(({ relkind }) => relkind),
      ['p', 'p'],
    )
  })
})

test('the chains go on, and verify across the change', async () => {
  await write()
  for (const [i, lines] of (await exports()).entries()) {
    const records = exported_before[i]!.filter((line) => line.startsWith('{"record":'))
    assert.deepEqual(lines.slice(1, 1 + records.length), records)
    const verdict = await verifyChain(database.url, tenants[i]!)
    assert.deepEqual([verdict.ok, verdict.records, verdict.reason], [true, 2 * calls, undefined])
  }
})

test('a query for one tenant and one range touches one partition of each table', async () => {
  const questions = [
    "SELECT body FROM audit_records WHERE tenant_id = 'acme' AND seq BETWEEN 1 AND 50",
    "SELECT quanta FROM meter_events WHERE tenant_id = 'acme' AND at >= '2026-12-05' AND at < '2026-12-20'",
  ]
  await asOwner(database.url, async (client) => {
    for (const question of questions) {
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${question}`)
      const touched = JSON.stringify(rows[0]['QUERY PLAN']).match(/"Relation Name":"[^"]+"/g)
      assert.equal(touched?.length, 1, String(touched))
    }
  })
})

test('no partition bypasses the rules: not for tenants, not for the engine, not for changes', async () => {
  await asOwner(database.url, async (client) => {
    const { rows } = await client.query<{ part: string }>(
      "SELECT tableoid::regclass::text AS part FROM audit_records WHERE tenant_id = 'acme' LIMIT 1",
    )
    const { part } = rows[0]!
    await assert.rejects(client.query(`DELETE FROM ${part}`), /takes new rows only/)
    await assert.rejects(client.query(`TRUNCATE ${part}`), /takes new rows only/)
    for (const role of [app_role, engine_role]) {
      await client.query(`SET ROLE ${role}`)
      await assert.rejects(client.query(`SELECT FROM ${part}`), /permission denied/)
      await client.query('RESET ROLE')
    }
    await client.query(`SET ROLE ${app_role}`)
    const count = async () => Number((await client.query('SELECT count(*) FROM audit_records')).rows[0].count)
    assert.equal(await count(), 0)
    await client.query(`SELECT set_config('${tenant_setting}', 'globex', false)`)
    assert.equal(await count(), 2 * calls)
  })
})

test('a used position in a chain stays used, whatever partition it is in', async () => {
  await asOwner(database.url, async (client) => {
    const again = `INSERT INTO audit_records SELECT * FROM audit_records WHERE tenant_id = 'acme' AND seq = 1`
    await assert.rejects(client.query(again), /duplicate key/)
  })
})
