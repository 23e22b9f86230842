import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { asOwner } from '@svc/audit/test-audit-log'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import { registerEntry } from '../mars/registration.ts'
import type { EntryKind, Statement, Visibility } from './entry.ts'
import { type EntryFilter, findCandidates, findPage } from './reads.ts'

const start_ms = Date.parse('2026-11-15T10:00:00.000Z')
let database: TestDatabase
let store: PostgresStore

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
})
after(async () => {
  await store.close()
  await database.close()
})

interface Seen {
  readonly alarms: string[]
  readonly counted: string[]
}

/** Runs one operation of a tenant at a given time, without special rights or keys. */
async function as<Result>(
  tenant_id: string,
  work: (context: OperationContext<'audit_log' | 'custody' | 'telemetry'>) => Promise<Result>,
  at_ms = start_ms,
  observed: Seen = { alarms: [], counted: [] },
): Promise<Result> {
  const transaction = store.transaction(tenant_id)
  const context = testContext<'audit_log' | 'custody' | 'telemetry'>({
    tenant_id,
    db: transaction.db,
    now: new Date(at_ms).toISOString(),
    caller: { did: `did:oas:${tenant_id}:agent:${'a'.repeat(64)}` },
    custody: { sign: async () => undefined, publicKeyOf: async () => undefined },
    audit_log: { sign: async () => ({ key_id: 'k', public_key: 'p', signature: 's' }) },
    telemetry: { count: (name: string) => void observed.counted.push(name) },
    alarm: (reason: string) => void observed.alarms.push(reason),
  })
  try {
    const result = await work(context)
    await transaction.commit([])
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

function said(subject: string, more: Partial<Statement> = {}): Omit<Statement, 'tenant_id'> {
  const content = { name: subject, tags: ['t'], capabilities: ['svc.mind.*'], summary: 'Remembers things.' }
  return { kind: 'policy', subject, visibility: 'tenant', ttl_seconds: null, content, ...more }
}

const put = (tenant_id: string, subject: string, more: Partial<Statement> = {}, at_ms = start_ms) =>
  as(tenant_id, (context) => registerEntry(context, said(subject, more), { signers: [] }), at_ms)

const find = (tenant_id: string, filter: Partial<EntryFilter>, limit = 50) =>
  as(tenant_id, (context) => findPage(context, { versions: 'current', ...filter }, limit))

test('every kind follows the same rules, and is signed by the audit key of the tenant by default', async () => {
  const kinds = ['treaty', 'policy', 'asset', 'plugin', 'report', 'verdict', 'chain_seal', 'schema']
  for (const kind of kinds as EntryKind[]) {
    const first = await put('kinds', 'one', { kind })
    assert.equal((await put('kinds', 'one', { kind })).unchanged, true)
    const { entries } = await find('kinds', { kind, subject: 'one' })
    assert.deepEqual(
      entries.map(({ hash, signature }) => [hash, signature.signed_by, signature.method]),
      [[first.entry, 'book:k', 'book']],
    )
  }
  const agent = as('kinds', (context) =>
    registerEntry(context, said('x', { kind: 'agent' }), { signers: [] }),
  )
  await assert.rejects(
    agent,
    (error) => error instanceof Refusal && error.details.reason === 'signature required',
  )
})

test('versions follow each other, even at the same time and under concurrency', async () => {
  const contents = Array.from({ length: 12 }, (_, i) => ({ name: `v${i}` }))
  await Promise.all(contents.map((content) => put('racing', 'one', { content })))
  const { entries } = await find('racing', { subject: 'one', versions: 'all' })
  assert.deepEqual(
    entries.map(({ version, previous }) => [version, previous]),
    entries.map((_, i) => [i + 1, entries[i - 1]?.hash ?? null]),
  )
  assert.equal(entries.length, 12)
  assert.equal(entries.filter(({ ended_at }) => ended_at === null).length, 1)
  for (const { registered_at, hash } of entries) {
    const versions = { in_force_at: registered_at.toISOString() }
    const then = await find('racing', { subject: 'one', versions })
    assert.deepEqual(
      then.entries.map((entry) => entry.hash),
      [hash],
    )
  }
})

test('private entries are not readable by another tenant, even by address', async () => {
  const made = new Map<Visibility, string>()
  for (const visibility of ['tenant', 'treaty', 'public'] as const)
    made.set(visibility, (await put('owner', `open-${visibility}`, { visibility })).entry)
  const hashes = [...made.values()]
  await as('reader', async ({ db }) => {
    const plain = await sql`SELECT hash FROM registry_entries WHERE hash = ANY(${hashes})`.execute(db)
    assert.deepEqual(plain.rows, [], 'the table itself shows nothing of others')
    const open = await sql<{ hash: string }>`SELECT hash FROM svc_open_entries(${hashes})`.execute(db)
    assert.deepEqual(open.rows, [{ hash: made.get('public') }])
    const entries = await sql<{ hash: string }>`
      SELECT hash FROM svc_find_entries('{"tenant_id": "owner"}', 1000)`.execute(db)
    assert.deepEqual(entries.rows, [{ hash: made.get('public') }])
  })
  await asOwner(database.url, async (client) => {
    await client.query('BEGIN; SET LOCAL ROLE svc_app')
    const { rows } = await client.query(
      `SELECT hash FROM svc_find_entries('{}', 1000)
      UNION ALL SELECT hash FROM svc_open_entries($1)`,
      [hashes],
    )
    assert.deepEqual(rows, [], 'a query that names no tenant sees nothing')
    await client.query('ROLLBACK')
  })
})

test('a treaty opens entries for partners, and only those', async () => {
  for (const visibility of ['tenant', 'treaty'] as const)
    await put('partner-a', `for-${visibility}`, { visibility, content: { name: 'pact' } })
  const seenBy = async (reader: string) =>
    (await find(reader, { tenant_id: 'partner-a' })).entries.map(({ subject }) => subject)
  assert.deepEqual(await seenBy('partner-b'), [])
  const define = (body: string) =>
    asOwner(database.url, (client) =>
      client.query(`CREATE OR REPLACE FUNCTION svc_are_partners(reader text, owner text) RETURNS boolean
        LANGUAGE sql STABLE AS $$ SELECT ${body} $$`),
    )
  await define("reader = 'partner-b' AND owner = 'partner-a'")
  assert.deepEqual(await seenBy('partner-b'), ['for-treaty'])
  assert.deepEqual(await seenBy('partner-c'), [])
  await define('false')
})

test('the application role can neither rewrite nor delete entries', async () => {
  const { entry } = await put('frozen', 'one')
  const attempts = [
    sql`UPDATE registry_entries SET body = '{}' WHERE hash = ${entry}`,
    sql`UPDATE registry_entries SET visibility = 'public' WHERE hash = ${entry}`,
    sql`DELETE FROM registry_entries WHERE hash = ${entry}`,
  ]
  for (const attempt of attempts) {
    await assert.rejects(
      as('frozen', ({ db }) => attempt.execute(db)),
      /permission denied/,
    )
  }
  await assert.rejects(put('frozen', 'big', { content: { text: 'x'.repeat(300_000) } }), {
    code: 'invalid_payload',
  })
})

test('a column that differs from the body counts as an alteration', async () => {
  const { entry } = await put('bent', 'one')
  await asOwner(database.url, (client) =>
    client.query(`UPDATE registry_entries SET visibility = 'public' WHERE hash = $1`, [entry]),
  )
  const observed: Seen = { alarms: [], counted: [] }
  const page = await as(
    'reader',
    (context) => findPage(context, { entry, versions: 'all' }, 5),
    start_ms,
    observed,
  )
  assert.deepEqual(page.entries, [])
  assert.deepEqual(observed, {
    alarms: ['registry entry altered'],
    counted: ['svc_registry_hash_mismatch_total'],
  })
})

test('a page ends early rather than exceed its size, and nothing is lost', async () => {
  for (let i = 0; i < 20; i++)
    await put('large', `n${i}`, { content: { name: 'large', text: 'x'.repeat(250_000) } }, start_ms + i)
  const read: string[] = []
  let after: EntryFilter['after']
  let pages = 0
  do {
    const page: Awaited<ReturnType<typeof find>> = await find('large', {
      name_prefix: 'LAR',
      ...(after && { after }),
    })
    read.push(...page.entries.map(({ subject }) => subject))
    after = page.next
    pages++
  } while (after && pages < 10)
  assert.deepEqual([read.length, new Set(read).size, pages], [20, 20, 2])
})

test('text matches any word and ranks by all; with a capability it only ranks', async () => {
  const texts = { both: 'Translates legal contracts', one: 'Translates poems', none: 'Bakes bread' }
  for (const [subject, summary] of Object.entries(texts))
    await put('words', subject, { content: { name: subject, summary, capabilities: ['svc.mage.*'] } })
  const search = (filter: Partial<EntryFilter>) =>
    as('words', async (context) => {
      const candidates = await findCandidates(context, { versions: 'current', own_only: true, ...filter }, 10)
      return candidates.map(({ subject, rank }) => [subject, rank > 0])
    })
  assert.deepEqual(await search({ need: "translate my contract's text" }), [
    ['both', true],
    ['one', true],
  ])
  assert.deepEqual(await search({ need: 'translate contracts', capability: 'svc.mage.publish' }), [
    ['both', true],
    ['one', true],
    ['none', false],
  ])
  for (const need of ["' | !! & <-> :*", 'the of and', "a' & b:* | c", '\\'])
    assert.ok(await search({ need }))
})

test('no query scans the whole table', async () => {
  await asOwner(database.url, async (client) => {
    await client.query(`
      INSERT INTO registry_entries (tenant_id, hash, kind, subject, version, visibility, body, signature, registered_at,
        name_key, terms, search)
      SELECT 'crowd' || n % 50, 'sha256:' || md5(n::text), 'agent', 's' || n, 1, (ARRAY['tenant', 'public'])[1 + n % 2], '{}',
        '{}', now(), 'name ' || n, ARRAY['tag:' || n], to_tsvector('english', 'word' || n)
      FROM generate_series(1, 30000) n`)
    await client.query('ANALYZE registry_entries')
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0;
      SET auto_explain.log_nested_statements = on; SET client_min_messages = log`)
    const plans: string[] = []
    client.on('notice', ({ message }) => plans.push(message ?? ''))
    await client.query("BEGIN; SET LOCAL svc.tenant_id = 'crowd7'")
    const questions: object[] = [
      { entry: contentHash('x') },
      { subject: 's7' },
      { name_prefix: 'name 77' },
      { tag: 'tag:7' },
      { any_term: ['tag:7', 'tag:8'] },
      { need: 'word7' },
      { tenant_id: 'crowd7' },
      { kind: 'agent', current: true },
    ]
    for (const question of questions) {
      plans.length = 0
      await client.query('SELECT * FROM svc_find_entries($1, 50)', [question])
      const nested = plans.find((plan) => plan.includes('FROM registry_entries e'))
      assert.ok(nested, 'the plan was seen')
      assert.ok(!nested.includes('Seq Scan on registry_entries'), `${JSON.stringify(question)}\n${nested}`)
    }
    await client.query('ROLLBACK')
  })
})
