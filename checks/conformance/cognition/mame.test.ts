// Scenario 9, the right to be forgotten, over HTTP: in tables, files, retained inputs and the audit log.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { exportChain } from '@svc/audit/query/export'
import { publicKeys } from '@svc/audit/query/records'
import { asOwner } from '@svc/audit/test-audit-log'
import { sweepRedactions } from '@svc/protocols/cognition/content/redaction-sweep'
import { verifyExport } from '@svc/sdk/verify/export'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import type { Client } from 'pg'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { type Note, notes } from '../../scenes/notes-protocol.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let service: InProcessService
let colleague: Addresses

before(async () => {
  service = await startInProcess({ more_protocols: [notes] })
  colleague = await service.newCaller()
})
after(() => service.stop())

const ask = (who: Addresses, name: string, input: unknown, headers = {}): Promise<Answer> => {
  const [protocol, operation] = name.split('.') as [string, string]
  return dispatch(who, { protocol, operation, input }, headers)
}
const done = async (name: string, input: unknown, who: Addresses = service): Promise<Fields> =>
  assertSuccess(await ask(who, name, input)).output
const read = (ref: string, more: Fields = {}) => done('NOTES.read', { ref, ...more })
/** A word that occurs nowhere else on the machine. */
const secretWord = () =>
  `zq${randomBytes(12)
    .toString('hex')
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!)}`
const newRef = () => `mind://cell/${randomUUID()}`

async function keep(body: Fields, more: Partial<Note> = {}, headers = {}): Promise<string> {
  const ref = newRef()
  const index = { namespace: 'default', text: Object.values(body).join(' '), vector: true }
  assertSuccess(await ask(service, 'NOTES.keep', { ref, kind: 'episodic', body, index, ...more }, headers))
  return ref
}

test('right to be forgotten: no table, file, log, input or replay reveals the text, and proofs stay valid', async (t) => {
  const [word, name] = [secretWord(), secretWord()]
  const headers = { 'idempotency-key': randomUUID(), prefer: 'wait=audit' }
  const ref = newRef()
  const input = {
    ref,
    kind: 'episodic',
    body: { note: `Patient ${name} said ${word}` },
    index: { namespace: 'default', text: `Patient ${name} said ${word}`, vector: true },
    triples: [{ subject: name, predicate: 'said', object: word }],
  }
  const from = await asOwner(service.db_url, walFile)
  const stored = assertSuccess(await ask(service, 'NOTES.keep', input, headers))
  const citing = await keep({ text: 'a report' }, { cites: ref })
  const words = [Buffer.from(word), Buffer.from(name)]
  // Pages of an unlogged table stay in memory for long: rewriting it flushes them to disk.
  await asOwner(service.db_url, (owner) => owner.query('VACUUM FULL content_index'))
  const files = await filesSince(from)
  if (files) assert.notDeepEqual(await holding(files, words), [], 'before, the index holds the words')
  else t.diagnostic('the files of this database cannot be read from here')

  const redacted = await done('MAME.redact', { target: ref, reason: 'erasure_request', note: 'by letter' })
  assert.deepEqual(
    [redacted.records_affected, redacted.keys_destroyed, redacted.inputs_forgotten, redacted.complete],
    [2, 2, 1, true],
    'the note and its fact',
  )
  assert.ok(redacted.index_entries_removed >= 2)
  assert.deepEqual(redacted.dependents, [{ ref: citing, kind: 'cites' }])
  assert.equal(redacted.tombstones.length, 2)
  assert.deepEqual(await read(ref), { status: 'redacted', version: 1 })
  const again = await done('MAME.redact', { target: ref, reason: 'erasure_request' })
  assert.deepEqual([again.records_affected, again.keys_destroyed], [0, 0])

  await eventually(async () => {
    await sweepRedactions(service.service.store.engine, new Date())
    const { rows } = await asOwner(service.db_url, (owner) =>
      owner.query('SELECT FROM content_redaction WHERE scrubbed_at IS NULL OR forget_at IS NOT NULL'),
    )
    assert.equal(rows.length, 0)
  })
  if (files) assert.deepEqual(await holding((await filesSince(from))!, words), [])

  const replayed = assertSuccess(await ask(service, 'NOTES.keep', input, headers))
  assert.deepEqual([replayed.metadata.replayed, replayed.output], [true, { created: true }])
  const { correlation_id, receipt } = stored.metadata
  const looked = await done('MAX.audit_query', { correlation_id, include_inputs: true })
  assert.ok(looked.records.length > 0)
  assert.ok(!JSON.stringify(looked).includes(word))
  const { engine } = service.service.store
  const keys = (await publicKeys(engine, service.tenant_id)).map(({ public_key }) => public_key)
  assert.deepEqual(await verifyReceipt(receipt as never, keys), { ok: true })
  await service.service.audit_log.flush()
  const exported = await Array.fromAsync(exportChain(engine, service.tenant_id))
  assert.equal((await verifyExport(exported)).ok, true)
  assert.ok(!exported.join('').includes(word))
})

test('a redacted memory is not recalled, nor its facts, nor the input of a repeated store', async () => {
  const [word, namespace] = [secretWord(), randomUUID()]
  const triples = [{ subject: `${word} Ltd`, predicate: 'pays', object: 'late' }]
  const memory = { kind: 'semantic', payload: { text: `${word} pays late` }, namespace, triples }
  const first = assertSuccess(await ask(service, 'MIND.store_memory', memory))
  const second = assertSuccess(await ask(colleague, 'MIND.store_memory', memory))
  assert.equal(second.output.duplicate_of, first.output.ref)
  const recall = async (): Promise<number> =>
    (
      await done('MIND.recall_memory', {
        predicate: { semantic: { text: word } },
        namespace,
        include_inactive: true,
      })
    ).memories.length
  const facts = async () => (await done('MIND.query_knowledge', { subject: `${word} Ltd` })).facts.length
  assert.deepEqual([await recall(), await facts()], [1, 1])
  const redacted = await done('MAME.redact', { target: first.output.ref, reason: 'erasure_request' })
  assert.equal(redacted.inputs_forgotten, 2)
  assert.deepEqual([await recall(), await facts()], [0, 0])
  for (const { metadata } of [first, second]) {
    const who = metadata === first.metadata ? service : colleague
    const audit_query = { correlation_id: metadata.correlation_id, include_inputs: true }
    assert.ok(!JSON.stringify(await done('MAX.audit_query', audit_query, who)).includes(word))
  }
  const again = await done('MIND.store_memory', memory)
  assert.deepEqual([again.duplicate_of, await recall()], [undefined, 1])
})

async function walFile(owner: Client): Promise<string> {
  const { rows } = await owner.query('SELECT pg_walfile_name(pg_current_wal_lsn()) AS name')
  return rows[0].name
}

/** All files of the database, its WAL since then, and the journals; undefined if it runs elsewhere. */
async function filesSince(from: string): Promise<string[] | undefined> {
  return await asOwner(service.db_url, async (owner) => {
    await owner.query('CHECKPOINT')
    const { rows } = await owner.query(`SELECT current_setting('data_directory') AS folder,
      (SELECT oid FROM pg_database WHERE datname = current_database()) AS oid`)
    const [folder, until] = [rows[0].folder, await walFile(owner)]
    if (
      !(await access(folder).then(
        () => true,
        () => false,
      ))
    )
      return undefined
    const base = join(folder, 'base', String(rows[0].oid))
    const tables = (await readdir(base)).map((name) => join(base, name))
    const log = (await readdir(join(folder, 'pg_wal'))).filter((name) => name >= from && name <= until)
    return [...tables, ...log.map((name) => join(folder, 'pg_wal', name))]
  })
}

async function holding(files: readonly string[], words: readonly Buffer[]): Promise<string[]> {
  const matches: string[] = []
  for (const file of files) {
    // The file of a table that was rewritten meanwhile is gone.
    const bytes = await readFile(file).catch(() => Buffer.alloc(0))
    if (words.some((word) => bytes.includes(word))) matches.push(file)
  }
  return matches
}
